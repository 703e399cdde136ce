// SPDX-License-Identifier: MIT

package toft

import (
	"fmt"
	"reflect"
)

// A LimitError is what an allocation panics with that would take an arena beyond its LimitBytes.
// CatchLimit makes it an ordinary error.
type LimitError struct {
	Type       reflect.Type // whose memory was asked for; string's for text
	WantBytes  int          // size of the block that doesn't fit, or the largest int if no memory can be so large
	HeldBytes  int          // what the arena holds already, apart from memory kept for reuse
	LimitBytes int
}

// Error says how much memory was asked for, and what for.
func (e *LimitError) Error() string {
	return fmt.Sprintf("toft: the arena holds %d bytes of its limit of %d; %d more for %v don't fit",
		e.HeldBytes, e.LimitBytes, e.WantBytes, e.Type)
}

// CatchLimit, deferred, turns a panic with a *LimitError into an error, and lets any other pass:
//
//	func parse(a *toft.Arena, text []byte) (doc *Document, err error) {
//		defer toft.CatchLimit(&err)
//		return read(a, text), nil // as any code that may allocate too much
//	}
//
// It must be deferred itself: called by a deferred function, it catches nothing, as with recover. To
// add words to the error, do so where parse is called.
func CatchLimit(err *error) {
	switch r := recover().(type) {
	case nil:
	case *LimitError:
		*err = r
	default:
		panic(r)
	}
}

// fits tells whether the arena may hold so many bytes more.
func (a *Arena) fits(bytes int) bool { return a.LimitBytes <= 0 || bytes <= a.LimitBytes-a.held }

// mayFit tells whether so many bytes more fit, once memory that is only kept for reuse is given back.
func (a *Arena) mayFit(bytes int) bool {
	return a.fits(bytes) || bytes <= a.LimitBytes-a.neededBytes()
}

// neededBytes are those of the memory that isn't only kept for reuse.
func (a *Arena) neededBytes() int {
	idle := a.text.idleBytes()
	for _, s := range a.slabs {
		idle += s.idleBytes()
	}
	return a.held - idle
}

// makeRoom gives back memory that is only kept for reuse, if so many bytes don't fit without. If
// they don't fit then either, it panics, and has given back nothing.
func (a *Arena) makeRoom(bytes int, t reflect.Type) {
	if a.fits(bytes) {
		return
	}
	if !a.mayFit(bytes) {
		panic(a.limitError(bytes, t))
	}
	a.text.trim()
	for _, s := range a.slabs {
		s.Trim(0)
	}
}

// shareOfRest is the size of a chunk where the limit leaves too little room for the wanted one: half
// of the room, so that other types find some as well, and at least the smallest chunk if that fits.
// So a few chunks fill the arena up to its limit, and what a slab keeps about each chunk takes
// little memory beside them.
func (a *Arena) shareOfRest() int {
	rest := a.LimitBytes - a.held
	return max(rest/2, min(rest, minChunkBytes))
}

func (a *Arena) limitError(bytes int, t reflect.Type) *LimitError {
	return &LimitError{Type: t, WantBytes: bytes, HeldBytes: a.neededBytes(), LimitBytes: a.LimitBytes}
}

// refuse panics because of a length that no memory can hold. In an arena with a limit that is a
// request beyond the limit, like any other: lengths often come from input. The arena may be nil.
func (a *Arena) refuse(t reflect.Type, why string) {
	if a != nil && a.LimitBytes > 0 {
		panic(a.limitError(maxBytes, t))
	}
	panic("toft: " + why)
}
