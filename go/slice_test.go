// SPDX-License-Identifier: MIT

package toft

import (
	"fmt"
	"iter"
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

// What Collect puts on the heap is what it knows of a list that grows, and the function that it gives to seq.
func TestCollectAllocatesTwice(t *testing.T) {
	var a Arena
	numbers := slices.Values([]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
	if n := testing.AllocsPerRun(100, func() { Collect(&a, numbers); a.reset() }); n > 2 {
		t.Errorf("%v allocations for 10 numbers", n)
	}
}

// What appends to a list while the next element of it is made, as a parser's functions do.
type reader struct {
	arena *Arena
	list  []int
	depth int
}

func (r *reader) read() int {
	r.depth++
	depth := r.depth
	if depth < 4 {
		r.list = Append(r.arena, r.list, r.read())
	}
	return depth
}

// As with the built-in, the element is evaluated first, and may itself append to the list.
func TestAppendOfWhatAppends(t *testing.T) {
	for _, a := range []*Arena{nil, new(Arena)} {
		r := reader{arena: a}
		if r.read(); !slices.Equal(r.list, []int{4, 3, 2}) {
			t.Errorf("%v", r.list)
		}
	}
}

// A seq that frees its own temporaries doesn't free what was collected of it.
func TestCollectFromWhatRewinds(t *testing.T) {
	const n = 1000
	temporary := func(a *Arena) {
		for i := range Make[int](a, 3, 3) {
			New[int](a)
			Make[int](a, i, i)
		}
	}
	seqs := map[string]func(a *Arena) iter.Seq[int]{
		"at its end": func(a *Arena) iter.Seq[int] {
			return func(yield func(int) bool) {
				defer a.Rewind(a.Save())
				temporary(a)
				for i := 0; i < n && yield(i); i++ {
				}
			}
		},
		"after each value": func(a *Arena) iter.Seq[int] {
			return func(yield func(int) bool) {
				for i, more := 0, true; i < n && more; i++ {
					m := a.Save()
					temporary(a)
					more = yield(i)
					a.Rewind(m)
				}
			}
		},
		"before some values": func(a *Arena) iter.Seq[int] {
			return func(yield func(int) bool) {
				for i, more := 0, true; i < n && more; i++ {
					m := a.Save()
					temporary(a)
					if i%100 < 50 {
						a.Rewind(m)
					}
					if more = yield(i); i%100 >= 50 {
						a.Rewind(m)
					}
				}
			}
		},
		"to one mark again and again": func(a *Arena) iter.Seq[int] {
			m := a.Save()
			return func(yield func(int) bool) {
				for i, more := 0, true; i < n && more; i++ {
					a.Rewind(m)
					m = a.Save()
					temporary(a)
					more = yield(i)
				}
			}
		},
	}
	for name, seq := range seqs {
		var a Arena
		New[int](&a)
		a.Save()
		got := Collect(&a, seq(&a))
		next := Make[int](&a, 2*n, 2*n) // which takes what was freed
		for i := range next {
			next[i] = -1
		}
		for i, v := range got {
			if v != i {
				t.Errorf("%s: number %d is %d", name, i, v)
				break
			}
		}
		if len(got) != n || a.Len() < 3*n {
			t.Errorf("%s: %d numbers, %d values in the arena", name, len(got), a.Len())
		}
	}
}

// The limit counts for what is collected outside the arena as well.
func TestLimitOnCollectFromWhatRewinds(t *testing.T) {
	a := Arena{LimitBytes: 100_000}
	count := 0
	mustPanic(t, "toft: the arena holds", func() {
		Collect(&a, func(yield func(int) bool) {
			defer a.Rewind(a.Save())
			for count < 1_000_000 && yield(count) {
				count++
			}
		})
	})
	if count > 50_000 {
		t.Errorf("%d numbers below a limit of %d bytes", count, a.LimitBytes)
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
