// SPDX-License-Identifier: MIT

package toft

import (
	"math"
	"runtime"
	"slices"
	"testing"
	"unsafe"
)

const (
	large      = 8 << 20
	pairBytes  = int(unsafe.Sizeof(pair{}))
	largePairs = large / pairBytes
)

func TestTrim(t *testing.T) {
	if checking {
		t.Skip("the checking build keeps no memory")
	}
	before := heapAfter()
	var s Slab[pair]
	var a Arena
	var x Index[pair]
	fill := func() {
		for range largePairs {
			s.New()
			x.New()
			New[pair](&a)
		}
		Make[byte](&a, large, large)
		a.Strings().WriteString("some text")
	}
	trim := map[string]func(int){"Slab": s.Trim, "Arena": a.Trim, "Index": x.Trim}
	held := map[string]func() int{
		"Slab":  func() int { return s.Stats().HeldBytes },
		"Arena": func() int { return a.held },
		"Index": func() int { return x.Stats().HeldBytes },
	}
	fill()
	kept := New[pair](&a)
	kept.left = kept
	for name, f := range trim { // what is in use stays
		if f(0); held[name]() < large {
			t.Errorf("%s: %d bytes held of values in use", name, held[name]())
		}
	}
	if kept.left != kept {
		t.Error("a value in use has changed")
	}
	s.Reset()
	a.Reset()
	x.Reset()
	for name, f := range trim {
		f(100 << 20)
		if got := held[name](); got < large {
			t.Errorf("%s: %d bytes held after a Trim to more", name, got)
		}
		f(1 << 20)
		if got := held[name](); got > 1<<20 || got < 1<<19 && name != "Arena" {
			t.Errorf("%s: %d bytes held after a Trim to 1 MiB", name, got)
		}
		f(0)
		if got := held[name](); got != 0 {
			t.Errorf("%s: %d bytes held after a Trim to nothing", name, got)
		}
	}
	if now := int64(heapAfter()) - int64(before); now > large/4 {
		t.Errorf("%d bytes are alive after Trim", now)
	}
	fill()
	if *x.At(x.New()) != (pair{}) || *s.New() != (pair{}) {
		t.Error("no zero values after Trim")
	}
	runtime.KeepAlive(&a)
}

// Memory that many resets in a row had no use for goes back by itself, all but what they need; what
// they need now and then stays.
func TestIdleMemoryDecays(t *testing.T) {
	if checking {
		t.Skip("the checking build keeps no memory")
	}
	var s Slab[pair]
	var a Arena
	var x Index[pair]
	round := func(n int) {
		for range n {
			s.New()
			x.New()
		}
		Make[byte](&a, pairBytes*n, pairBytes*n) // as much as the pairs take
		s.Reset()
		a.Reset()
		x.Reset()
	}
	const all = largePairs + largePairs/8 // of which more than large is idle where little is used
	round(all)
	held := func() []int {
		return []int{s.Stats().HeldBytes, a.Stats().HeldBytes, x.Stats().HeldBytes}
	}
	const resets = decayWork / large // a window in which so much is given back
	for i := range resets - 2 {
		round(1000 + i%7*1000)
	}
	if held := held(); slices.Min(held) < large {
		t.Errorf("%d bytes held too early", held)
	}
	for range resets + 1 {
		round(6000)
	}
	if held := held(); slices.Max(held) > 6000*18+2*maxChunkBytes {
		t.Errorf("%d bytes held after small rounds", held)
	}
	if r := x.New(); *x.At(r) != (pair{}) {
		t.Error("no zero value after the memory went")
	}
	round(all) // all of it is needed in one round of each window
	allocations := testing.AllocsPerRun(1, func() {
		for range 5 {
			for range resets - 1 {
				round(1000)
			}
			round(all)
		}
	})
	if allocations > 0 {
		t.Errorf("%v allocations where each %d rounds need it all", allocations, resets)
	}
}

// So does the memory of a type that is used no more, while the arena goes on with others.
func TestMemoryOfUnusedTypesDecays(t *testing.T) {
	if checking {
		t.Skip("the checking build keeps no memory")
	}
	var a Arena
	for range largePairs {
		New[pair](&a)
	}
	Make[byte](&a, large, large)
	a.Reset()
	const resets = decayWork / large
	for i := range 2*resets + 1 {
		if i == resets-2 && a.held < 2*large {
			t.Errorf("%d bytes held too early", a.held)
		}
		New[int](&a)
		a.Reset()
	}
	if a.held > maxChunkBytes {
		t.Errorf("%d bytes held of types that aren't used", a.held)
	}
}

// What each round needs stays where the rest goes: the chunk of a few values, and the block of a long
// slice, which is longer than the slice.
func TestNeededMemoryDoesNotDecay(t *testing.T) {
	if checking {
		t.Skip("the checking build keeps no memory")
	}
	for name, use := range map[string]func(s *Slab[pair]){
		"a value":      func(s *Slab[pair]) { s.New() },
		"a long slice": func(s *Slab[pair]) { s.Make(bigBytes/pairBytes + 1) },
	} {
		var s Slab[pair]
		round := func() (held int) {
			use(&s)
			s.Reset()
			return s.Stats().HeldBytes
		}
		needed := round()
		for range largePairs {
			s.New()
		}
		s.Reset()
		const resets = decayWork / large
		for i := range 2 * resets {
			if held := round(); held < needed {
				t.Fatalf("%s: %d bytes held after round %d, each needs %d", name, held, i, needed)
			}
		}
		if held := s.Stats().HeldBytes; held > needed {
			t.Errorf("%s: %d bytes held, %d needed", name, held, needed)
		}
	}
}

// A little memory that is idle for long doesn't keep much that became idle later.
func TestLittleIdleMemoryDelaysNothing(t *testing.T) {
	if checking {
		t.Skip("the checking build keeps no memory")
	}
	var s Slab[pair]
	round := func(n int) {
		for range n {
			s.New()
		}
		s.Reset()
	}
	const little = maxChunkBytes / pairBytes
	round(2*largePairs + 2*little)
	for range decayResets {
		round(2 * largePairs) // all but a little
	}
	for range 2 * decayWork / large {
		round(1)
	}
	if held := s.Stats().HeldBytes; held > large {
		t.Errorf("%d bytes held", held)
	}
}

func TestTrimToLessThanNothing(t *testing.T) {
	var a Arena
	Make[byte](&a, 100_000, 100_000)
	a.Reset()
	a.Trim(math.MinInt)
	if a.held != 0 {
		t.Errorf("%d bytes held", a.held)
	}
}
