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

// bigs are the blocks of slices too long for a chunk: list[:used] hold values, the others wait for
// reuse. The length of each is what its slice uses; its capacity is the block's.
type bigs[T any] struct {
	list   [][]T
	used   int
	values int
}

// makeBig returns n values in the smallest idle block that fits, or in a new one, which replaces
// idle blocks of its size: blocks of ever changing lengths don't pile up.
func (s *Slab[T]) makeBig(n int) []T {
	if s.owner != nil {
		s.owner.checkInUse()
	}
	b := &s.big
	best := -1
	for i := b.used; i < len(b.list); i++ {
		if c := cap(b.list[i]); c >= n && (best < 0 || c < cap(b.list[best])) {
			best = i
		}
	}
	if best < 0 {
		block := s.take(n, n)
		for freed := 0; freed < n && len(b.list) > b.used; {
			freed += s.dropLastBig()
		}
		b.list = append(b.list, block)
		best = len(b.list) - 1
	}
	b.list[best], b.list[b.used] = b.list[b.used], b.list[best][:n]
	m := b.list[b.used]
	b.used++
	b.values += n
	return m[:n:n]
}

func (s *Slab[T]) dropLastBig() (slots int) {
	last := len(s.big.list) - 1
	slots = cap(s.big.list[last])
	s.big.list[last] = nil
	s.big.list = s.big.list[:last]
	s.give(slots)
	return slots
}

// idleBytes are those of the memory that is kept for reuse and holds nothing now.
func (s *Slab[T]) idleBytes() int {
	slots := 0
	for _, c := range s.chunks[s.used:] {
		slots += len(c)
	}
	for _, b := range s.big.list[s.big.used:] {
		slots += cap(b)
	}
	return slots * sizeOf[T]()
}

// trim gives back the memory that is kept for reuse and holds nothing now.
func (s *Slab[T]) trim() {
	for i := s.used; i < len(s.chunks); i++ {
		s.give(len(s.chunks[i]))
		s.chunks[i] = nil
	}
	s.chunks = s.chunks[:s.used]
	for len(s.big.list) > s.big.used {
		s.dropLastBig()
	}
}
