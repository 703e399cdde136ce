// SPDX-License-Identifier: MIT

package toft

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"time"
	"weak"
)

// An Escape tells that something still points to memory of a type after a Reset.
type Escape struct {
	Type   reflect.Type
	Chunks int // how many of the chunks are still reachable
}

// String names the type and the number of chunks.
func (e Escape) String() string {
	return fmt.Sprintf("toft: %d chunk(s) of %v are still referenced after Reset or Rewind", e.Chunks, e.Type)
}

// Escapes resets the arena and finds out whether anything outside still points into it: it lets go
// of all chunks, holding only weak pointers, runs a collection, and reports the types whose chunks
// survive. That takes a full collection, milliseconds at least, and a quarter of a second before
// something is reported: it is for tests. Package tofttest calls it.
//
// A pointer that is gone before that quarter of a second is over isn't reported; go test -race finds it
// if another goroutine uses it. To find what holds a pointer, set what may hold one to nil before the
// Reset, one after the other, until nothing is reported.
//
// In a deferred function, while the goroutine panics or ends by runtime.Goexit, what it reports may be
// pointers of the functions that were left so; the checking build reports nothing then.
//
// Other goroutines may run meanwhile. A false report is possible only if one of them computes in one
// and the same function, without a call, at each of nine looks. Under GODEBUG=asyncpreemptoff=1 there
// are no false reports.
//
// Under Drop a value that is still referenced keeps what it and its chunk's other values point to:
// those types are reported as well.
func (a *Arena) Escapes() []Escape {
	if a == nil {
		return nil
	}
	a.checkInUse()
	found := escapes(a.slabs, atStart)
	a.reset()
	return found
}

// EscapesSince is to Rewind what Escapes is to Reset: it rewinds to m, and finds out whether anything
// outside still points to what came after. That is told apart from what came before only by its
// chunk, which the checking build (-tags toftcheck) begins anew at each Save. Without it, only chunks
// begun since the mark are looked at.
func (a *Arena) EscapesSince(m Mark) []Escape {
	if a == nil && m.arena == nil {
		return nil
	}
	was := a.saveOf(m)
	found := escapes(a.used, func(slab int) position { return a.positionOf(was, slab) })
	a.useUp(m)
	return found
}

// Escapes is like Arena.Escapes.
func (s *Slab[T]) Escapes() []Escape {
	s.standsAlone("Escapes")
	return escapes([]member{s}, atStart)
}

// atStart is the position of each slab before anything was handed out.
func atStart(slab int) position { return position{} }

// escapes rewinds the slabs, each to its position, lets go of all chunks that this frees, and tells
// which ones something else keeps.
//
// The collector may see a pointer where there is none. If a goroutine stands at a call, as this one
// does and all that wait do, the collector knows which of its variables are still needed. But it
// stops a running goroutine anywhere. Then every word in the frame of its current function that looks
// like a pointer counts as one: a number may, or a variable that is no longer needed and whose target
// has become part of a chunk. So what seems to escape is looked at again, with longer and longer
// pauses, in which such goroutines move on. A false report is possible only if each look finds a
// goroutine in the midst of the same function, with such a word in its frame. Under
// GODEBUG=asyncpreemptoff=1 goroutines are stopped at calls only, so that there is none. And no chunk
// lies in one block with values of others; see smallestOwnBlock. The price is that a pointer which is
// kept for a short time only is missed. To report at the first look would be wrong even without such
// goroutines: what lies in a sync.Pool, or has a finalizer, goes at a later collection.
func escapes(slabs []member, to func(slab int) position) (found []Escape) {
	survivors := make([]func() int, len(slabs))
	for i, s := range slabs {
		survivors[i] = s.detach(to(i))
	}
	for wait := firstPause; ; wait *= 2 {
		runtime.GC()
		found = found[:0]
		for i, count := range survivors {
			if n := count(); n > 0 {
				found = append(found, Escape{slabs[i].elem(), n})
			}
		}
		if len(found) == 0 {
			return nil
		}
		if 2*wait > maxPatience {
			return found
		}
		pause(wait)
	}
}

const (
	firstPause  = time.Millisecond
	maxPatience = 256 * time.Millisecond // all the pauses together, nearly
)

var pause = time.Sleep // but in tests

// detach rewinds the slab, lets go of all memory that holds nothing then, and returns a function that
// counts the chunks begun since that position which something else keeps.
func (s *Slab[T]) detach(to position) (survivors func() int) {
	var chunks []weak.Pointer[T]
	if sizeOf[T]() > 0 {
		first := to.used
		if first > 0 { // a chunk that began as a rest has values from before
			first = max(first, s.begun)
		}
		for _, c := range append(s.chunks[first:s.used:s.used], s.big.list[to.bigUsed:]...) {
			chunks = append(chunks, weak.Make(&c[0]))
		}
	}
	if to == (position{}) {
		s.release()
	} else {
		s.rewind(to)
		s.Trim(0)
	}
	return func() (n int) {
		for _, c := range chunks {
			if c.Value() != nil {
				n++
			}
		}
		return n
	}
}

// panicOnEscapes is what Reset does in the checking build. While the goroutine panics, or ends by
// runtime.Goexit, the functions that it has left so still have their variables, as the collector sees
// it: what a deferred Reset or Rewind finds then says nothing.
func panicOnEscapes(found []Escape) {
	if len(found) == 0 || isUnwinding() {
		return
	}
	lines := make([]string, len(found))
	for i, e := range found {
		lines[i] = e.String()
	}
	panic(strings.Join(lines, "\n"))
}

// isUnwinding tells whether deferred functions run because of a panic or of runtime.Goexit.
func isUnwinding() bool {
	pcs := make([]uintptr, 64)
	for len(pcs) == runtime.Callers(1, pcs) {
		pcs = make([]uintptr, 2*len(pcs))
	}
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	for {
		frame, more := frames.Next()
		if frame.Function == "runtime.gopanic" || frame.Function == "runtime.Goexit" {
			return true
		}
		if !more {
			return false
		}
	}
}
