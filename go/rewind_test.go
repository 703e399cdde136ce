// SPDX-License-Identifier: MIT

package toft

import (
	"runtime"
	"testing"
)

// Under Drop a temporary value costs its own bytes and no chunk, however large the arena has become.
func TestTemporariesUnderDropShareChunks(t *testing.T) {
	if checking {
		t.Skip("in the checking build each mark begins chunks of its own")
	}
	const rounds = 20_000
	for _, alive := range []int{10, 1000, 20_000} {
		a := Arena{Policy: Drop}
		for range alive {
			New[pair](&a)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range rounds {
			m := a.Save()
			New[pair](&a)
			a.Rewind(m)
		}
		runtime.ReadMemStats(&after)
		if each := (after.TotalAlloc - before.TotalAlloc) / rounds; each > uint64(2*pairBytes) {
			t.Errorf("beside %d values, each of %d bytes allocates %d", alive, pairBytes, each)
		}
		if held := a.Stats().HeldBytes; held > 2*alive*pairBytes+4*maxChunkBytes {
			t.Errorf("beside %d values, %d bytes are held", alive, held)
		}
	}
}

// Under Drop no slot is handed out twice, whatever the order of values, slices and marks, and what
// lies before a mark stays. Each slot is known by the number written to it.
func TestDropAcrossMarksNeverReuses(t *testing.T) {
	if checking {
		t.Skip("keeps pointers beyond a Rewind on purpose")
	}
	a := Arena{Policy: Drop}
	var all []*[2]int // all that were ever handed out
	take := func(p *[2]int) {
		if *p != [2]int{} {
			t.Fatalf("a slot of %v was handed out", *p)
		}
		*p = [2]int{len(all), -1}
		all = append(all, p)
	}
	var use func(depth, seed int)
	use = func(depth, seed int) {
		for i := range 6 {
			n := (seed*31 + i*17) % 200
			list := Make[[2]int](&a, n, n)
			for j := range list {
				take(&list[j])
			}
			for range n % 50 {
				take(New[[2]int](&a))
			}
			if depth > 0 {
				alive := a.Len()
				m := a.Save()
				use(depth-1, seed+i+1)
				a.Rewind(m)
				if a.Len() != alive {
					t.Fatalf("%d values after a Rewind, %d before", a.Len(), alive)
				}
			}
		}
		if want := a.Stats().HeldBytes; a.held != want {
			t.Fatalf("%d bytes counted, %d held", a.held, want)
		}
	}
	use(3, 1)
	for i, p := range all {
		if *p != [2]int{i, -1} {
			t.Fatalf("value %d became %v", i, *p)
		}
	}
	a.Trim(0)
	a.Reset()
	if a.Trim(0); a.held != 0 {
		t.Errorf("%d bytes are held after all", a.held)
	}
}

// What a Rewind keeps of a chunk goes by Trim, and for the sake of a limit.
func TestTrimGivesUpWhatRewindKeeps(t *testing.T) {
	if checking {
		t.Skip("in the checking build each mark begins chunks of its own")
	}
	a := Arena{Policy: Drop, LimitBytes: 100_000}
	temporary := func() {
		m := a.Save()
		Make[pair](&a, 2000/pairBytes, 2000/pairBytes)
		a.Rewind(m)
	}
	New[pair](&a)
	before := a.Stats()
	if temporary(); a.Stats().HeldBytes == before.HeldBytes {
		t.Error("nothing is kept")
	}
	if a.Trim(0); a.Stats() != (Stats{
		Objects: 1, UsedBytes: before.UsedBytes, HeldBytes: before.HeldBytes, Chunks: 1,
		HighWaterBytes: a.Stats().HighWaterBytes,
	}) {
		t.Errorf("after Trim %+v, before %+v", a.Stats(), before)
	}
	temporary()
	if err := limited(func() { Make[byte](&a, 98_500, 98_500) }); err != nil {
		t.Error("with room for it:", err)
	}
}

// A value of an earlier mark that is kept under Drop is no escape of a later one, although the chunk
// may be the same.
func TestEscapesSinceAMarkUnderDrop(t *testing.T) {
	a := Arena{Policy: Drop}
	for range 1000 {
		New[pair](&a)
	}
	SlabOf[pair](&a).leaveChunk()
	m := a.Save()
	kept := New[pair](&a)
	a.Rewind(m)
	m = a.Save()
	New[pair](&a)
	if found := a.EscapesSince(m); found != nil {
		t.Error(found)
	}
	runtime.KeepAlive(kept)
}

// A chunk that began as the rest of another is forgotten when it goes: the chunk that takes its place began
// anew, and what escapes from it is found.
func TestEscapesFromAChunkInPlaceOfARest(t *testing.T) {
	a := Arena{Policy: Drop}
	s := SlabOf[pair](&a)
	New[pair](&a)
	s.leaveChunk()
	first := a.Save()
	for range 500 {
		New[pair](&a)
	}
	s.leaveChunk()
	second := a.Save()
	New[pair](&a)
	a.Rewind(second)
	New[pair](&a) // from the rest that Rewind has kept
	a.Rewind(first)
	a.Trim(0)
	m := a.Save()
	outside = New[pair](&a)
	if found := a.EscapesSince(m); len(found) != 1 || found[0].Chunks != 1 {
		t.Errorf("one value escapes, found %v", found)
	}
	outside = nil
}

// Save and Rewind visit the types that have values, and no others that the arena has met. A type that
// comes or comes back between marks is rewound with the others.
func TestOnlyUsedTypesAreVisited(t *testing.T) {
	type (
		first  [2]int
		second [3]int
		third  [4]int
	)
	for _, policy := range []Policy{Reuse, Drop} {
		a := Arena{Policy: policy}
		visited := func(want int) {
			t.Helper()
			m := a.Save()
			if len(a.positions) != want {
				t.Errorf("%v: Save visits %d types, %d have values", policy, len(a.positions), want)
			}
			a.Rewind(m)
		}
		for range 3 {
			New[first](&a)
			New[second](&a)
			for range 2 { // a type with long slices only is one as well
				Make[third](&a, 10_000, 10_000)
			}
			visited(3)
			a.Reset()
			visited(0)
			*New[second](&a) = second{1}
			visited(1)
			outer := a.Save()
			*New[first](&a) = first{1}
			inner := a.Save()
			Make[third](&a, 10_000, 10_000)[9999] = third{1}
			*New[second](&a) = second{1}
			a.Rewind(inner)
			if a.Len() != 2 || Make[third](&a, 10_000, 10_000)[9999] != (third{}) {
				t.Errorf("%v: %d values after the inner mark, or not zero", policy, a.Len())
			}
			a.Rewind(outer)
			if a.Len() != 1 || *New[first](&a) != (first{}) || *New[second](&a) != (second{}) {
				t.Errorf("%v: %d values after the outer mark, or not zero", policy, a.Len())
			}
			a.Reset()
		}
	}
}
