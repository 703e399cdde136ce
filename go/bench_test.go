// SPDX-License-Identifier: MIT

package toft

import (
	"testing"

	"github.com/toft-memory/toft/go/internal/measure"
)

// Small measurements of hot paths, in CPU time, which other programs disturb less:
//
//	go test -short -run '^$' -bench New -count 5

type (
	inner struct{ left, right *inner }
	outer struct{ left, right *outer }
	third struct{ left, right *third }
)

const perReset = 1000

// An operation is one New.
func BenchmarkNew(b *testing.B) {
	for name, some := range map[string]func(a *Arena){
		"one type":                func(a *Arena) { New[inner](a); New[inner](a); New[inner](a); New[inner](a) },
		"two types of one size":   func(a *Arena) { New[inner](a); New[outer](a); New[inner](a); New[outer](a) },
		"three types of one size": func(a *Arena) { New[inner](a); New[outer](a); New[third](a); New[inner](a) },
	} {
		b.Run(name, func(b *testing.B) {
			var a Arena
			used := measure.Of(func() {
				for i := 0; i < b.N; i += perReset {
					for range perReset / 4 {
						some(&a)
					}
					a.Reset()
				}
			})
			b.ReportMetric(used.CPUSeconds*1e9/float64(b.N), "cpu-ns/op")
		})
	}
}
