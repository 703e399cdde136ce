// SPDX-License-Identifier: MIT

// Package tofttest helps to test programs that use package toft.
package tofttest

import (
	"testing"

	toft "github.com/toft-memory/toft/go"
)

// An Escaper is an allocator whose values can be looked for: *toft.Arena, *toft.Slab or
// *toft.Index.
type Escaper interface {
	Escapes() []toft.Escape
}

// CheckEscapes resets a and fails the test if something outside still points into it, naming the
// types. Call it in place of the Reset, where nothing should be left:
//
//	var a toft.Arena
//	handle(&a, request)
//	tofttest.CheckEscapes(t, &a)
//
// It runs a full collection. Pointers in variables that are still needed count as well.
func CheckEscapes(t testing.TB, a Escaper) {
	t.Helper()
	for _, e := range a.Escapes() {
		t.Error(e)
	}
}

// CheckRewind rewinds a to m and fails the test if something outside still points to what came after
// m, naming the types. It finds all of it in the checking build (-tags toftcheck); see
// toft.Arena.EscapesSince.
func CheckRewind(t testing.TB, a *toft.Arena, m toft.Mark) {
	t.Helper()
	for _, e := range a.EscapesSince(m) {
		t.Error(e)
	}
}
