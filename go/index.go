// SPDX-License-Identifier: MIT

package toft

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"
)

// A Ref refers to a value in an Index. It is 8 bytes, comparable, and holds no pointer, so that the
// collector need not look at values linked by references. The zero Ref refers to nothing.
type Ref[T any] struct {
	// The generation of the index in the upper half; in the lower, one more than the slot's number.
	id uint64
}

// IsZero tells whether r is the zero Ref.
func (r Ref[T]) IsZero() bool { return r.id == 0 }

// An Index hands out values of one type by reference instead of by pointer. At finds the value, and
// panics with a StaleError if the index was reset since, or isn't the one that made the reference:
// use after reset is found at once, at the cost of one comparison. The zero value is ready to use.
//
// An Index must not be copied, and belongs to one goroutine at a time. It holds up to 2³²−1 values, or
// fewer by a part of a chunk, and 2³¹−1 on a machine of 32 bits; then New panics.
type Index[T any] struct {
	last   uint64 // reference handed out last; New counts down to end within a chunk
	end    uint64
	origin uint64 // reference to slot 0; its upper half is the generation, 0 after a Reset
	slots  uint64 // slots that blocks covers
	blocks []*T   // the start of each block of 1<<blockShift slots
	chunks int    // of the slab, that blocks covers

	// Policy says what Reset does with the memory. The zero value is Reuse.
	Policy Policy

	_    noCopy
	slab Slab[T] // the memory
}

// New returns a reference to a zero T. It is inlined.
func (x *Index[T]) New() Ref[T] {
	if x.last == x.end {
		x.next()
	}
	x.last--
	return Ref[T]{x.last}
}

// At returns the value that r refers to. It panics with a StaleError if that is gone. The pointer
// is good until the next Reset, like one from a Slab. At is inlined, and about as fast as following
// a pointer.
func (x *Index[T]) At(r Ref[T]) *T {
	i := r.id - x.origin // beyond any number of slots if the generation differs
	if i >= x.slots {
		panic(StaleError[T]{r, x.origin})
	}
	size := unsafe.Sizeof(*new(T))
	shift := blockShift(size) & 63
	return (*T)(unsafe.Add(unsafe.Pointer(x.blocks[i>>shift]), uintptr(i&(1<<shift-1))*size))
}

// Has tells whether r refers to a value that is there: whether At would not panic.
func (x *Index[T]) Has(r Ref[T]) bool { return r.id-x.origin < x.slots }

// Len returns how many values are handed out.
func (x *Index[T]) Len() int { x.settle(); return x.slab.Len() }

// Stats reports the index's use of memory. The bytes held include its table of blocks: a pointer for
// each block of 1 KiB or less, which is one value if T takes more than 256 bytes.
func (x *Index[T]) Stats() Stats {
	x.settle()
	st := x.slab.Stats()
	st.HeldBytes += x.tableBytes()
	return st
}

func (x *Index[T]) tableBytes() int { return cap(x.blocks) * int(unsafe.Sizeof((*T)(nil))) }

// Reset frees everything at once and makes every reference stale.
func (x *Index[T]) Reset() {
	if checking && x.Policy == Reuse {
		panicOnEscapes(x.Escapes())
		return
	}
	x.settle()
	x.slab.Reset()
	x.restart()
}

// Trim gives memory that holds nothing now back to the collector, until the index holds no more than
// so many bytes, if it can; see Slab.Trim.
func (x *Index[T]) Trim(maxBytes int) {
	x.settle()
	x.slab.Trim(maxBytes)
	x.cover()
	x.slab.Trim(maxBytes - x.tableBytes()) // of a table that is small now
	x.cover()
}

// Release frees everything, gives the memory back to the collector, and makes every reference
// stale.
func (x *Index[T]) Release() {
	x.settle()
	x.slab.Release()
	x.restart() // which finds no chunks, and lets go of the table
}

// Escapes is like Slab.Escapes.
func (x *Index[T]) Escapes() []Escape {
	x.settle()
	x.blocks, x.slots, x.chunks = nil, 0, 0
	found := x.slab.Escapes()
	x.restart()
	return found
}

// settle tells the slab what it can't know: how many slots New has left, and the policy.
func (x *Index[T]) settle() {
	x.slab.left = int(x.last - x.end)
	x.slab.Policy = x.Policy
}

// next makes the following chunk the current one. It stays a call, or New would grow beyond the
// inliner's budget.
//
//go:noinline
func (x *Index[T]) next() {
	x.settle()
	shift := blockShift(unsafe.Sizeof(*new(T)))
	x.slab.unit = 1 << shift
	if uint64(x.nextSlots()) > maxSlots-uint64(x.slab.total) { // before anything changes
		panic(fmt.Sprintf("toft: an Index of %d values is full", x.slab.Len()))
	}
	x.slab.advance(1)
	chunk := x.slab.free
	if x.slots < uint64(x.slab.total) {
		for i := 0; i < len(chunk); i += 1 << shift {
			x.blocks = append(x.blocks, &chunk[i])
		}
		x.slots = uint64(x.slab.total)
		x.chunks = x.slab.used
	}
	if x.origin <= noGeneration {
		x.origin = nextGeneration()<<32 + 1
	}
	x.end = x.origin + uint64(x.slab.total-len(chunk))
	x.last = x.end + uint64(len(chunk))
}

// nextSlots is how many slots the following chunk has.
func (x *Index[T]) nextSlots() int {
	if s := &x.slab; s.used < len(s.chunks) {
		return len(s.chunks[s.used])
	}
	_, wanted := x.slab.chunkLens(1)
	return wanted
}

const (
	maxSlots = min(1<<32-1, uint64(maxBytes)) // which an int and the lower half of a reference both hold

	// An origin that no reference is near: the zero Ref is below, all others are 2³² above.
	noGeneration = 1
)

// restart makes every reference stale. The next New begins a generation.
func (x *Index[T]) restart() {
	x.origin, x.last, x.end = noGeneration, 0, 0
	x.cover()
}

// cover forgets the blocks of chunks that are gone, and lets go of a table that is much too large for
// those that stay.
func (x *Index[T]) cover() {
	if len(x.slab.chunks) == x.chunks {
		return
	}
	x.chunks = len(x.slab.chunks)
	slots := 0
	for _, c := range x.slab.chunks {
		slots += len(c)
	}
	x.slots = uint64(slots)
	blocks := slots >> blockShift(unsafe.Sizeof(*new(T)))
	clear(x.blocks[blocks:])
	x.blocks = x.blocks[:blocks]
	switch {
	case blocks == 0:
		x.blocks = nil
	case blocks <= cap(x.blocks)/2:
		x.blocks = append(make([]*T, 0, blocks), x.blocks...)
	}
}

var generations atomic.Uint32

// nextGeneration draws from one counter for all indexes, so that none takes another's references
// for its own. After 2³² resets it begins anew: a reference kept for just as many resets would
// pass, and see some value of its type.
func nextGeneration() uint64 {
	for {
		if g := generations.Add(1); g != 0 {
			return uint64(g)
		}
	}
}

// blockShift makes a block of about 1 KiB, and at least one value.
func blockShift(size uintptr) uint {
	switch {
	case size <= 16:
		return 6
	case size <= 64:
		return 4
	case size <= 256:
		return 2
	default:
		return 0
	}
}

// ErrStale is what each StaleError is, of whichever type: errors.Is tells.
var ErrStale = errors.New("toft: stale reference")

// A StaleError is what At panics with when the value that a reference stood for is gone.
type StaleError[T any] struct {
	Ref    Ref[T]
	origin uint64
}

// Is tells whether target is ErrStale, for errors.Is.
func (e StaleError[T]) Is(target error) bool { return target == ErrStale }

// Error says which reference it was, and why it is stale.
func (e StaleError[T]) Error() string {
	t := typeOf[T]()
	switch {
	case e.Ref.IsZero():
		return fmt.Sprintf("toft: At of the zero Ref[%v]", t)
	case e.origin <= noGeneration:
		return fmt.Sprintf("toft: stale Ref[%v]: its Index was reset or released, and is empty", t)
	}
	return fmt.Sprintf("toft: stale Ref[%v] of generation %d, but the Index is at generation %d: "+
		"it was reset or released since, or is another Index", t, e.Ref.id>>32, e.origin>>32)
}
