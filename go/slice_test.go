// SPDX-License-Identifier: MIT

package toft

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

type (
	words []string
	shape interface{ area() int }
	box   struct{ w, h int }
)

func (w words) join() string { return strings.Join(w, "") }

func (b *box) area() int { return b.w * b.h }

// Types are inferred as the built-ins infer them, of named slices and of interfaces as well.
func TestTypesAreInferred(t *testing.T) {
	for _, a := range []*Arena{nil, new(Arena)} {
		var list words
		list = Append(a, list, "a", "b")
		list = Append(a, list, words{"c"}...)
		if fresh := Append(a, nil, "a"); fresh[0] != "a" {
			t.Errorf("%v", fresh)
		}
		list = Grow(a, list, 10)
		list = AppendSeq(a, Clone(a, list), slices.Values([]string{"d", "e"}))
		if list.join() != "abcde" {
			t.Errorf("%v", list)
		}
		var shapes []shape
		shapes = append(Grow(a, shapes, 1), Put(a, box{2, 3}))
		shapes = Append[shape](a, shapes, &box{4, 5}, nil)
		if len(shapes) != 3 || shapes[0].area()+shapes[1].area() != 26 {
			t.Errorf("%v", shapes)
		}
		var err []error
		err = Append(a, err, fmt.Errorf("an error"))
		if len(err) != 1 || err[0] == nil {
			t.Errorf("%v", err)
		}
	}
}

func TestPut(t *testing.T) {
	var a Arena
	var s Slab[box]
	for i := range 1000 {
		if p, q := Put(&a, box{i, 1}), s.Put(box{1, i}); p.w != i || q.h != i || p.area() != q.area() {
			t.Fatalf("%v %v", *p, *q)
		}
	}
	if p := Put(nil, box{2, 2}); p.area() != 4 || a.Len() != 1000 {
		t.Errorf("%v, %d values", *p, a.Len())
	}
}

// Where the built-in moves a slice that isn't full because its capacity is too small, so do Append and Grow:
// what lies behind the slice's length is someone else's.
func TestPartsDontGrowOverTheWhole(t *testing.T) {
	for _, a := range []*Arena{nil, new(Arena)} {
		path := Append(a, Make[int](a, 0, 4), 1, 2, 3, 4)
		if longer := Append(a, path[:2], 7, 8, 9); !slices.Equal(longer, []int{1, 2, 7, 8, 9}) {
			t.Errorf("%v", longer)
		}
		if longer := append(Grow(a, path[:3], 2), 5, 6); !slices.Equal(longer, []int{1, 2, 3, 5, 6}) {
			t.Errorf("%v", longer)
		}
		sorted := append(Clone(a, path[:2:2]), 0)
		slices.Sort(sorted)
		if !slices.Equal(path, []int{1, 2, 3, 4}) {
			t.Errorf("with arena %v, the whole became %v", a != nil, path)
		}
	}
}

func TestCollect(t *testing.T) {
	var a Arena
	numbers := Collect(&a, func(yield func(int) bool) {
		for i := range 1000 {
			if !yield(i) {
				return
			}
		}
	})
	for i, n := range numbers {
		if n != i {
			t.Fatalf("number %d is %d", i, n)
		}
	}
	if len(numbers) != 1000 || Collect(&a, maps.Keys(map[int]int{})) != nil {
		t.Errorf("%d numbers", len(numbers))
	}
}

// Lengths that no slice can have are refused before memory is taken, with and without an arena.
func TestMakeRefusesLengths(t *testing.T) {
	var plain Arena
	limited := Arena{LimitBytes: 1 << 20}
	for _, a := range []*Arena{nil, &plain, &limited} {
		for range 2 { // the first time, the arena has no slab of the type
			mustPanic(t, "toft: a slice of length 5 with capacity 3", func() { Make[int](a, 5, 3) })
			mustPanic(t, "toft: a slice of length 0 with capacity -1", func() { Make[int](a, 0, -1) })
			mustPanic(t, "toft: a slice of negative length -5", func() { Make[int](a, -5, 3) })
			mustPanic(t, "toft: a slice of negative length -1", func() { Make[int](a, -1, -1) })
			mustPanic(t, "toft: a slice of length", func() { Make[byte](a, 70_000, 60_000) })
			if a.Len() != 0 || a.Stats().HeldBytes != 0 {
				t.Errorf("%+v after slices that were refused", a.Stats())
			}
			SlabOf[int](a)
		}
	}
}
