// SPDX-License-Identifier: MIT

package toft

import (
	"math"
	"reflect"
	"runtime"
	"testing"
	"unsafe"
)

func TestArenaMixesTypes(t *testing.T) {
	var a Arena
	for range 3 {
		n := New[int](&a)
		f := New[float64](&a) // of the same size, so of the same place
		p := New[pair](&a)
		s := Make[string](&a, 2, 5)
		*n, *f, p.left = 1, 2, p
		s = Append(&a, s, "x", "y")
		if *New[int](&a) != 0 || *New[float64](&a) != 0 || New[pair](&a).left != nil {
			t.Fatal("a new value isn't zero")
		}
		if *n != 1 || *f != 2 || p.left != p || len(s) != 4 || cap(s) != 5 || s[3] != "y" {
			t.Fatalf("%v %v %v %v", *n, *f, p, s)
		}
		if got := a.Len(); got != 6+5 {
			t.Fatalf("Len is %d", got)
		}
		n, f, p, s = nil, nil, nil, nil
		a.Reset()
	}
}

func TestNilArena(t *testing.T) {
	var a *Arena
	*New[int](a) = 1
	s := Append(a, Make[int](a, 1, 1), 2, 3)
	c := Clone(a, s)
	if len(Grow(a, s, 100)) != 3 || len(c) != 3 || c[2] != 3 {
		t.Errorf("%v %v", s, c)
	}
	if String(a, []byte("x"))+Sprintf(a, "%d", 7) != "x7" {
		t.Error("strings without an arena")
	}
}

// The methods of a nil arena have nothing to do, and what its handles make is as ordinary values are.
func TestMethodsOfNilArena(t *testing.T) {
	var a *Arena
	func() {
		defer a.Rewind(a.Save())
		h := SlabOf[int](a)
		*h.New() = 1
		list := h.Append(h.Make(2), 3, 4)
		long := h.Make(10_000)
		if *h.New() != 0 || len(list) != 4 || list[3] != 4 || len(h.Clone(long)) != 10_000 {
			t.Errorf("%v", list)
		}
		h.Reset()
		if list[3] != 4 || h.Len() != 0 || h.Stats() != (Stats{}) {
			t.Errorf("%v, %+v", list, h.Stats())
		}
	}()
	s := a.Strings()
	s.WriteString("text")
	if s.End() != "text" || s.Copy([]byte("x"))+s.Concat("y", "z") != "xyz" {
		t.Error("strings of a nil arena")
	}
	a.Reset()
	a.Release()
	a.Trim(0)
	for typ := range a.Types() {
		t.Errorf("a nil arena has %v", typ)
	}
	if a.Len() != 0 || a.Stats() != (Stats{}) || a.Escapes() != nil || a.EscapesSince(a.Save()) != nil {
		t.Errorf("%+v", a.Stats())
	}
	var b Arena
	mustPanic(t, "another arena", func() { a.Rewind(b.Save()) })
	mustPanic(t, "another arena", func() { a.EscapesSince(b.Save()) })
	mustPanic(t, "another arena", func() { b.Rewind(a.Save()) })
}

// What is made without an arena pins nothing beside it.
func TestNilArenaPinsNothing(t *testing.T) {
	var a *Arena
	const n = 10_000
	strings, numbers := make([]string, n), make([]*[2]uint64, n)
	before := heapAfter()
	h, s := SlabOf[[2]uint64](a), a.Strings()
	for i := range n {
		for range 20 {
			h.New()
		}
		numbers[i] = h.New()
		strings[i] = Sprintf(a, "item %d", i)
		s.Copy(make([]byte, 100))
	}
	if held := int(heapAfter()) - int(before); held > 3*n*16 {
		t.Errorf("%d bytes are alive for each number of 16 bytes and its string", held/n)
	}
	runtime.KeepAlive(h)
	runtime.KeepAlive(s)
	runtime.KeepAlive(strings)
	runtime.KeepAlive(numbers)
}

// Many types, with sizes that clash, find their own slabs, and as few of those as there are types.
func TestManyTypes(t *testing.T) {
	var a Arena
	for range 3 {
		useTypes[int8](&a)
		useTypes[uint8](&a)
		useTypes[int64](&a)
		useTypes[uint64](&a)
		useTypes[float64](&a)
		useTypes[*int](&a)
		useTypes[string](&a)
	}
	types := map[reflect.Type]bool{}
	for typ, st := range a.Types() {
		if types[typ] || st.Objects != 3 {
			t.Errorf("%v: twice, or %d objects", typ, st.Objects)
		}
		types[typ] = true
	}
	if len(types) != 7*6 {
		t.Errorf("%d types", len(types))
	}
}

func useTypes[T comparable](a *Arena) {
	New[[1]T](a)
	New[[2]T](a)
	New[struct{ x, y T }](a)
	New[struct{ p *T }](a)
	New[[]T](a)
	New[map[T]T](a)
}

func TestHandle(t *testing.T) {
	var a Arena
	h := SlabOf[pair](&a)
	h.New().left = New[pair](&a)
	if h != SlabOf[pair](&a) || h.Len() != 2 {
		t.Error("the handle isn't the arena's slab")
	}
	mustPanic(t, "call the Arena's Reset", h.Reset)
	mustPanic(t, "call the Arena's Release", h.Release)
	a.Reset()
	if h.New().left != nil || a.Len() != 1 {
		t.Error("the handle after a Reset")
	}
}

func TestSaveAndRewind(t *testing.T) {
	for _, policy := range []Policy{Reuse, Drop} {
		a := Arena{Policy: policy}
		keep := New[int](&a)
		*keep = 1
		list := Make[int](&a, 3, 3)
		for round := range 50 {
			func() {
				defer a.Rewind(a.Save())
				list := list
				for i := range 500 * round % 7000 {
					if p := New[int](&a); *p != 0 {
						t.Fatalf("%v: New gave %d", policy, *p)
					} else {
						*p = -1
					}
					list = Append(&a, list, i)
					New[pair](&a).left = &pair{}
				}
				for _, v := range Make[byte](&a, 30_000, 30_000) {
					if v != 0 {
						t.Fatal("a big slice isn't zero")
					}
				}
			}()
			if a.Len() != 4 || *keep != 1 {
				t.Fatalf("%v, round %d: %d values, the kept one %d", policy, round, a.Len(), *keep)
			}
		}
		for _, v := range list {
			if v != 0 {
				t.Errorf("%v: the list became %v", policy, list)
			}
		}
		if held := a.Stats().HeldBytes; held > 2<<20 {
			t.Errorf("%v: holds %d bytes", policy, held)
		}
	}
}

func TestMarksNestAndExpire(t *testing.T) {
	var a, b Arena
	outer := a.Save()
	New[int](&a)
	inner := a.Save()
	New[int](&a)
	a.Rewind(inner)
	if a.Len() != 1 {
		t.Errorf("%d values after the inner Rewind", a.Len())
	}
	mustPanic(t, "used up", func() { a.Rewind(inner) })
	a.Save()
	mustPanic(t, "used up", func() { a.Rewind(inner) })
	a.Rewind(outer)
	if a.Len() != 0 {
		t.Errorf("%d values after the outer Rewind", a.Len())
	}
	old := a.Save()
	a.Reset()
	a.Save()
	mustPanic(t, "used up", func() { a.Rewind(old) })
	mustPanic(t, "another arena", func() { b.Rewind(old) })
}

func TestReleaseForgetsEverything(t *testing.T) {
	a := Arena{LimitBytes: 1 << 20}
	New[pair](&a)
	Make[byte](&a, 100_000, 100_000)
	String(&a, []byte("text"))
	a.Release()
	if st := a.Stats(); st.HeldBytes != 0 || st.Objects != 0 || a.held != 0 {
		t.Errorf("after Release: %+v, %d counted", st, a.held)
	}
	if New[pair](&a).left != nil {
		t.Error("no zero value after Release")
	}
}

// Eight types of one size, which are more than an arena has places for at hand.
type (
	a1 struct{ n, kind int }
	a2 struct{ n, kind int }
	a3 struct{ n, kind int }
	a4 struct{ n, kind int }
	a5 struct{ n, kind int }
	a6 struct{ n, kind int }
	a7 struct{ n, kind int }
	a8 struct{ n, kind int }
)

// Each keeps its own slab, and New makes nothing of its own to find it.
func TestManyTypesOfOneSize(t *testing.T) {
	var a Arena
	round := func() {
		for i := range 50 {
			*New[a1](&a), *New[a2](&a) = a1{i, 1}, a2{i, 2}
			*New[a3](&a), *New[a4](&a) = a3{i, 3}, a4{i, 4}
		}
		a.reset()
	}
	round()
	for kind, st := range a.Types() {
		if st.HighWaterBytes != 50*2*int(unsafe.Sizeof(0)) {
			t.Errorf("%v: %+v", kind, st)
		}
	}
	if len(a.slabs) != 4 || SlabOf[a4](&a) != a.slabs[3] || SlabOf[a1](&a) != a.slabs[0] {
		t.Errorf("%d slabs for 4 types", len(a.slabs))
	}
	if n := testing.AllocsPerRun(10, round); n != 0 {
		t.Errorf("%v allocations in a round", n)
	}
}

// New looks for the third and further types of one size at one entry of the table. Two of them may have one
// entry in any table, but few have.
func TestMostTypesLieWhereNewLooks(t *testing.T) {
	var a Arena
	New[a1](&a)
	New[a2](&a)
	if a.table != nil {
		t.Error("there is a table for two types")
	}
	slabs := []any{SlabOf[a3](&a), SlabOf[a4](&a), SlabOf[a5](&a), SlabOf[a6](&a), SlabOf[a7](&a), SlabOf[a8](&a)}
	elsewhere := 0
	for _, s := range slabs {
		if a.table[a.entryOf(s)] != s {
			elsewhere++
		}
	}
	if elsewhere > 3 || len(a.table) > 32*len(slabs) {
		t.Errorf("%d of %d slabs lie elsewhere in a table of %d", elsewhere, len(slabs), len(a.table))
	}
}

// Slices of values that take no memory may have more elements than an int can count.
func TestCountlessEmptyValues(t *testing.T) {
	type nothing struct{}
	for _, policy := range []Policy{Reuse, Drop} {
		a := Arena{Policy: policy}
		New[struct{}](&a)
		New[nothing](&a)
		m := a.Save()
		for range 2 {
			Make[struct{}](&a, 0, math.MaxInt)
			if n := SlabOf[struct{}](&a).Len(); n != math.MaxInt || a.Len() != math.MaxInt {
				t.Errorf("%v: %d values of one type, %d of both", policy, n, a.Len())
			}
		}
		if a.Rewind(m); a.Len() != 2 {
			t.Errorf("%v: %d values after Rewind", policy, a.Len())
		}
		for range 2 {
			a.Reset()
			Make[struct{}](&a, math.MaxInt, math.MaxInt) // with no other value before it
			if st := a.Stats(); st.Objects != math.MaxInt || st.HeldBytes != 0 {
				t.Errorf("%v: %+v", policy, st)
			}
		}
		if a.Reset(); a.Len() != 0 {
			t.Errorf("%v: %d values after Reset", policy, a.Len())
		}
	}
}
