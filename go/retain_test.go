// SPDX-License-Identifier: MIT

package toft

import "testing"

const mebibyte = 1 << 20

// use gets an arena, has it need so many bytes, and puts it back.
func use(p *Pool, bytes int) {
	a := p.Get()
	for range bytes / pairBytes / 2 {
		New[pair](a)
	}
	Make[byte](a, bytes/2, bytes/2)
	p.Put(a)
}

// What is asked for again and again stays warm, also above 1 MiB, and where small needs come between.
func TestPoolKeepsWhatIsUsuallyNeeded(t *testing.T) {
	if checking {
		t.Skip("the checking build keeps no memory")
	}
	p := Pool{MaxIdle: 1}
	round := func() {
		use(&p, 3*mebibyte)
		use(&p, 1000)
		use(&p, 1000)
	}
	for range 20 {
		round()
	}
	if n := testing.AllocsPerRun(5, round); n > 2 { // a collection may take the arena
		t.Errorf("%v allocations a round", n)
	}
}

// A rare large need leaves little behind, and nothing beyond 1 MiB in the end.
func TestPoolForgetsRareNeeds(t *testing.T) {
	if checking {
		t.Skip("the checking build keeps no memory")
	}
	p := Pool{MaxIdle: 1}
	idle := func() int { return p.Stats().IdleBytes }
	use(&p, 64*mebibyte)
	if idle() > 20*mebibyte {
		t.Errorf("%d bytes are kept after one need of 64 MiB", idle())
	}
	for range 400 {
		use(&p, 1000)
	}
	if idle() > mebibyte || p.usual.Load() != 0 {
		t.Errorf("%d bytes are kept after many small needs", idle())
	}
}

// An arena beyond the bound keeps what the bound allows.
func TestPoolKeepsMemoryUpToItsBound(t *testing.T) {
	if checking {
		t.Skip("the checking build keeps no memory")
	}
	p := Pool{MaxIdle: 1, RetainBytes: mebibyte}
	for range 20 {
		use(&p, mebibyte*5/4)
		if idle := p.Stats().IdleBytes; idle > mebibyte || idle < mebibyte/2 {
			t.Fatalf("%d bytes are kept, of 1 MiB that may be", idle)
		}
	}
	text := Pool{MaxIdle: 1, RetainBytes: 100}
	a := text.Get()
	String(a, []byte("whose chunk takes more"))
	text.Put(a)
	if st := text.Stats(); st.Idle != 1 || st.IdleBytes > 100 {
		t.Errorf("%+v", st)
	}
}

// An idle arena of more than 1 MiB goes at the second collection. A small one stays, and so does one
// of a pool whose user has said what to keep.
func TestPoolDropsLargeArenasThatLieIdle(t *testing.T) {
	if checking {
		t.Skip("the checking build keeps no memory")
	}
	for _, c := range []struct {
		retain, need int
		stays        bool
	}{
		{0, 3 * mebibyte, false},
		{0, mebibyte / 2, true},
		{64 * mebibyte, 3 * mebibyte, true},
	} {
		p := Pool{MaxIdle: 1, RetainBytes: c.retain}
		for range 10 {
			use(&p, c.need)
		}
		p.dropUnused()
		use(&p, c.need)
		p.dropUnused()
		if p.Stats().Idle != 1 {
			t.Errorf("%+v: an arena went that was used since the last collection", c)
		}
		p.dropUnused()
		if stays := p.Stats().Idle == 1; stays != c.stays {
			t.Errorf("%+v: stays: %v", c, stays)
		}
		if !c.stays {
			use(&p, c.need)
			eventually(func() bool { return p.Stats().Idle == 0 })
		}
	}
}
