// SPDX-License-Identifier: MIT

package toft

import (
	"testing"

	"github.com/toft-memory/toft/go/internal/measure"
)

// Small measurements of hot paths, in CPU time, which other programs disturb less:
//
//	go test -short -run '^$' -bench 'New|Append' -count 5

type (
	inner  struct{ left, right *inner }
	outer  struct{ left, right *outer }
	third  struct{ left, right *third }
	fourth struct{ left, right *fourth }
	fifth  struct{ left, right *fifth }
)

const perReset = 1200

// An operation is one New.
func BenchmarkNew(b *testing.B) {
	var a Arena
	for name, fill := range map[string]func(){
		"one type": func() {
			for range perReset {
				New[inner](&a)
			}
		},
		"two types of one size in turn": func() {
			for range perReset / 2 {
				New[inner](&a)
				New[outer](&a)
			}
		},
		"three types of one size in turn": func() {
			for range perReset / 3 {
				New[inner](&a)
				New[outer](&a)
				New[third](&a)
			}
		},
		"five types of one size in turn": func() {
			for range perReset / 5 {
				New[inner](&a)
				New[outer](&a)
				New[third](&a)
				New[fourth](&a)
				New[fifth](&a)
			}
		},
	} {
		b.Run(name, func(b *testing.B) {
			used := measure.Of(func() {
				for i := 0; i < b.N; i += perReset {
					fill()
					a.Reset()
				}
			})
			b.ReportMetric(used.CPUSeconds*1e9/float64(b.N), "cpu-ns/op")
			a.Release()
		})
	}
}

// One slice that grows, or two in turn, from nothing to 1000 elements. An operation is one append.
func BenchmarkAppend(b *testing.B) {
	const length = 1000
	var a Arena
	for name, fill := range map[string]func() int{
		"one slice, built in": func() int {
			var s []inner
			for range length {
				s = append(s, inner{})
			}
			return len(s)
		},
		"one slice, Append": func() int {
			var s []inner
			for range length {
				s = Append(&a, s, inner{})
			}
			return len(s)
		},
		"one slice, Grow": func() int {
			var s []inner
			for range length {
				s = append(Grow(&a, s, 1), inner{})
			}
			return len(s)
		},
		"two slices, built in": func() int {
			var s, t []inner
			for range length / 2 {
				s, t = append(s, inner{}), append(t, inner{})
			}
			return len(s) + len(t)
		},
		"two slices, Append": func() int {
			var s, t []inner
			for range length / 2 {
				s, t = Append(&a, s, inner{}), Append(&a, t, inner{})
			}
			return len(s) + len(t)
		},
		"two slices, Grow": func() int {
			var s, t []inner
			for range length / 2 {
				s, t = append(Grow(&a, s, 1), inner{}), append(Grow(&a, t, 1), inner{})
			}
			return len(s) + len(t)
		},
	} {
		b.Run(name, func(b *testing.B) {
			used := measure.Of(func() {
				for i := 0; i < b.N; i += length {
					if fill() != length {
						b.Fatal("elements are missing")
					}
					a.Reset()
				}
			})
			b.ReportMetric(used.CPUSeconds*1e9/float64(b.N), "cpu-ns/op")
		})
	}
}

// An operation is a Get, a value and a Put: by one goroutine, by one for each processor, and by one that
// uses a hundred arenas at a time.
func BenchmarkPool(b *testing.B) {
	p := Pool{MaxIdle: 1000}
	b.Run("one goroutine", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			a := p.Get()
			New[inner](a)
			p.Put(a)
		}
	})
	b.Run("goroutines", func(b *testing.B) {
		b.RunParallel(func(next *testing.PB) {
			for next.Next() {
				a := p.Get()
				New[inner](a)
				p.Put(a)
			}
		})
	})
	b.Run("a hundred at a time", func(b *testing.B) {
		var arenas [100]*Arena
		for i := 0; i < b.N; i += len(arenas) {
			for j := range arenas {
				arenas[j] = p.Get()
				New[inner](arenas[j])
			}
			for _, a := range arenas {
				p.Put(a)
			}
		}
	})
}

var made []byte

// Slices of 17 KiB, each a block of its own: 64, and a reset. An operation is one slice.
func BenchmarkLongSlices(b *testing.B) {
	const length, rounds = 17 << 10, 64
	var a Arena
	for name, make := range map[string]func() []byte{
		"built in": func() []byte { return make([]byte, length) },
		"Make":     func() []byte { return Make[byte](&a, length, length) },
	} {
		b.Run(name, func(b *testing.B) {
			used := measure.Of(func() {
				for i := 0; i < b.N; i += rounds {
					for range rounds {
						made = make()
						made[i%length] = 1
					}
					a.reset()
				}
			})
			b.ReportMetric(used.CPUSeconds*1e9/float64(b.N), "cpu-ns/op")
		})
	}
	made = nil
}
