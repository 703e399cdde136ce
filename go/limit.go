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

// makeRoom gives back memory that is only kept for reuse, if so many bytes don't fit without. If
// they don't fit then either, it panics, and has given back nothing.
func (a *Arena) makeRoom(bytes int, t reflect.Type) {
	if a.fits(bytes) {
		return
	}
	idle := a.text.idleBytes()
	for _, s := range a.slabs {
		idle += s.idleBytes()
	}
	if needed := a.held - idle; bytes > a.LimitBytes-needed {
		panic(&LimitError{Type: t, WantBytes: bytes, HeldBytes: needed, LimitBytes: a.LimitBytes})
	}
	a.text.trim()
	for _, s := range a.slabs {
		s.Trim(0)
	}
}
