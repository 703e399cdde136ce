// SPDX-License-Identifier: MIT

package toft

import (
	"fmt"
	"reflect"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

var outside any

func TestEscapesAreFound(t *testing.T) {
	for _, policy := range []Policy{Reuse, Drop} {
		a := Arena{Policy: policy}
		for range 5000 {
			New[pair](&a).left = New[pair](&a)
			New[int](&a)
		}
		big := Make[byte](&a, 100_000, 100_000)
		outside = New[pair](&a)
		found := a.Escapes()
		if len(found) != 1 || found[0].Type != reflect.TypeFor[pair]() {
			t.Errorf("%v: found %v", policy, found)
		}
		if policy == Reuse && found[0].Chunks != 1 {
			t.Errorf("one pointer holds %d chunks", found[0].Chunks)
		}
		outside = nil
		if found := a.Escapes(); found != nil {
			t.Errorf("%v: a second look finds %v", policy, found)
		}
		_ = big
	}
}

func TestEscapesOfSlices(t *testing.T) {
	var s Slab[int]
	outside = s.Make(100_000)[5:6]
	found := s.Escapes()
	if fmt.Sprint(found) != "[toft: 1 chunk(s) of int are still referenced after Reset or Rewind]" {
		t.Errorf("found %v", found)
	}
	outside = nil
	var x Index[pair]
	r := x.New()
	outside = x.At(r)
	if found := x.Escapes(); len(found) != 1 || x.Has(r) {
		t.Errorf("found %v", found)
	}
	outside = nil
}

func TestNothingEscapes(t *testing.T) {
	var a Arena
	text := String(&a, []byte("strings may stay"))
	New[pair](&a).left = New[pair](&a)
	New[struct{}](&a)
	if found := a.Escapes(); found != nil {
		t.Errorf("found %v", found)
	}
	if New[pair](&a).left != nil {
		t.Error("no zero value after the look")
	}
	var x Index[pair]
	for range 1000 {
		x.At(x.New()).left = new(pair)
	}
	if found := x.Escapes(); found != nil {
		t.Errorf("found %v", found)
	}
	runtime.KeepAlive(text)
}

// The runtime puts small values without pointers together in one block. A chunk is never in it, so
// that another's value there doesn't keep it: not under Drop, whose first chunk is as large as was
// needed before, and not where a limit leaves little room.
func TestOthersSmallValuesAreNoEscapes(t *testing.T) {
	var others []*bool
	alternate := func(a *Arena, n int) {
		for range n {
			New[bool](a)
			others = append(others, new(bool))
		}
	}
	dropping := Arena{Policy: Drop}
	for range 3 {
		alternate(&dropping, 1)
		if found := dropping.Escapes(); found != nil {
			t.Errorf("under Drop: %v", found)
		}
		alternate(&dropping, 1)
		dropping.Reset()
	}
	for limit := smallestOwnBlock; limit < 40; limit++ {
		limited := Arena{LimitBytes: limit}
		alternate(&limited, smallestOwnBlock)
		if found := limited.Escapes(); found != nil {
			t.Errorf("under a limit of %d: %v", limit, found)
		}
	}
	runtime.KeepAlive(others)
}

// A goroutine that is stopped in the midst of computing shows the collector everything that looks
// like a pointer; it gets the time to move on. This one does so in the first pause.
func TestNumbersAreNoEscapes(t *testing.T) {
	var s Slab[pair]
	address := uintptr(unsafe.Pointer(s.New()))
	var enough atomic.Bool
	sum := make(chan uintptr)
	go func() {
		n := address
		for !enough.Load() { // without a call
			n = n*3 ^ address
		}
		sum <- n
	}()
	defer func() { pause = time.Sleep }()
	pause = func(time.Duration) {
		if !enough.Swap(true) {
			<-sum
		}
	}
	found := s.Escapes()
	if !enough.Swap(true) { // the collector looked at a moment when the number was nowhere
		<-sum
	}
	if found != nil {
		t.Errorf("a number was taken for a pointer: %v", found)
	}
}

// In the checking build every Reset and Rewind looks.
func TestCheckingBuild(t *testing.T) {
	var a Arena
	var s Slab[pair]
	var x Index[int]
	if !checking {
		outside = New[pair](&a)
		a.Reset()
		outside = nil
		return
	}
	outside = New[pair](&a)
	mustPanic(t, "toft.pair are still referenced", a.Reset)
	outside = s.New()
	mustPanic(t, "toft.pair are still referenced", s.Reset)
	outside = x.At(x.New())
	mustPanic(t, "int are still referenced", x.Reset)
	before := New[pair](&a) // may be kept across the Rewind
	m := a.Save()
	outside = New[pair](&a)
	mustPanic(t, "toft.pair are still referenced", func() { a.Rewind(m) })
	m = a.Save()
	outside = Make[byte](&a, 50_000, 50_000)[5:6]
	mustPanic(t, "uint8 are still referenced", func() { a.Rewind(m) })
	m = a.Save()
	New[pair](&a)
	New[int](&a)
	a.Rewind(m)
	if before.left = before; a.Len() != 1 {
		t.Errorf("%d values after Rewind", a.Len())
	}
	before, outside = nil, nil
	for range 3 {
		New[pair](&a)
		a.Reset()
	}
}

type wide struct {
	left, right *wide
	_           [240]byte
}

func buildWide(a *Arena, depth int) *wide {
	n := New[wide](a)
	if depth > 0 {
		n.left = buildWide(a, depth-1) // in whose panic n is still a variable of this call
		n.right = buildWide(a, depth-1)
	}
	return n
}

// What the functions that a panic leaves have in their variables is no escape.
func TestRewindWhilePanicking(t *testing.T) {
	a := Arena{LimitBytes: 100_000}
	parse := func() (err error) {
		defer CatchLimit(&err)
		defer a.Rewind(a.Save())
		buildWide(&a, 20)
		return nil
	}
	for range 2 {
		if err := parse(); err == nil || a.Len() != 0 {
			t.Errorf("error %v, %d values", err, a.Len())
		}
	}
}

func TestResetWhileGoroutineEnds(t *testing.T) {
	var a Arena
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer a.Reset()
		p := New[pair](&a)
		func() { runtime.Goexit() }()
		runtime.KeepAlive(p)
	}()
	<-done
	if a.Len() != 0 {
		t.Errorf("%d values", a.Len())
	}
}
