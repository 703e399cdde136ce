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

// trim gives back the memory that is kept for reuse and holds nothing now.
func (s *Slab[T]) trim() {
	for i := s.used; i < len(s.chunks); i++ {
		s.give(len(s.chunks[i]))
		s.chunks[i] = nil
	}
	s.chunks = s.chunks[:s.used]
	s.dropIdleBlocks(0)
}
