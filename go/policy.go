// SPDX-License-Identifier: MIT

package toft

// A Policy says what Reset and Rewind do with the memory they free. It may be changed at any time,
// and counts for the Resets and Rewinds from then on.
type Policy uint8

const (
	// Reuse clears freed memory and hands it out again: the fastest by far, since neither the
	// allocator nor the collector has anything to do. A pointer kept beyond a Reset is a bug in the
	// program. Where the goroutine that owns the arena uses it, it sees a value of its own type, zero
	// or a newer one, never a forged pointer. A mutex in a value is unlocked by the Reset, whoever has
	// locked it. Where another goroutine uses it, that is a data race with the arena's next values: it
	// may see half of a newer slice, string or interface value, whose pointer then doesn't fit its length
	// or type. Go test -race reports such uses, whether or not the memory is handed out again, and Drop
	// has none.
	Reuse Policy = iota

	// Drop leaves freed memory to the collector. No slot is handed out twice, so that a pointer
	// kept beyond a Reset still sees its own value: no use after reset is possible at all. It costs
	// fresh memory and its collection, and a value kept keeps its whole chunk, with all that the
	// chunk's other values point to. So does the arena itself after a Rewind, which for each type
	// keeps one chunk whose last slots are still unused, until these are used up, too, or until Reset.
	Drop
)

// String returns "reuse" or "drop".
func (p Policy) String() string {
	if p == Drop {
		return "drop"
	}
	return "reuse"
}

// Stats tell how much memory an allocator uses. Sizes are in bytes.
type Stats struct {
	Objects        int // values handed out now: one each for New, the capacity for slices
	UsedBytes      int // bytes of these values
	HeldBytes      int // bytes of all chunks, the free part included
	HighWaterBytes int // most bytes in use at a time; for an Arena, the sum of each type's most
	Chunks         int // blocks that these bytes lie in
}

func (s *Stats) add(o Stats) {
	s.Objects = addCounts(s.Objects, o.Objects)
	s.UsedBytes += o.UsedBytes
	s.HeldBytes += o.HeldBytes
	s.HighWaterBytes += o.HighWaterBytes
	s.Chunks += o.Chunks
}

// addCounts adds two numbers of values, as far as an int goes.
func addCounts(a, b int) int {
	if b > maxBytes-a {
		return maxBytes
	}
	return a + b
}

// noCopy makes go vet report copies of the types that hold it.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}
