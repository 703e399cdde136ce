// SPDX-License-Identifier: MIT

package toft

import (
	"strings"
	"testing"
)

const finalizerProgram = `package main

import (
	"os"
	"runtime"

	toft "github.com/toft-memory/toft/go"
)

type large [100_000]byte

// Tries one value after the other, in a process for each: the runtime's refusal is the end.
func main() {
	var a toft.Arena
	switch os.Args[1] {
	case "last of a chunk": // which New hands out first
		runtime.SetFinalizer(toft.New[[2]*int](&a), func(*[2]*int) {})
	case "first of a chunk":
		before := toft.New[[2]*int](&a)
		for {
			value := toft.New[[2]*int](&a)
			if &value[0] != &before[0] && a.Stats().Chunks == 2 {
				runtime.SetFinalizer(before, func(*[2]*int) {})
				break
			}
			before = value
		}
	case "alone in its chunk":
		runtime.SetFinalizer(toft.New[large](&a), func(*large) {})
	case "alone in its chunk, after a Reset":
		for range 2 {
			runtime.SetFinalizer(toft.New[large](&a), func(*large) {})
			a.Reset()
		}
	case "first of a slice":
		runtime.SetFinalizer(&toft.Make[[2]*int](&a, 5, 5)[0], func(*[2]*int) {})
	case "first of a long slice":
		runtime.SetFinalizer(&toft.Make[large](&a, 5, 5)[0], func(*large) {})
	}
	println("accepted")
}
`

// The runtime takes a finalizer for a value only if that is the first of its block. In the checking
// build none is, so that tests find every attempt.
func TestFinalizersAreRefused(t *testing.T) {
	const refused = "runtime.SetFinalizer: pointer not at beginning of allocated block"
	for place, want := range map[string]string{
		"last of a chunk":                   refused,
		"first of a chunk":                  "accepted",
		"alone in its chunk":                "accepted",
		"alone in its chunk, after a Reset": "runtime.SetFinalizer: finalizer already set",
		"first of a slice":                  "accepted",
		"first of a long slice":             "accepted",
	} {
		for _, tags := range []string{"", "toftcheck"} {
			output, err := goCommand(t, finalizerProgram, "run", "-tags="+tags, ".", place)
			if tags != "" {
				want = refused
			}
			if !strings.Contains(output, want) {
				t.Errorf("%s, tags %q: %v, %.300s", place, tags, err, output)
			}
		}
	}
}
