// SPDX-License-Identifier: MIT

package toft

// Chunks double from 1 KiB, so that a small slab stays small, to 64 KiB, beyond which a larger
// chunk saves nothing and only lets one retained value pin more.
const (
	minChunkBytes  = 1 << 10
	chunkDoublings = 6
	maxChunkBytes  = minChunkBytes << chunkDoublings

	// A slice above this gets no new chunk but a block of its own, so that no more than a quarter of a
	// chunk is passed over for want of room.
	bigBytes = maxChunkBytes / 4

	// The runtime puts a header of 8 bytes before pointerful blocks up to 32 KiB. Chunks of those
	// sizes leave room for it, or they would be rounded up to the next size class.
	headerBytes     = 8
	largestHeadered = 32 << 10

	// The runtime puts smaller blocks without pointers together with those of others, which would
	// then keep a chunk alive and pass for an escape. So no chunk is smaller.
	smallestOwnBlock = 16

	maxBytes = int(^uint(0) >> 1)

	// No block has more bytes than this: 128 TiB less one where an int has 64 bits, which is about as much
	// as a program has addresses for. Of larger ones the runtime only says that a length is out of range.
	mostBlockBytes = maxBytes >> (16 * (^uint(0) >> 63))
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
	slots := len(s.rest.chunk)
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
	maxBytes = max(maxBytes, 0)
	for s.held > maxBytes && len(s.chunks) > s.used {
		s.dropLastChunk()
	}
	if s.held > maxBytes {
		s.giveRest()
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
// collection's look at it does.
//
// The resets in a row are those of a window. There are windows of decayResets, of twice as many, and
// so on; each begins where the one before it ended. So what has been idle for a window's length and
// not yet twice as long may have to wait for the next.
const (
	decayResets  = 32
	decayWindows = 12 // 64 KiB, a chunk, after 2^16 resets
	decayWork    = 1 << 32
)

// A demand is what a slab needed in the latest resets.
type demand struct {
	resets  int                // of a slab without an arena
	windows [decayWindows]need // of decayResets<<i resets, since that last divided their number
}

// A need is the most memory in use at a time.
type need struct {
	chunks    int
	bigValues int // values in long slices
}

func (n *need) raise(o need) {
	n.chunks = max(n.chunks, o.chunks)
	n.bigValues = max(n.bigValues, o.bigValues)
}

// reset frees everything, and gives back what wasn't needed for long.
func (s *Slab[T]) reset() {
	s.empty()
	s.demand.resets++
	if s.demand.resets%decayResets == 0 {
		s.decay(s.demand.resets)
	}
}

// decay gives back what wasn't needed for long. It is for every decayResets-th reset, and is told the
// number of all: an arena counts them for its slabs, and need not visit those without values each time.
func (s *Slab[T]) decay(resets int) {
	d := &s.demand
	for i := range d.windows {
		length := decayResets << i
		if resets%length > 0 {
			return
		}
		s.giveBack(d.windows[i], decayWork/int64(length))
		if i+1 < decayWindows {
			d.windows[i+1].raise(d.windows[i])
		}
		d.windows[i] = need{}
	}
}

// giveBack gives back the memory beyond what was needed, if that is at least so many bytes.
func (s *Slab[T]) giveBack(needed need, leastBytes int64) {
	mostBig := 2 * needed.bigValues // since a block may be twice as long as its slice
	idle := max(s.big.idleSlots-mostBig, 0)
	for i := needed.chunks; i < len(s.chunks); i++ {
		idle += len(s.chunks[i])
	}
	if int64(idle*sizeOf[T]()) < leastBytes {
		return // it may still be needed
	}
	for len(s.chunks) > needed.chunks {
		s.dropLastChunk()
	}
	s.dropIdleBlocks(mostBig)
}
