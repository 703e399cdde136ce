// SPDX-License-Identifier: MIT

package toft

import (
	"fmt"
	"reflect"
	"unsafe"
)

// A Slab hands out values of one type from chunks that it fills one after the other, and takes all
// of them back at once. The zero value is ready to use.
//
// A chunk is an ordinary []T, used from both ends: New takes the last free slot, so that its
// counter alone tells which; Make takes the first ones, so that the slice handed out last can grow
// in place.
//
//	chunk   | Make | Make |   free: left slots   | New | New | New |
//
// A T may take up to 1 GB, less a little: the compiler refuses to pass larger values by value, as
// Put does. They are for new.
//
// A Slab must not be copied, and belongs to one goroutine at a time.
type Slab[T any] struct {
	free []T // the current chunk from its first free slot to its end
	left int // how many of these slots are free: the first ones

	// Policy says what Reset does with the memory. The zero value is Reuse. For a slab of an Arena,
	// the Arena's counts.
	Policy Policy

	_      noCopy
	owner  *Arena  // whose limit and policy count, or nil
	chunks [][]T   // in the order they are filled; chunks[used-1] is the current one
	used   int     // chunks that hold values
	total  int     // slots in chunks[:used]
	lost   int     // slots passed over when a chunk was left behind
	big    bigs[T] // blocks of their own, for long slices
	unit   int     // chunks hold a multiple of this many slots; 0 stands for 1
	first  int     // slots of the first chunk after a Reset under Drop
	held   int     // bytes in chunks, rest and big
	high   int     // most values ever handed out at a time
	demand demand  // for memory, in the latest resets
	rest   rest[T] // under Drop, of a chunk begun since a mark that was rewound to
	begun  int     // the last chunk that began as a rest, or 0; those from chunks[begun] on began anew

	holdsDropped bool // a chunk has slots that were freed under Drop and may not be used again
	ordinary     bool // of a nil Arena: its values are those of the built-ins, and never in a chunk
}

// New returns a pointer to a zero T. It is inlined, and costs a handful of instructions.
//
// The value is ordinary memory of type T: it may point anywhere, and a pointer to it keeps it (and
// the chunk of at most 64 KiB that it lies in) alive, whatever becomes of the slab.
func (s *Slab[T]) New() *T {
	// The inliner's budget is 80, and this costs 80. TestInlining pins it.
	if s.left--; s.left < 0 {
		return s.newSlow()
	}
	return &s.free[s.left]
}

// Put returns a pointer to a copy of v in the slab. It costs a call, which New doesn't.
func (s *Slab[T]) Put(v T) *T {
	p := s.New()
	*p = v
	return p
}

// Make returns a slice of n zero values, whose capacity is n. It panics if n is negative, or if so
// many values are more than memory can hold: with a *LimitError in an arena with a limit. A slice above
// 16 KiB gets a block of its own, unless there is room for it in the current chunk.
func (s *Slab[T]) Make(n int) []T {
	if uint(n)-1 >= uint(s.left) { // too many, negative or none
		return s.makeSlow(n)
	}
	m := s.free[:n:n]
	s.free = s.free[n:]
	s.left -= n
	return m
}

// Len returns how many values are handed out: those of New, and the elements and reserved capacity
// of slices. Values that take no memory may be more than an int can count: the largest int stands for these.
func (s *Slab[T]) Len() int { return addCounts(s.total-s.lost-s.left, s.big.values) }

// Reset frees everything at once. Under Reuse it clears the memory, so that what the values pointed
// to is free as well, and hands it out again; its cost is that of clearing what was used. Under
// Drop it leaves the memory to the collector.
func (s *Slab[T]) Reset() {
	s.standsAlone("Reset")
	if checking && s.Policy == Reuse {
		panicOnEscapes(s.Escapes())
		return
	}
	s.reset()
}

// Release frees everything and gives the memory back to the collector. The slab is as good as new.
// Under Reuse it clears the memory first, so that a pointer kept by mistake holds on to one chunk
// and no more.
func (s *Slab[T]) Release() {
	s.standsAlone("Release")
	s.release()
}

// Stats reports the slab's use of memory.
func (s *Slab[T]) Stats() Stats {
	size := sizeOf[T]()
	return Stats{
		Objects:        s.Len(),
		UsedBytes:      s.Len() * size,
		HeldBytes:      s.held,
		HighWaterBytes: max(s.high, s.Len()) * size,
		Chunks:         len(s.chunks) + min(len(s.rest.chunk), 1) + len(s.big.list) + s.big.idleCount,
	}
}

// newSlow is New where the current chunk has no free slot. It stays a call, or New would grow
// beyond the inliner's budget.
//
//go:noinline
func (s *Slab[T]) newSlow() *T {
	s.left = 0 // which New has made -1
	if s.ordinary {
		return new(T)
	}
	s.advance(1)
	s.left--
	return &s.free[s.left]
}

func (s *Slab[T]) makeSlow(n int) []T {
	size := sizeOf[T]()
	switch {
	case n == 0:
		return []T{} // which points to no chunk, and pins none
	case n < 0:
		panic(fmt.Sprintf("toft: a slice of negative length %d", n))
	case size > 0 && n > mostBlockBytes/size:
		s.owner.refuse(typeOf[T](), fmt.Sprintf("%d values of %v are more than memory can hold", n, typeOf[T]()))
	case s.ordinary:
		return make([]T, n)
	case n*size > bigBytes:
		return s.makeBig(n)
	case size == 0 && n > maxChunkBytes: // or the slots of the chunks might be more than an int can count
		if s.used == 0 {
			s.advance(1) // so that a Reset visits the slab
		}
		s.big.values = addCounts(s.big.values, n)
		return make([]T, n)
	}
	s.advance(n)
	return s.Make(n)
}

// advance moves on to a chunk with n free slots, making one if none of those kept is large enough.
func (s *Slab[T]) advance(n int) {
	if s.owner != nil {
		s.owner.checkInUse()
	}
	if n <= s.rest.left {
		s.enterRest()
		return
	}
	i := s.used
	if i < len(s.chunks) && n <= len(s.chunks[i]) { // the common case, without a swap
		s.enter()
		return
	}
	for i < len(s.chunks) && len(s.chunks[i]) < n {
		i++
	}
	if i == len(s.chunks) {
		c := s.take(s.chunkLens(n)) // may panic: before anything changes
		i = len(s.chunks)           // fewer, if the limit was near
		s.chunks = append(s.chunks, c)
	}
	s.chunks[s.used], s.chunks[i] = s.chunks[i], s.chunks[s.used]
	s.enter()
}

func (s *Slab[T]) enter() {
	s.noteUse()
	s.lost += s.left
	s.free = s.chunks[s.used]
	s.left = len(s.free)
	s.total += s.left
	s.used++
}

// noteUse tells the arena that a slab which held no values is about to.
func (s *Slab[T]) noteUse() {
	if s.owner != nil && s.used == 0 && len(s.big.list) == 0 {
		s.owner.used = append(s.owner.used, s)
	}
}

// chunkLens are the least number of slots that a new chunk with room for n values must have, and
// the number that it should have.
func (s *Slab[T]) chunkLens(n int) (least, wanted int) {
	size := sizeOf[T]()
	wanted = slotsOf(minChunkBytes<<min(len(s.chunks), chunkDoublings), size)
	if len(s.chunks) == 0 && s.first > 0 {
		wanted = min(s.first, slotsOf(maxChunkBytes, size))
	}
	unit := max(s.unit, 1)
	if size > 0 {
		n = max(n, (smallestOwnBlock+size-1)/size)
	}
	least = (n + unit - 1) / unit * unit
	return least, max(wanted/unit*unit, least)
}

// take returns fresh memory for wanted values, or for fewer if the owner's limit is near.
func (s *Slab[T]) take(least, wanted int) []T {
	size := sizeOf[T]()
	if a := s.owner; a != nil && size > 0 && !a.fits(wanted*size) {
		a.makeRoom(least*size, typeOf[T]())
		wanted = max(least, min(wanted, a.shareOfRest()/size))
	}
	guards := 0
	if size > 0 {
		guards = guardSlots
	}
	block := make([]T, wanted+guards)[guards:] // may panic: before anything is counted
	s.give(-wanted)
	return block
}

// give forgets memory for so many values that take returned.
func (s *Slab[T]) give(slots int) {
	bytes := slots * sizeOf[T]()
	s.held -= bytes
	if s.owner != nil {
		s.owner.held -= bytes
	}
}

func (s *Slab[T]) policy() Policy {
	if s.owner != nil {
		return s.owner.Policy
	}
	return s.Policy
}

func (s *Slab[T]) standsAlone(verb string) {
	if s.owner != nil {
		panic("toft: " + verb + " of a slab that belongs to an Arena; call the Arena's " + verb)
	}
}

func sizeOf[T any]() int { return int(unsafe.Sizeof(*new(T))) }

func typeOf[T any]() reflect.Type { return reflect.TypeFor[T]() }
