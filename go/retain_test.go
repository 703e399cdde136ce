// SPDX-License-Identifier: MIT

package toft

import (
	"math"
	"testing"
)

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

// An arena that holds more than the pool's limit keeps no more than that: one that Get didn't make, and one
// whose user has set another limit.
func TestPoolKeepsItsLimit(t *testing.T) {
	const limit = 100_000
	for _, retain := range []int{0, mebibyte} {
		p := Pool{MaxIdle: 1, LimitBytes: limit, RetainBytes: retain}
		for _, a := range []*Arena{new(Arena), p.Get()} {
			a.LimitBytes = 0
			for range mebibyte / 2 / pairBytes {
				New[pair](a)
			}
			p.Put(a)
			a = p.Get()
			for limited(func() { New[pair](a) }) == nil {
			}
			if a.held > limit || a.Stats().UsedBytes < limit/2 {
				t.Errorf("RetainBytes %d: %d bytes held, %+v", retain, a.held, a.Stats())
			}
		}
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

// So does one that lies in the list behind the slots, and what lies there beside it stays.
func TestPoolDropsLargeSpares(t *testing.T) {
	if checking {
		t.Skip("the checking build keeps no memory")
	}
	p := Pool{MaxIdle: 4}
	p.begin.Do(p.start)
	p.slots, p.mostSpares = p.slots[:1], 3
	round := func() {
		var arenas [4]*Arena
		for i := range arenas {
			arenas[i] = p.Get()
		}
		for i, a := range arenas {
			if i%2 == 1 {
				Make[byte](a, 3*mebibyte, 3*mebibyte)
			}
			p.Put(a)
		}
	}
	for range 10 {
		round()
	}
	p.Release()
	if round(); p.Stats().Idle != 4 {
		t.Errorf("%+v", p.Stats())
	}
	p.dropUnused()
	if p.dropUnused(); p.Stats().Idle != 2 {
		t.Errorf("after two collections %+v", p.Stats())
	}
	made := p.Stats().Made
	a, b := p.Get(), p.Get()
	p.Put(a)
	p.Put(b)
	if st := p.Stats(); st.Made != made || st.Idle != 2 {
		t.Errorf("%+v after both that stay were in use, before %d were made", st, made)
	}
	if round(); p.Stats().Idle != 4 {
		t.Errorf("after the next round %+v", p.Stats())
	}
}

// What one burst left behind the slots goes in time, however small, unless it is in use now and then, or the
// pool's user has said what to keep.
func TestPoolForgetsBursts(t *testing.T) {
	const most, lately = 300, 3
	for _, retain := range []int{0, 1000} {
		p := Pool{MaxIdle: most, RetainBytes: retain, Policy: Drop} // or the checking build collects at each Put
		var arenas [most]*Arena
		use := func(n int) {
			for i := range n {
				arenas[i] = p.Get()
			}
			for _, a := range arenas[:n] {
				p.Put(a)
			}
		}
		p.begin.Do(p.start)
		kept := len(p.slots) + lately
		p.collections.Store(math.MaxUint32 - 3) // as after many collections: their number begins anew
		use(most)
		for i := range 2 * spareCollections {
			if i < lately && p.Stats().Idle != most {
				t.Errorf("RetainBytes %d: %+v after %d collections", retain, p.Stats(), i)
			}
			use(kept)
			p.dropUnused()
		}
		if retain > 0 {
			kept = most
		}
		if st := p.Stats(); st.Idle != kept || st.Made != most {
			t.Errorf("RetainBytes %d: %+v after a burst of %d", retain, st, most)
		}
		clear(arenas[:])
	}
}

// What goes of the spares leaves its room to others, wherever in the list it lies.
func TestDroppedSparesLeaveRoom(t *testing.T) {
	if checking {
		t.Skip("the checking build keeps no memory")
	}
	const most = 20
	p := Pool{MaxIdle: most}
	p.begin.Do(p.start)
	p.slots, p.mostSpares = p.slots[:1], most-1
	p.usual.Store(4 * mebibyte)
	for _, small := range []int{-1, most / 2, most - 1} { // the one that stays
		p.Release()
		for i := range most {
			a := new(Arena)
			if i != small {
				Make[byte](a, mebibyte+1, mebibyte+1)
			}
			p.Put(a)
		}
		p.dropUnused()
		p.dropUnused()
		left := min(small+1, 1)
		if st := p.Stats(); st.Idle != left || int(p.spares.Load()) != left {
			t.Errorf("%+v, of %d arenas one small", st, most)
		}
		places := 0
		for range p.places {
			places++
		}
		if places != 1+left {
			t.Errorf("%d places for %d arenas", places, left)
		}
		for range 2 * most {
			p.Put(new(Arena))
		}
		if st := p.Stats(); st.Idle != most {
			t.Errorf("%+v, with MaxIdle %d", st, most)
		}
	}
}
