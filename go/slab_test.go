// SPDX-License-Identifier: MIT

package toft

import (
	"math"
	"runtime"
	"strings"
	"testing"
	"unsafe"
)

type pair struct{ left, right *pair }

// mustPanic fails the test unless f panics with a message that contains want.
func mustPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		r := recover()
		var text string
		switch r := r.(type) {
		case nil:
			t.Errorf("no panic, want one with %q", want)
			return
		case error:
			text = r.Error()
		case string:
			text = r
		}
		if !strings.Contains(text, want) {
			t.Errorf("panic %q, want one with %q", text, want)
		}
	}()
	f()
}

func TestNewIsZeroAndDistinct(t *testing.T) {
	for _, policy := range []Policy{Reuse, Drop} {
		s := Slab[[3]int]{Policy: policy}
		for round := range 5 {
			seen := map[*[3]int]bool{}
			for range 10_000 {
				p := s.New()
				if *p != [3]int{} {
					t.Fatalf("%v, round %d: New gave %v", policy, round, *p)
				}
				if seen[p] {
					t.Fatalf("%v, round %d: a slot was handed out twice", policy, round)
				}
				seen[p] = true
				*p = [3]int{1, 2, 3}
			}
			if s.Len() != 10_000 {
				t.Errorf("%v: Len is %d after 10000 values", policy, s.Len())
			}
			clear(seen) // the checking build would take it for an escape
			s.Reset()
			if s.Len() != 0 {
				t.Errorf("%v: Len is %d after Reset", policy, s.Len())
			}
		}
	}
}

func TestMake(t *testing.T) {
	var s Slab[int]
	for round := range 4 {
		var kept [][]int
		total := 0
		for i := range 300 {
			n := i * i % 4000 // above 2048 they get blocks of their own
			m := s.Make(n)
			if len(m) != n || cap(m) != n {
				t.Fatalf("Make(%d) has length %d, capacity %d", n, len(m), cap(m))
			}
			for j := range m {
				if m[j] != 0 {
					t.Fatalf("round %d: Make(%d)[%d] is %d", round, n, j, m[j])
				}
				m[j] = i
			}
			*s.New() = -1
			kept = append(kept, m)
			total += n + 1
		}
		for i, m := range kept {
			for _, v := range m {
				if v != i {
					t.Fatalf("slice %d holds %d", i, v)
				}
			}
		}
		if s.Len() != total {
			t.Errorf("Len is %d, want %d", s.Len(), total)
		}
		kept = nil
		s.Reset()
	}
	mustPanic(t, "negative length -1", func() { s.Make(-1) })
	mustPanic(t, "Grow by -1", func() { s.Grow(nil, -1) })
	mustPanic(t, "Grow by", func() { s.Grow(make([]int, 5), math.MaxInt) })
	mustPanic(t, "more than memory can hold", func() { s.Make(math.MaxInt/4 + 1) })
}

// An empty slice is one that isn't nil, as from the built-in make, and holds on to nothing.
func TestEmptySlices(t *testing.T) {
	var a Arena
	var s Slab[pair]
	for range 2 {
		empty, handle := Make[pair](&a, 0, 0), s.Make(0)
		if empty == nil || handle == nil || len(empty)+cap(empty)+len(handle)+cap(handle) != 0 {
			t.Errorf("%v %v", empty, handle)
		}
		New[pair](&a)
		s.New()
		if found := append(a.Escapes(), s.Escapes()...); found != nil {
			t.Errorf("an empty slice holds on to a chunk: %v", found)
		}
		runtime.KeepAlive(empty)
		runtime.KeepAlive(handle)
		New[pair](&a)
		s.New()
	}
	for _, nothing := range [][]pair{nil, {}} {
		if (Clone(&a, nothing) == nil) != (nothing == nil) ||
			(s.Clone(nothing) == nil) != (nothing == nil) {
			t.Errorf("clones of %#v", nothing)
		}
	}
}

func TestHugeAndEmptyTypes(t *testing.T) {
	var huge Slab[[300_000]byte]
	for range 3 {
		a, b := huge.New(), huge.New()
		if a == b || a[299_999] != 0 || b[0] != 0 {
			t.Fatal("huge values overlap or aren't zero")
		}
		a[299_999], b[0] = 1, 1
		if m := huge.Make(3); len(m) != 3 || m[2][0] != 0 {
			t.Fatal("a slice of huge values isn't zero")
		}
		huge.Reset()
	}

	if s := Make[struct{}](new(Arena), math.MaxInt, math.MaxInt); len(s) != math.MaxInt {
		t.Errorf("%d empty values", len(s))
	}
	var empty Slab[struct{}]
	for range 200_000 {
		empty.New()
	}
	if m := empty.Make(1 << 30); len(m) != 1<<30 {
		t.Errorf("%d empty values", len(m))
	}
	if st := empty.Stats(); st.Objects != 200_000+1<<30 || st.UsedBytes != 0 || st.HeldBytes != 0 {
		t.Errorf("empty values: %+v", st)
	}
	empty.Reset()
	if s := empty.Append(nil, struct{}{}, struct{}{}); len(s) != 2 {
		t.Errorf("appended empty values: %d", len(s))
	}
}

func TestAlignment(t *testing.T) {
	type odd struct {
		a byte
		b uint64
		c byte
	}
	var s Slab[odd]
	for range 1000 {
		if p := uintptr(unsafe.Pointer(&s.New().b)); p%unsafe.Alignof(uint64(0)) != 0 {
			t.Fatalf("a field lies at %#x", p)
		}
	}
}

func TestAppendGrowsInPlace(t *testing.T) {
	var s Slab[int]
	s.New()
	list := s.Append(nil, 1, 2, 3)
	first := &list[0]
	for i := 4; i <= 50; i++ {
		list = s.Append(list, i)
	}
	if &list[0] != first {
		t.Error("the last slice moved although there was room")
	}
	other := s.Make(1)
	other[0] = -1
	for i := 51; i <= 200; i++ {
		list = s.Append(list, i)
	}
	if &list[0] == first {
		t.Error("a slice grew over its neighbour")
	}
	for i, v := range list {
		if v != i+1 {
			t.Fatalf("list[%d] is %d", i, v)
		}
	}
	if other[0] != -1 {
		t.Errorf("the neighbour holds %d", other[0])
	}
}

func TestAppendDoesNotShareGrowth(t *testing.T) {
	var s Slab[int]
	base := s.Make(3)
	a := s.Append(base, 1)
	b := s.Append(base, 2)
	if a[3] != 1 || b[3] != 2 {
		t.Errorf("two slices grown from one: %v %v", a, b)
	}
	outside := make([]int, 3)
	c := s.Append(outside, 7)
	if len(c) != 4 || c[3] != 7 || len(outside) != 3 {
		t.Errorf("a slice from outside grew to %v", c)
	}
}

// A slice in another block may end just where a chunk begins: that must not pass for the last
// slice.
func TestAppendAcrossBlocks(t *testing.T) {
	var s Slab[[64]byte]
	for range 2000 {
		a := s.Make(16) // fills chunks of 1 KiB but for a slot
		s.advance(1)
		b := s.Append(a, [64]byte{1})
		if cap(b) > len(a)*2+1 {
			t.Fatalf("capacity %d from %d", cap(b), cap(a))
		}
	}
}

func TestReuseKeepsMemoryFlat(t *testing.T) {
	if checking {
		t.Skip("the checking build gives up memory at each Reset")
	}
	var s Slab[pair]
	var after []int
	for round := range 40 {
		for range 5000 {
			s.New()
		}
		s.Make(2000 + 100*round) // each longer than any block before it
		s.Reset()
		after = append(after, s.Stats().HeldBytes)
	}
	if last, early := after[39], after[4]; last > 2*early {
		t.Errorf("held %d bytes after 5 rounds, %d after 40", early, last)
	}
}

func TestStatsAndRelease(t *testing.T) {
	var s Slab[[16]byte]
	for range 1000 {
		s.New()
	}
	s.Make(24)
	st := s.Stats()
	if st.Objects != 1024 || st.UsedBytes != 16384 {
		t.Errorf("%+v", st)
	}
	if st.HeldBytes < 16384 || st.HeldBytes > 40_000 {
		t.Errorf("%+v", st)
	}
	s.Release()
	if st := s.Stats(); st != (Stats{HighWaterBytes: 16384}) {
		t.Errorf("after Release: %+v", st)
	}
	if *s.New() != [16]byte{} {
		t.Error("no zero value after Release")
	}
}

// A slab that was released is as good as new: its first chunk is small again, also under Drop, where
// a Reset makes it as large as what was needed.
func TestFirstChunkAfterRelease(t *testing.T) {
	s, fresh := Slab[pair]{Policy: Drop}, Slab[pair]{Policy: Drop}
	for range 10_000 {
		s.New()
	}
	s.Release()
	s.New()
	fresh.New()
	if held, want := s.Stats().HeldBytes, fresh.Stats().HeldBytes; held != want {
		t.Errorf("one value holds %d bytes after Release, %d in a new slab", held, want)
	}
}

func TestNoAllocationInSteadyState(t *testing.T) {
	if checking {
		t.Skip("the checking build gives up memory at each Reset")
	}
	var s Slab[pair]
	round := func() {
		for range 10_000 {
			s.New()
		}
		s.Make(5000)
		s.Append(s.Make(3), pair{})
		s.Reset()
	}
	round()
	if n := testing.AllocsPerRun(20, round); n != 0 {
		t.Errorf("%v heap allocations a round", n)
	}
}

// heapAfter is the live heap after a collection.
func heapAfter() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// One value kept pins its chunk, not the tree's 16 MiB.
func TestRetainedNodePinsItsChunk(t *testing.T) {
	before := heapAfter()
	kept := func() *pair {
		var s Slab[pair]
		root := grow20(&s, 20)
		leaf := root
		for leaf.left != nil {
			leaf = leaf.left
		}
		s.Release()
		return leaf
	}()
	if held := int64(heapAfter()) - int64(before); held > 100<<10 {
		t.Errorf("one node kept holds %d bytes", held)
	}
	runtime.KeepAlive(kept)
}

// Under Drop the values stay, and with them what they point to: a value without pointers pins its
// chunk.
func TestRetainedValuePinsItsChunkUnderDrop(t *testing.T) {
	before := heapAfter()
	kept := func() *[16]byte {
		s := Slab[[16]byte]{Policy: Drop}
		var kept *[16]byte
		for i := range 1 << 20 {
			if p := s.New(); i == 1<<19 {
				kept = p
				kept[3] = 7
			}
		}
		s.Reset()
		s.New()
		return kept
	}()
	if held := int64(heapAfter()) - int64(before); held > 100<<10 {
		t.Errorf("one value kept holds %d bytes", held)
	}
	if kept[3] != 7 {
		t.Error("the value changed")
	}
}

func grow20(s *Slab[pair], depth int) *pair {
	p := s.New()
	if depth > 0 {
		p.left, p.right = grow20(s, depth-1), grow20(s, depth-1)
	}
	return p
}

func TestDropNeverReuses(t *testing.T) {
	if checking {
		t.Skip("keeps pointers beyond a Reset on purpose")
	}
	s := Slab[int]{Policy: Drop}
	var kept []*int
	for round := range 100 {
		for range round {
			p := s.New()
			*p = len(kept)
			kept = append(kept, p)
		}
		s.Reset()
	}
	for i, p := range kept {
		if *p != i {
			t.Fatalf("value %d became %d", i, *p)
		}
	}
}
