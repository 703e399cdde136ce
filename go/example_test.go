// SPDX-License-Identifier: MIT

package toft_test

import (
	"errors"
	"fmt"

	toft "github.com/toft-memory/toft/go"
)

type Node struct {
	Name     string
	Children []*Node
}

func Example() {
	var a toft.Arena
	for _, name := range []string{"oak", "elm"} {
		root := toft.New[Node](&a)
		root.Name = name
		for i := range 3 {
			leaf := toft.New[Node](&a)
			leaf.Name = toft.Sprintf(&a, "%s leaf %d", name, i)
			root.Children = toft.Append(&a, root.Children, leaf)
		}
		fmt.Println(root.Name, len(root.Children), root.Children[2].Name)
		a.Reset() // frees all of the tree; the next one takes its memory
	}
	// Output:
	// oak 3 oak leaf 2
	// elm 3 elm leaf 2
}

func ExampleSlab() {
	type point struct{ x, y int }
	var s toft.Slab[point]
	p := s.New()
	p.x = 3
	path := s.Make(2)
	path[1] = *p
	fmt.Println(path, s.Len())
	s.Reset()
	fmt.Println(s.Len(), *s.New())
	// Output:
	// [{0 0} {3 0}] 3
	// 0 {0 0}
}

func ExampleArena() {
	var a toft.Arena
	n := toft.New[int](&a)
	*n = 6
	words := toft.Append(&a, []string(nil), "six", "times")
	text := toft.Sprintf(&a, "%s %s %d", words[0], words[1], *n)
	a.Reset()
	fmt.Println(text) // strings stay good
	// Output: six times 6
}

func ExampleArena_Save() {
	var a toft.Arena
	longest := func(words ...string) (n int) {
		defer a.Rewind(a.Save()) // frees lengths at the end
		lengths := toft.Make[int](&a, 0, len(words))
		for _, w := range words {
			lengths = append(lengths, len(w))
			n = max(n, len(w))
		}
		return n
	}
	fmt.Println(longest("region", "arena", "slab"), a.Len())
	// Output: 6 0
}

func ExampleArena_Types() {
	var a toft.Arena
	toft.Make[byte](&a, 100, 100)
	toft.New[Node](&a)
	for t, stats := range a.Types() {
		fmt.Println(t, stats.Objects)
	}
	// Output:
	// uint8 100
	// toft_test.Node 1
}

func ExampleSlabOf() {
	var a toft.Arena
	nodes := toft.SlabOf[Node](&a) // once, before the hot loop
	var last *Node
	for range 1000 {
		n := nodes.New()
		if last != nil {
			n.Children = toft.Append(&a, n.Children, last)
		}
		last = n
	}
	fmt.Println(nodes.Len())
	// Output: 1000
}

func ExamplePut() {
	type node struct {
		value int
		next  *node
	}
	var a toft.Arena
	var list *node
	for value := range 3 {
		list = toft.Put(&a, node{value: value, next: list})
	}
	for n := list; n != nil; n = n.next {
		fmt.Print(n.value, " ")
	}
	a.Reset()
	// Output: 2 1 0
}

func ExampleAppend() {
	var a toft.Arena
	squares := toft.Make[int](&a, 0, 0)
	for i := range 5 {
		squares = toft.Append(&a, squares, i*i)
	}
	fmt.Println(squares)
	// Output: [0 1 4 9 16]
}

func ExampleMark() {
	var a toft.Arena
	toft.New[int](&a)
	m := a.Save()
	for range 100 {
		toft.New[int](&a)
	}
	a.Rewind(m) // frees the hundred
	fmt.Println(a.Len())
	// Output: 1
}

func ExampleStats() {
	var s toft.Slab[[16]byte]
	for range 10 {
		s.New()
	}
	s.Reset()
	s.New()
	now := s.Stats()
	fmt.Println(now.Objects, now.UsedBytes, now.HighWaterBytes)
	// Output: 1 16 160
}

func ExampleEscape() {
	var a toft.Arena
	cache := map[string]*Node{"oak": toft.New[Node](&a)} // the bug to be found
	for _, e := range a.Escapes() {
		fmt.Println(e.Type, e.Chunks)
	}
	clear(cache)
	// Output: toft_test.Node 1
}

func ExampleLimitError() {
	a := toft.Arena{LimitBytes: 1 << 20}
	read := func(length int) (text []byte, err error) {
		defer toft.CatchLimit(&err)
		return toft.Make[byte](&a, length, length), nil
	}
	_, err := read(2 << 20)
	var limit *toft.LimitError
	if errors.As(err, &limit) {
		fmt.Println("wanted", limit.WantBytes, "of", limit.LimitBytes)
	}
	// Output: wanted 2097152 of 1048576
}

func ExampleCatchLimit() {
	fill := func(a *toft.Arena) (err error) {
		defer toft.CatchLimit(&err)
		for {
			toft.New[Node](a)
		}
	}
	a := toft.Arena{LimitBytes: 10_000}
	err := fill(&a)
	limit := err.(*toft.LimitError)
	fmt.Println(limit.Type, "beyond", limit.LimitBytes)
	// Output: toft_test.Node beyond 10000
}

func ExamplePolicy() {
	s := toft.Slab[int]{Policy: toft.Drop}
	p := s.New()
	*p = 1
	s.Reset()
	*s.New() = 2
	fmt.Println(*p) // under Reuse this would be a bug, and might show 0 or 2
	// Output: 1
}

func ExampleIndex() {
	type person struct {
		name string
		boss toft.Ref[person]
	}
	var staff toft.Index[person]
	ada, bob := staff.New(), staff.New()
	staff.At(ada).name = "Ada"
	*staff.At(bob) = person{"Bob", ada}
	fmt.Println(staff.At(staff.At(bob).boss).name)

	staff.Reset()
	defer func() { fmt.Println(recover()) }()
	staff.At(ada)
	// Output:
	// Ada
	// toft: stale Ref[toft_test.person]: its Index was reset or released, and is empty
}

func ExampleRef() {
	var x toft.Index[int]
	var r toft.Ref[int]
	fmt.Println(r.IsZero(), x.Has(r))
	r = x.New()
	fmt.Println(r.IsZero(), x.Has(r))
	// Output:
	// true false
	// false true
}

func ExampleStaleError() {
	var x toft.Index[int]
	old := x.New()
	x.Reset()
	x.New()
	defer func() {
		stale := recover().(toft.StaleError[int])
		fmt.Println(stale.Ref == old, errors.Is(stale, toft.ErrStale))
	}()
	x.At(old)
	// Output: true true
}

func ExampleStrings() {
	var s toft.Strings
	a := s.Intern([]byte("category"))
	b := s.Intern([]byte("category")) // the same bytes in memory
	s.WriteString("in ")
	fmt.Fprintf(&s, "%v", []int{1, 2})
	built := s.End()
	s.Reset()
	fmt.Println(a == b, built, s.Concat(a, "/", built))
	// Output: true in [1 2] category/in [1 2]
}

func ExampleSprintf() {
	var a toft.Arena
	fmt.Println(toft.Sprintf(&a, "%s: %3d%%, %.1f", "load", 7, 0.25))
	// Output: load:   7%, 0.2
}

func ExamplePool() {
	pool := toft.Pool{MaxIdle: 8, LimitBytes: 16 << 20}
	for request := range 3 { // on any number of goroutines
		a := pool.Get()
		list := toft.Make[int](a, request, request)
		fmt.Println(len(list))
		pool.Put(a)
	}
	fmt.Println(pool.Stats().Made, "arena")
	// Output:
	// 0
	// 1
	// 2
	// 1 arena
}

func ExamplePoolStats() {
	var pool toft.Pool
	a, b := pool.Get(), pool.Get() // two requests at a time
	pool.Put(a)
	fmt.Println(pool.Stats().Idle, "idle of", pool.Stats().Made)
	pool.Put(b)
	// Output: 1 idle of 2
}
