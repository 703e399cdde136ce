// SPDX-License-Identifier: MIT

package toft

import "testing"

// Small measurements of hot paths: go test -short -run '^$' -bench . -count 5

type (
	inner struct{ left, right *inner }
	outer struct{ left, right *outer }
)

const perReset = 1000

func BenchmarkNewOfOneType(b *testing.B) {
	var a Arena
	for i := 0; i < b.N; i += perReset {
		for range perReset {
			New[inner](&a)
		}
		a.Reset()
	}
}

// Two types of one size in turn. An operation is one New.
func BenchmarkNewOfTwoTypes(b *testing.B) {
	var a Arena
	for i := 0; i < b.N; i += perReset {
		for range perReset / 2 {
			New[inner](&a)
			New[outer](&a)
		}
		a.Reset()
	}
}
