// SPDX-License-Identifier: MIT

package toft

// Chunks double from 1 KiB, so that a small slab stays small, to 64 KiB, beyond which a larger
// chunk saves nothing and only lets one retained value pin more.
const (
	minChunkBytes  = 1 << 10
	chunkDoublings = 6
	maxChunkBytes  = minChunkBytes << chunkDoublings

	// A slice above this gets a block of its own, so that no more than a quarter of a chunk is
	// passed over for want of room.
	bigBytes = maxChunkBytes / 4

	// The runtime puts a header of 8 bytes before pointerful blocks up to 32 KiB. Chunks of those
	// sizes leave room for it, or they would be rounded up to the next size class.
	headerBytes     = 8
	largestHeadered = 32 << 10

	maxBytes = int(^uint(0) >> 1)
)

// slotsOf is how many values of the given size fill a chunk.
func slotsOf(chunkBytes, size int) int {
	if size == 0 {
		return maxChunkBytes // they take no memory, however many they are
	}
	if chunkBytes <= largestHeadered {
		chunkBytes -= headerBytes
	}
	return max(chunkBytes/size, 1)
}

// idleBytes are those of the memory that is kept for reuse and holds nothing now.
func (s *Slab[T]) idleBytes() int {
	slots := 0
	for _, c := range s.chunks[s.used:] {
		slots += len(c)
	}
	return (slots + s.big.idleSlots) * sizeOf[T]()
}

// Trim gives memory that holds nothing now back to the collector, until the slab holds no more than
// so many bytes, if it can. Without it, memory that a slab needed once goes when enough resets in a
// row had no use for it: 128 MiB after some 32 to 64, 1 MiB after 4000 to 8000. Until then, and in
// a slab that isn't used at all, each collection takes the time to look at it if T has pointers:
// about 0.2 ms for a MiB.
func (s *Slab[T]) Trim(maxBytes int) {
	for s.held > maxBytes && len(s.chunks) > s.used {
		s.dropLastChunk()
	}
	if s.held > maxBytes && s.big.idleCount > 0 {
		size := sizeOf[T]()
		s.dropIdleBlocks(s.big.idleSlots - (s.held-maxBytes+size-1)/size)
	}
}

func (s *Slab[T]) dropLastChunk() {
	last := len(s.chunks) - 1
	s.give(len(s.chunks[last]))
	s.chunks[last] = nil
	s.chunks = s.chunks[:last]
}

// What lies idle goes the sooner the more it is, since each collection takes the time to look at it:
// when its bytes, times the resets in a row that had no use for them, come to decayWork. Those are
// 128 MiB after 32 resets, and 1 MiB after 4096. To make a MiB anew costs several times what one
// collection's look at it does. It is looked at each decayResets resets.
const (
	decayResets = 32
	decayWork   = 1 << 32
)

// A demand is what a slab needed since memory was last given back.
type demand struct {
	resets    int
	chunks    int // most in use at a time
	bigValues int // most values in long slices at a time
}

// reset frees everything, and gives back what wasn't needed for long.
func (s *Slab[T]) reset() {
	s.rewind(position{})
	d := &s.demand
	if d.resets++; d.resets%decayResets > 0 {
		return
	}
	mostBig := d.bigValues + d.bigValues/8 // by which a block may be longer than its slice
	idle := max(s.big.idleSlots-mostBig, 0)
	for _, c := range s.chunks[min(d.chunks, len(s.chunks)):] {
		idle += len(c)
	}
	switch bytes := int64(idle * sizeOf[T]()); {
	case bytes == 0:
	case bytes < decayWork/int64(d.resets):
		return // it may still be needed
	default:
		for len(s.chunks) > d.chunks {
			s.dropLastChunk()
		}
		s.dropIdleBlocks(mostBig)
	}
	*d = demand{}
}
