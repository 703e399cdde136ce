// SPDX-License-Identifier: MIT

package toft

import (
	"fmt"
	"math"
	"testing"

	"github.com/toft-memory/toft/go/internal/measure"
)

// A long slice costs the same, however many blocks wait for reuse. What is compared is the least CPU
// time of several rounds, and the bound is far from both: looking at every block would take 64 times
// as long for each with 64 times the blocks.
func TestManyBigBlocks(t *testing.T) {
	if checking {
		t.Skip("the checking build keeps no blocks")
	}
	least := func(blocks int) float64 {
		var s Slab[byte]
		seconds := math.Inf(1)
		for round := range 6 {
			used := measure.Of(func() {
				for range 16_000 / blocks {
					for range blocks {
						s.Make(bigBytes + 1)
					}
					s.freeBlocks(0, 0)
				}
			})
			if round > 0 {
				seconds = min(seconds, used.CPUSeconds)
			}
		}
		return seconds
	}
	few, many := least(250), least(16_000)
	if many > 16*few {
		t.Errorf("16000 slices take %g s of CPU time with 250 blocks in turn, %g with as many blocks", few, many)
	}
}

// Blocks serve again, whatever the order of their lengths.
func TestBigBlocksAreReused(t *testing.T) {
	if checking {
		t.Skip("the checking build keeps no blocks")
	}
	var s Slab[int64]
	lengths := []int{3000, 9000, 5000, 70_000, 4000, 3000, 12_000}
	round := func(from, step int) {
		for i := range lengths {
			m := s.Make(lengths[(from+i*step)%len(lengths)])
			for j, v := range m {
				if v != 0 {
					t.Fatalf("element %d is %d", j, v)
				}
				m[j] = -1
			}
		}
		s.Reset()
	}
	round(0, 1)
	held := s.Stats().HeldBytes
	for i := range 30 {
		round(i, 1+i%6)
	}
	if got := s.Stats().HeldBytes; got != held {
		t.Errorf("%d bytes held after the first round, %d after 30 others", held, got)
	}
}

// Blocks of ever changing lengths don't pile up: where each round has one slice, those that are kept are
// at most twice as long as the longest one's, all together.
func TestBigBlocksDontPileUp(t *testing.T) {
	if checking {
		t.Skip("the checking build keeps no blocks")
	}
	var s Slab[byte]
	longest := 0
	for i := range 400 {
		length := 20<<10 + i*i*977%(2<<20)
		longest = max(longest, length)
		s.Make(length)
		s.Reset()
		if held := s.Stats().HeldBytes; held > 2*(longest+longest/8) {
			t.Fatalf("%d bytes held, where the longest of %d slices has %d", held, i+1, longest)
		}
	}
}

// A short slice doesn't take the block of a long one, which would then have to be made anew.
func TestShortSlicesLeaveLongBlocks(t *testing.T) {
	if checking {
		t.Skip("the checking build keeps no blocks")
	}
	const most, short, long = 20, 20 << 10, 10 << 20
	var s Slab[byte]
	round := func(shorts int) {
		for range shorts {
			s.Make(short)
		}
		s.Make(long)
		s.Reset()
	}
	for shorts := range most + 1 {
		round(shorts)
	}
	if held := s.Stats().HeldBytes; held != most*short+long {
		t.Errorf("%d bytes held, %d used", held, most*short+long)
	}
	if n := testing.AllocsPerRun(20, func() { round(1); round(most) }); n > 0 {
		t.Errorf("%v allocations a round", n)
	}
	// No more of a block than of the slice is passed over, also where they have few elements.
	type huge [short]byte
	var few Slab[huge]
	for n := 15; n > 0; n-- {
		few.Make(n)
		few.Reset()
		if m := few.Make(n); cap(few.big.list[0]) > 2*len(m) {
			t.Errorf("%d values in a block of %d", n, cap(few.big.list[0]))
		}
		few.Reset()
	}
}

// A block that was made when the limit was near has fewer slots than the class of its length: it must not
// serve for a slice that this class would hold.
func TestBlocksMadeNearTheLimit(t *testing.T) {
	if checking {
		t.Skip("the checking build keeps no blocks")
	}
	a := Arena{LimitBytes: 17_500}
	for _, n := range []int{17_000, 17_200} { // of one class, of 17408 slots
		if m := Make[byte](&a, n, n); len(m) != n {
			t.Errorf("%d bytes instead of %d", len(m), n)
		}
		a.Reset()
	}
}

// A class has the slots that it is asked for, and an eighth more at most.
func TestClasses(t *testing.T) {
	for n := 1; n < 1<<20; n++ {
		class := classOf(n)
		if slots := classSlots(class); slots < n || slots > n+n/8 || classOf(slots) != class {
			t.Fatalf("%d slots in class %d of %d", n, class, slots)
		}
	}
	if class := classOf(maxBytes); class > mostClass {
		t.Errorf("the largest class is %d", class)
	}
}

func BenchmarkBigBlocks(b *testing.B) {
	for _, blocks := range []int{100, 16_000} {
		b.Run(fmt.Sprint(blocks), func(b *testing.B) {
			var s Slab[byte]
			for i := 0; i < b.N; i += blocks {
				for range blocks {
					s.Make(17 << 10)
				}
				s.Reset()
			}
		})
	}
}

func BenchmarkBuiltinBig(b *testing.B) {
	for i := 0; i < b.N; i++ {
		garbage = make([]byte, 17<<10)
	}
}
