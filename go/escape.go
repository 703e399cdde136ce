// SPDX-License-Identifier: MIT

package toft

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"weak"
)

// An Escape tells that something still points to memory of a type after a Reset.
type Escape struct {
	Type   reflect.Type
	Chunks int // how many of the chunks are still reachable
}

func (e Escape) String() string {
	return fmt.Sprintf("toft: %d chunk(s) of %v are still referenced after Reset", e.Chunks, e.Type)
}

// Escapes resets the arena and finds out whether anything outside still points into it: it lets go
// of all chunks, holding only weak pointers, runs a collection, and reports the types whose chunks
// survive. That takes a full collection, milliseconds at least: it is for tests. Package tofttest
// calls it.
//
// Under Drop a value that is still referenced keeps what it and its chunk's other values point to:
// those types are reported as well.
func (a *Arena) Escapes() []Escape {
	found := escapes(a.slabs)
	a.reset()
	return found
}

// Escapes is like Arena.Escapes.
func (s *Slab[T]) Escapes() []Escape { return escapes([]member{s}) }

func escapes(slabs []member) (found []Escape) {
	survivors := make([]func() int, len(slabs))
	for i, s := range slabs {
		survivors[i] = s.detach()
	}
	runtime.GC()
	for i, count := range survivors {
		if n := count(); n > 0 {
			found = append(found, Escape{slabs[i].elem(), n})
		}
	}
	return found
}

// detach releases the slab and returns a function that counts the chunks which something else
// keeps.
func (s *Slab[T]) detach() (survivors func() int) {
	var chunks []weak.Pointer[T]
	if sizeOf[T]() > 0 {
		for _, c := range append(s.chunks[:s.used:s.used], s.big.list[:s.big.used]...) {
			chunks = append(chunks, weak.Make(&c[0]))
		}
	}
	s.release()
	return func() (n int) {
		for _, c := range chunks {
			if c.Value() != nil {
				n++
			}
		}
		return n
	}
}

// panicOnEscapes is what Reset does in the checking build.
func panicOnEscapes(found []Escape) {
	if len(found) == 0 {
		return
	}
	lines := make([]string, len(found))
	for i, e := range found {
		lines[i] = e.String()
	}
	panic(strings.Join(lines, "\n"))
}
