// SPDX-License-Identifier: MIT

package tofttest_test

import (
	"fmt"
	"strings"
	"testing"

	toft "github.com/toft-memory/toft/go"
	"github.com/toft-memory/toft/go/tofttest"
)

type node struct{ next *node }

// recorder keeps what would be reported.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper()           {}
func (r *recorder) Error(args ...any) { r.errors = append(r.errors, fmt.Sprint(args...)) }

var leaked *node

func TestCheckEscapes(t *testing.T) {
	var a toft.Arena
	toft.New[node](&a).next = toft.New[node](&a)
	tofttest.CheckEscapes(t, &a)

	leaked = toft.New[node](&a)
	toft.New[int](&a)
	var r recorder
	tofttest.CheckEscapes(&r, &a)
	if len(r.errors) != 1 || !strings.Contains(r.errors[0], "tofttest_test.node") {
		t.Errorf("reported: %q", r.errors)
	}
	leaked = nil

	var s toft.Slab[node]
	s.New()
	tofttest.CheckEscapes(t, &s)
	var x toft.Index[node]
	x.New()
	tofttest.CheckEscapes(t, &x)
}

func TestCheckRewind(t *testing.T) {
	var a toft.Arena
	kept := toft.New[node](&a)
	m := a.Save()
	toft.New[node](&a).next = kept
	tofttest.CheckRewind(t, &a, m)

	m = a.Save()
	for range 10_000 { // more than the rest of a chunk
		leaked = toft.New[node](&a)
	}
	var r recorder
	tofttest.CheckRewind(&r, &a, m)
	if len(r.errors) != 1 || !strings.Contains(r.errors[0], "tofttest_test.node") {
		t.Errorf("reported: %q", r.errors)
	}
	leaked = nil
	if kept.next != nil || a.Len() != 1 {
		t.Errorf("%d values after Rewind", a.Len())
	}
}

func ExampleCheckEscapes() {
	test := func(t testing.TB) {
		var a toft.Arena
		leaked = toft.New[node](&a) // the bug to be found
		tofttest.CheckEscapes(t, &a)
	}
	var r recorder // stands for the test
	test(&r)
	fmt.Println(r.errors[0])
	leaked = nil
	// Output: toft: 1 chunk(s) of tofttest_test.node are still referenced after Reset or Rewind
}
