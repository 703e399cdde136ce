// SPDX-License-Identifier: MIT

package toft

import (
	"errors"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

func TestLimit(t *testing.T) {
	a := Arena{LimitBytes: 100_000}
	fill := func() (n int, err error) {
		defer CatchLimit(&err)
		for {
			New[[32]byte](&a)
			n++
		}
	}
	n, err := fill()
	var limit *LimitError
	if !errors.As(err, &limit) {
		t.Fatalf("error %v", err)
	}
	if limit.Type != reflect.TypeFor[[32]byte]() || limit.LimitBytes != 100_000 {
		t.Errorf("error %v", err)
	}
	if used := n * 32; used < 90_000 || used > 100_000 {
		t.Errorf("%d bytes fit into 100000", used)
	}
	if a.Len() != n || a.Stats().HeldBytes > 100_000 {
		t.Errorf("Len %d of %d, %d bytes held", a.Len(), n, a.Stats().HeldBytes)
	}
	if _, err := fill(); err == nil {
		t.Error("a full arena has room")
	}
	a.Reset()
	// What another type holds idle makes room.
	func() {
		defer CatchLimit(&err)
		err = nil
		Make[uint64](&a, 10_000, 10_000)
	}()
	if err != nil {
		t.Error("after a Reset:", err)
	}
	func() {
		defer CatchLimit(&err)
		String(&a, make([]byte, 50_000))
	}()
	if !errors.As(err, &limit) || limit.Type != reflect.TypeFor[string]() {
		t.Errorf("a string beyond the limit: %v", err)
	}
	small := Arena{LimitBytes: 3000}
	if String(&small, []byte("a")) != "a" || len(String(&small, make([]byte, 1900))) != 1900 {
		t.Error("strings within the limit")
	}
	mustPanic(t, "other", func() {
		defer CatchLimit(&err)
		panic("other")
	})
}

// An arena fills up to its limit by few chunks, which share the room that is left, and takes little
// more than what it counts.
func TestFewChunksNearTheLimit(t *testing.T) {
	for _, limit := range []int{10 << 10, 48 << 10, 120 << 10, 1<<20 + 60<<10} {
		a := Arena{LimitBytes: limit}
		before := heapAfter()
		err := limited(func() {
			for i := range limit {
				New[int64](&a)
				if i == limit/8*3/4 {
					New[pair](&a) // for which there is room left
				}
			}
		})
		real := int64(heapAfter()) - int64(before)
		st := a.Stats()
		least := limit - limit/50 - 2*minChunkBytes
		if err == nil || SlabOf[pair](&a).Len() != 1 ||
			st.UsedBytes < least || st.HeldBytes > limit {
			t.Errorf("limit %d: error %v, %+v", limit, err, st)
		}
		if most := limit/maxChunkBytes + 2*chunkDoublings + 8; st.Chunks > most {
			t.Errorf("limit %d: %d chunks, more than %d", limit, st.Chunks, most)
		}
		if most := int64(limit + limit/8 + 8<<10); real > most {
			t.Errorf("limit %d: %d bytes are alive", limit, real)
		}
		runtime.KeepAlive(&a)
	}
}

// What the arena counts against its limit is what its slabs and strings hold.
func TestAccountsAgree(t *testing.T) {
	for _, policy := range []Policy{Reuse, Drop} {
		a := Arena{Policy: policy, LimitBytes: 1 << 30}
		for round := range 30 {
			m := a.Save()
			for i := range 50 * round {
				New[pair](&a)
				Make[byte](&a, i*37%20_000, i*37%20_000)
				String(&a, make([]byte, i*41%20_000))
			}
			if round%3 == 0 {
				a.Rewind(m)
			}
			check := func(when string) {
				if want := a.Stats().HeldBytes + a.Strings().Stats().HeldBytes; a.held != want {
					t.Fatalf("%v, round %d, %s: %d counted, %d held",
						policy, round, when, a.held, want)
				}
			}
			check("before Reset")
			a.Reset()
			check("after Reset")
		}
	}
}

// limited runs f and returns the LimitError that it ends with, or nil.
func limited(f func()) (err error) {
	defer CatchLimit(&err)
	f()
	return nil
}

// What fails for the limit leaves no text behind: neither its own, nor less of what was being built.
func TestLimitErrorLeavesTextAsItWas(t *testing.T) {
	a := Arena{LimitBytes: 100_000}
	text := a.Strings()
	long := strings.Repeat("x", 200_000)
	for _, c := range []struct {
		name string
		fail func()
	}{
		{"Sprintf", func() { Sprintf(&a, "%d %s", 7, long) }},
		{"Sprintf, quoted", func() { Sprintf(&a, "%q", long) }},
		{"Sprintf, wide", func() { Sprintf(&a, "%200000d", 7) }},
		{"Printf", func() { text.Printf("%s", long) }},
		{"Concat", func() { text.Concat("a", long) }},
		{"Copy", func() { text.Copy([]byte(long)) }},
		{"Intern", func() { text.Intern([]byte(long)) }},
		{"Write", func() { text.Write([]byte(long)) }},
		{"WriteString", func() { text.WriteString(long) }},
	} {
		text.WriteString("head ")
		if limited(c.fail) == nil {
			t.Errorf("%s: no LimitError", c.name)
		}
		text.WriteByte('+')
		if got := text.End(); got != "head +" {
			t.Errorf("after %s failed, the text is %.20q, %d bytes", c.name, got, len(got))
		}
	}
	// An End that fails leaves the text, so that a higher limit mends it.
	text.WriteString(long[:60_000])
	if limited(func() { text.End() }) == nil {
		t.Error("two times 60000 bytes fit into 100000")
	}
	a.LimitBytes = 1 << 20
	if got := text.End(); got != long[:60_000] {
		t.Errorf("after End failed, the text has %d bytes", len(got))
	}
}

// A size beyond any memory that the built-in make would say little about gets our own message, and counts
// nothing.
func TestFailedMakeHoldsNothing(t *testing.T) {
	if maxBytes>>32 == 0 {
		t.Skip("with 32 bits there is no such size: the built-in runs out of memory, which is the end")
	}
	var a Arena
	var s Slab[int]
	New[int](&a)
	before := a.Stats()
	for _, huge := range []int{maxBytes>>19 + 1, maxBytes>>16 + 1, maxBytes>>13 + 1} { // 2^44, 2^47, 2^50
		want := itoa(huge) + " values of int are more than memory can hold"
		mustPanic(t, want, func() { Make[int](&a, huge, huge) })
		mustPanic(t, want, func() { Make[int](&a, 0, huge) })
		mustPanic(t, want, func() { Grow(&a, []int(nil), huge) })
		mustPanic(t, want, func() { s.Make(huge) })
	}
	if after := a.Stats(); after != before {
		t.Errorf("%+v, before %+v", after, before)
	}
	a.Release()
	if held := a.Stats().HeldBytes + s.Stats().HeldBytes + a.held; held != 0 {
		t.Errorf("%d bytes held", held)
	}
}

// A length that no memory can hold is a request beyond the limit, like any other. Such lengths come
// from input.
func TestLimitOnImpossibleLengths(t *testing.T) {
	a := Arena{LimitBytes: 1 << 20}
	for _, n := range []int{
		maxBytes, maxBytes - 1, maxBytes/2 + 1, maxBytes / 2, maxBytes/8 + 1, maxBytes / 8, maxBytes / 16,
	} {
		for name, fail := range map[string]func(){
			"Make of bytes":   func() { Make[byte](&a, n, n) },
			"Make of numbers": func() { Make[uint64](&a, n, n) },
			"Make of arrays":  func() { Make[[24]byte](&a, n, n) },
			"Make by handle":  func() { SlabOf[uint64](&a).Make(n) },
			"Grow from nil":   func() { Grow(&a, []uint64(nil), n) },
			"Grow":            func() { Grow(&a, []byte("bytes"), n) },
		} {
			var limit *LimitError
			if !errors.As(limited(fail), &limit) || limit.WantBytes < n || limit.LimitBytes != 1<<20 {
				t.Errorf("%s with %d: %v", name, n, limit)
			}
		}
	}
	if a.held != 0 {
		t.Errorf("%d bytes are counted", a.held)
	}
}

// A slice that can't double within the limit gets what it needs.
func TestGrowthUsesWhatTheLimitLeaves(t *testing.T) {
	const mebibyte = 1 << 20
	type huge [mebibyte]byte
	for name, grow := range map[string]func(*Arena){
		"a byte more for 22 MiB": func(a *Arena) {
			s := Make[byte](a, 22*mebibyte, 22*mebibyte)
			s[5] = 5
			if s = Append(a, s, 1); s[5] != 5 || s[len(s)-1] != 1 {
				t.Error("the elements have changed")
			}
		},
		"what a reset left idle goes": func(a *Arena) {
			Make[uint32](a, 10*mebibyte, 10*mebibyte)
			a.reset()
			Append(a, Make[byte](a, 22*mebibyte, 22*mebibyte), 1)
		},
		"a slice doubles if there is room without what lies idle": func(a *Arena) {
			Make[uint32](a, 10*mebibyte, 10*mebibyte)
			a.reset()
			if s := Append(a, Make[byte](a, 20*mebibyte, 20*mebibyte), 1); cap(s) < 40*mebibyte {
				t.Errorf("a slice of 20 MiB grew to a capacity of %d bytes", cap(s))
			}
		},
	} {
		a := Arena{LimitBytes: 64 * mebibyte}
		if err := limited(func() { grow(&a) }); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	var a Arena
	if s := Append(&a, nil, huge{}); len(s) != 1 || a.Stats().HeldBytes != mebibyte {
		t.Errorf("one value of 1 MiB holds %d bytes", a.Stats().HeldBytes)
	}
}

// Long slices that fit into a fresh arena fit into one that was used before, whatever blocks that left.
func TestBlocksOfEarlierRoundsTakeNoRoom(t *testing.T) {
	p := Pool{LimitBytes: 1536 << 10}
	for _, lengths := range [][]int{
		{900 << 10},
		{20 << 10, 900 << 10},
		{900 << 10},
		{500 << 10, 900 << 10},
		{400 << 10, 500 << 10, 600 << 10},
		{20 << 10, 30 << 10, 700 << 10, 700 << 10},
	} {
		a := p.Get()
		for _, length := range lengths {
			if err := limited(func() { Make[byte](a, length, length) }); err != nil {
				t.Errorf("%d bytes of %d: %v", length, lengths, err)
			}
		}
		p.Put(a)
	}
}

// What fails for the limit changes nothing: the values there, the room that is left, the figures.
func TestLimitErrorChangesNothing(t *testing.T) {
	a := Arena{LimitBytes: 60_000}
	for range 3 {
		s := SlabOf[[100]byte](&a)
		for range 100 {
			s.New()
		}
		m := a.Save()
		for range 250 {
			s.New()
		}
		Make[int](&a, 100, 100)
		a.Rewind(m)
		stats, ints, left := a.Stats(), SlabOf[int](&a).Stats(), s.left
		for _, fail := range []func(){
			func() { Make[[100]byte](&a, 600, 600) },
			func() { Make[[100]byte](&a, 160, 160); Make[int64](&a, 7000, 7000) },
			func() { Append(&a, [][100]byte(nil), make([][100]byte, 600)...) },
			func() { New[[60_000]byte](&a) },
		} {
			m := a.Save()
			if limited(fail) == nil {
				t.Error("no LimitError")
			}
			a.Rewind(m)
		}
		if got := a.Stats(); got.Objects != stats.Objects || got.Objects != 100 {
			t.Errorf("%+v, before %+v", got, stats)
		}
		if s.left != left || SlabOf[int](&a).Stats().Objects != ints.Objects {
			t.Errorf("%d slots left, before %d", s.left, left)
		}
		a.Reset()
	}
}
