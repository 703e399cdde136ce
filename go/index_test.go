// SPDX-License-Identifier: MIT

package toft

import (
	"runtime"
	"testing"
	"unsafe"
)

func TestIndexFindsItsValues(t *testing.T) {
	var x Index[int]
	for _, policy := range []Policy{Reuse, Drop} {
		x.Policy = policy
		for range 3 {
			var refs []Ref[int]
			for i := range 20_000 {
				r := x.New()
				if *x.At(r) != 0 {
					t.Fatal("a new value isn't zero")
				}
				*x.At(r) = i
				refs = append(refs, r)
			}
			for i, r := range refs {
				if *x.At(r) != i || !x.Has(r) {
					t.Fatalf("value %d is %d", i, *x.At(r))
				}
			}
			if x.Len() != len(refs) || x.Stats().Objects != len(refs) {
				t.Errorf("Len is %d", x.Len())
			}
			x.Reset()
			for _, r := range refs {
				if x.Has(r) {
					t.Fatal("a reference survived Reset")
				}
			}
		}
	}
}

func TestStaleReferencesPanic(t *testing.T) {
	var x, other Index[pair]
	mustPanic(t, "zero Ref[toft.pair]", func() { x.At(Ref[pair]{}) })
	old := x.New()
	x.At(old)
	mustPanic(t, "zero Ref[toft.pair]", func() { x.At(Ref[pair]{}) })
	mustPanic(t, "or is another Index", func() {
		other.New()
		other.At(old)
	})
	x.Reset()
	mustPanic(t, "reset or released", func() { x.At(old) })
	mustPanic(t, "zero Ref", func() { x.At(Ref[pair]{}) })
	now := x.New()
	mustPanic(t, "generation", func() { x.At(old) })
	x.At(now)
	x.Release()
	mustPanic(t, "stale Ref[toft.pair]", func() { x.At(now) })
	if x.Has(now) || !(Ref[pair]{}).IsZero() || now.IsZero() {
		t.Error("Has or IsZero")
	}
	var stale StaleError[pair]
	func() {
		defer func() { stale = recover().(StaleError[pair]) }()
		x.At(now)
	}()
	if stale.Ref != now {
		t.Error("the error doesn't hold the reference")
	}
}

// The generations wrap after 2³² resets; the zero one is left out.
func TestGenerationsWrap(t *testing.T) {
	defer generations.Store(generations.Load())
	generations.Store(1<<32 - 2)
	var x Index[int]
	var refs []Ref[int]
	for range 4 {
		r := x.New()
		*x.At(r) = 1
		for _, old := range refs {
			if x.Has(old) {
				t.Fatalf("%x passes for %x", old.id, r.id)
			}
		}
		refs = append(refs, r)
		x.Reset()
	}
}

func TestIndexOfOddSizes(t *testing.T) {
	testIndexOf[struct{}](t)
	testIndexOf[byte](t)
	testIndexOf[[3]byte](t)
	testIndexOf[[5]uint64](t)
	testIndexOf[[100]string](t)
	testIndexOf[[100_000]byte](t)
}

func testIndexOf[T comparable](t *testing.T) {
	var x Index[T]
	var zero T
	for range 2 {
		at := map[*T]bool{}
		for range 300 {
			r := x.New()
			p := x.At(r)
			if *p != zero || x.At(r) != p {
				t.Fatalf("%T: not zero, or moved", zero)
			}
			at[p] = true
		}
		if unsafe.Sizeof(zero) > 0 && len(at) != 300 {
			t.Errorf("%T: 300 references find %d values", zero, len(at))
		}
		clear(at)
		x.Reset()
	}
}

func TestIndexNoAllocationInSteadyState(t *testing.T) {
	if checking {
		t.Skip("the checking build gives up memory at each Reset")
	}
	var x Index[pair]
	round := func() {
		for range 10_000 {
			x.New()
		}
		x.Reset()
	}
	round()
	if n := testing.AllocsPerRun(20, round); n != 0 {
		t.Errorf("%v heap allocations a round", n)
	}
}

// The table of blocks counts as memory held, and goes with the blocks.
func TestIndexTableCountsAndGoes(t *testing.T) {
	if checking {
		t.Skip("the checking build has a slot more in each chunk, and keeps no memory")
	}
	type wide [33]uint64 // 264 bytes, each a block of its own
	const values = 100_000
	var x Index[wide]
	fill := func() {
		for range values {
			x.New()
		}
	}
	before := heapAfter()
	alive := func() int { return int(heapAfter()) - int(before) }
	fill()
	const table = values * int(unsafe.Sizeof(&x))
	held, slab := x.Stats().HeldBytes, x.slab.Stats().HeldBytes
	if real := alive(); held < slab+table || held < real-real/50 || held > real+real/50 {
		t.Errorf("%d bytes are held, %d of them by the values' chunks, %d are alive", held, slab, real)
	}
	x.Reset()
	for _, most := range []int{held / 2, held / 40, 0} {
		x.Trim(most)
		if got := x.Stats().HeldBytes; got > most || got < most-3*maxChunkBytes {
			t.Errorf("%d bytes are held after a Trim to %d", got, most)
		}
	}
	fill()
	x.Release()
	if real := alive(); x.Stats().HeldBytes != 0 || real > table/2 {
		t.Errorf("%d bytes are held after Release, %d are alive", x.Stats().HeldBytes, real)
	}
	runtime.KeepAlive(&x)
}

// An Index that is full stays as it is: each New panics and takes no memory, and Reset makes it usable
// again.
func TestFullIndex(t *testing.T) {
	testFullIndex[struct{}](t)
	testFullIndex[int](t)
}

func testFullIndex[T comparable](t *testing.T) {
	var x Index[T]
	x.New()
	x.slab.total = int(maxSlots - 10) // as if the chunks before were there: to fill them takes minutes
	x.slots = uint64(x.slab.total)
	var last Ref[T]
	for x.last != x.end {
		last = x.New()
	}
	x.settle()
	before := x.Stats()
	for range 3 {
		mustPanic(t, "is full", func() { x.New() })
	}
	if after := x.Stats(); after != before || !x.Has(last) {
		t.Errorf("%T: %+v, before it was full %+v", *new(T), after, before)
	}
	x.Reset()
	r := x.New()
	if x.Has(last) || *x.At(r) != *new(T) || x.Len() != 1 {
		t.Errorf("%T: after a Reset, Len is %d", *new(T), x.Len())
	}
	x.Release()
}
