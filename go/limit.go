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
	WantBytes  int          // size of the block that doesn't fit
	HeldBytes  int          // what the arena holds already
	LimitBytes int
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("toft: the arena holds %d bytes of its limit of %d; %d more for %v don't fit",
		e.HeldBytes, e.LimitBytes, e.WantBytes, e.Type)
}

// CatchLimit, deferred, turns a panic with a *LimitError into an error, and lets any other pass:
//
//	func parse(a *toft.Arena, text []byte) (doc *Document, err error) {
//		defer toft.CatchLimit(&err)
func CatchLimit(err *error) {
	switch r := recover().(type) {
	case nil:
	case *LimitError:
		*err = r
	default:
		panic(r)
	}
}

// take counts bytes against the limit and reports whether they fit.
func (a *Arena) take(bytes int) bool {
	if a.LimitBytes > 0 && bytes > a.LimitBytes-a.held {
		return false
	}
	a.held += bytes
	return true
}

// takeOrPanic first gives back memory that is only kept for reuse.
func (a *Arena) takeOrPanic(bytes int, t reflect.Type) {
	if a.take(bytes) {
		return
	}
	for _, s := range a.slabs {
		s.trim()
	}
	if !a.take(bytes) {
		panic(&LimitError{Type: t, WantBytes: bytes, HeldBytes: a.held, LimitBytes: a.LimitBytes})
	}
}
