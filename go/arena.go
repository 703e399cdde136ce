// SPDX-License-Identifier: MIT

package toft

import (
	"fmt"
	"iter"
	"reflect"
	"sync/atomic"
	"unsafe"
)

// An Arena hands out values of any type, by New, Make, Append and the other functions that take
// one, and takes all of them back at once. The zero value is ready to use.
//
// The functions that take an *Arena take nil as well, and then allocate in the ordinary way: code
// written for an arena works without one. So do the methods, which find nothing in a nil Arena and
// have nothing to free. Its fields can't be set.
//
// It keeps a Slab for each type. So its memory is type-stable: a slot that once held a T holds
// nothing but a T for as long as anything points to it.
//
// An Arena must not be copied, and belongs to one goroutine at a time: go test -race reports two
// that use it without a hand-over.
type Arena struct {
	// Policy says what Reset and Rewind do with the memory. The zero value is Reuse.
	Policy Policy

	// LimitBytes is the most memory that the arena may hold, or 0 for no limit. What would exceed
	// it panics with a *LimitError, which CatchLimit turns into an error; the arena stays usable.
	// Marks don't count, nor what the arena notes about each type, 600 bytes to 1 KiB.
	LimitBytes int

	_         noCopy
	near      [nearPlaces][2]any // the first two slabs of each place; see nearPlace
	table     []any              // the other slabs by a hash of their type: open addressing
	entered   int                // how many those are
	slabs     []member           // the slabs in the order of first use
	used      []member           // those that hold values, in the order of first use since Reset
	resets    int                // since that last divided their number; see Slab.decay
	text      Strings
	saves     []save
	positions []position
	serial    uint64         // of the newest mark
	held      int            // bytes counted against the limit
	idle      atomic.Uintptr // in a Pool; see pool.go
}

const nearPlaces = 32

// A member is a slab of any type, as its arena sees it.
type member interface {
	elem() reflect.Type
	position() position
	rewind(position)
	empty()
	release()
	idleBytes() int
	Trim(maxBytes int)
	decay(resets int)
	leaveChunk()
	detach(to position) (survivors func() int)
	Stats() Stats
}

// New returns a pointer to a zero T from the arena. It costs a call and a look-up of T's slab: 3 ns
// for the first two types of each size that the arena meets, and about a third longer for others.
// Sizes below 8 bytes count as one here, as do those whose eighths differ by a multiple of 32.
// SlabOf saves both in a hot loop. If a is nil, New is the built-in new.
//
//go:nosplit
func New[T any](a *Arena) *T {
	// This is the common case of Slab.New itself, for a type that is in its place. The check of the
	// stack's size would be a seventh of its time, and 32 bytes of stack are all that it needs: so it
	// is marked nosplit. What it calls checks as usual.
	if a != nil {
		var s *Slab[T]
		place := &a.near[nearPlace[T]()]
		if _, ok := place[0].(*Slab[T]); ok {
			s = pointerIn[T](&place[0])
		} else if _, ok := place[1].(*Slab[T]); ok {
			s = pointerIn[T](&place[1])
		} else {
			return newByHash[T](a)
		}
		if free, i := s.free, s.left-1; uint(i) < uint(len(free)) {
			s.left = i
			return &free[i]
		}
	}
	return newSlow[T](a)
}

// newByHash is New for a type that isn't in its place, and is likely to be in the table at the entry of its
// hash. It is a function of its own so that New stays as it is for the others, and is nosplit as New is.
//
//go:noinline
//go:nosplit
func newByHash[T any](a *Arena) *T {
	var s *Slab[T]
	if i := hash(s) & uintptr(len(a.table)-1); i < uintptr(len(a.table)) { // else the table is empty
		if _, ok := a.table[i].(*Slab[T]); ok {
			s = pointerIn[T](&a.table[i])
			if free, i := s.free, s.left-1; uint(i) < uint(len(free)) {
				s.left = i
				return &free[i]
			}
		}
	}
	return newSlow[T](a)
}

// newSlow is New where there is no arena, for a type that is neither in its place nor at the entry of its
// hash, and where the current chunk has no free slot.
//
//go:noinline
func newSlow[T any](a *Arena) *T {
	if a == nil {
		return new(T)
	}
	return slabNear[T](a).New()
}

// Put returns a pointer to a copy of v in the arena. It is inlined but for the call of New, and v
// doesn't escape:
//
//	n := toft.Put(a, node{left: l, right: r})
func Put[T any](a *Arena, v T) *T {
	p := New[T](a)
	*p = v
	return p
}

// Make returns a slice of the given length and capacity, its elements zero up to the capacity. It
// panics if the length is negative or beyond the capacity, or if the capacity is more than memory
// can hold, and has then taken nothing. If a is nil, it is the built-in make.
func Make[T any](a *Arena, length, capacity int) []T {
	if length < 0 || length > capacity {
		panicLength(length, capacity)
	}
	if s := near[T](a); s != nil {
		return s.Make(capacity)[:length]
	}
	if a == nil {
		return make([]T, length, capacity)
	}
	return slabOf[T](a).Make(capacity)[:length]
}

func panicLength(length, capacity int) {
	if length < 0 {
		panic(fmt.Sprintf("toft: a slice of negative length %d", length))
	}
	panic(fmt.Sprintf("toft: a slice of length %d with capacity %d", length, capacity))
}

// SlabOf returns the arena's slab of type T, the hot handle for allocating many values: its New is
// inlined. It is good for as long as the arena is, across resets; the arena resets and releases it.
// If a is nil, it is a slab whose values are ordinary ones: it neither holds on to them nor counts
// them.
func SlabOf[T any](a *Arena) *Slab[T] {
	return slabNear[T](a)
}

func slabNear[T any](a *Arena) *Slab[T] {
	if s := near[T](a); s != nil {
		return s
	}
	return slabOf[T](a)
}

// slabOf is SlabOf for a type that isn't in its place, or not yet.
func slabOf[T any](a *Arena) *Slab[T] {
	if a == nil {
		return &Slab[T]{ordinary: true}
	}
	if s := find[T](a); s != nil {
		return s
	}
	return addSlab[T](a)
}

// addSlab makes the arena's slab of type T, which it hasn't got yet.
func addSlab[T any](a *Arena) *Slab[T] {
	a.checkInUse()
	s := &Slab[T]{owner: a}
	a.slabs = append(a.slabs, s)
	place := &a.near[nearPlace[T]()]
	switch { // a type keeps its place: types that take turns would only drive each other out
	case place[0] == nil:
		place[0] = s
	case place[1] == nil:
		place[1] = s
	default:
		a.enter(s)
	}
	return s
}

// near returns the slab of type T if it is in its place, which only the first two of a place are.
func near[T any](a *Arena) *Slab[T] {
	if a == nil {
		return nil
	}
	place := &a.near[nearPlace[T]()]
	if s, ok := place[0].(*Slab[T]); ok {
		return s
	}
	s, _ := place[1].(*Slab[T])
	return s
}

// pointerIn returns the pointer in an interface value that is known to hold a *Slab[T]: its second
// word. A type assertion would first set its result to nil, and test once more: a tenth of New.
func pointerIn[T any](x *any) *Slab[T] {
	return *(**Slab[T])(unsafe.Add(unsafe.Pointer(x), unsafe.Sizeof(uintptr(0))))
}

// nearPlace is the number of T's place in near. It follows from the size of T, so that the compiler
// knows it. Types that share a place with two others are found in the table.
func nearPlace[T any]() uintptr { return unsafe.Sizeof(*new(T)) / 8 % nearPlaces }

// find returns the slab of type T from the table, or nil.
func find[T any](a *Arena) *Slab[T] {
	if len(a.table) == 0 {
		return nil
	}
	for i := a.entryOf((*Slab[T])(nil)); a.table[i] != nil; i = (i + 1) & (len(a.table) - 1) {
		if s, ok := a.table[i].(*Slab[T]); ok {
			return s
		}
	}
	return nil
}

// Reset frees everything that the arena handed out, as its Policy says, except strings, whose bytes
// are never used again.
func (a *Arena) Reset() {
	if a == nil {
		return
	}
	if checking && a.Policy == Reuse {
		panicOnEscapes(a.Escapes())
		return
	}
	a.reset()
}

func (a *Arena) reset() {
	a.checkInUse() // here and not in Reset, which is inlined
	for _, s := range a.used {
		s.empty()
	}
	a.used = a.used[:0]
	a.resets++
	if a.resets%decayResets == 0 {
		for _, s := range a.slabs {
			s.decay(a.resets)
		}
	}
	a.saves, a.positions = a.saves[:0], a.positions[:0]
	a.text.reset()
}

// Release frees everything and gives the memory back to the collector. Strings stay good, and keep
// the memory that they lie in. The arena is as good as new.
func (a *Arena) Release() {
	if a == nil {
		return
	}
	a.checkInUse()
	for _, s := range a.slabs {
		s.release()
	}
	a.saves, a.positions, a.used = nil, nil, nil
	a.text.release()
}

// Trim gives memory that holds nothing now back to the collector, until the arena holds no more than
// so many bytes, if it can; see Slab.Trim.
func (a *Arena) Trim(maxBytes int) {
	if a == nil {
		return
	}
	a.checkInUse()
	maxBytes = max(maxBytes, 0)
	if a.held > maxBytes {
		a.text.trim()
	}
	for _, s := range a.slabs {
		if excess := a.held - maxBytes; excess > 0 {
			s.Trim(s.Stats().HeldBytes - excess)
		}
	}
}

// Len returns how many values are handed out, strings apart.
func (a *Arena) Len() int { return a.Stats().Objects }

// Stats reports the arena's use of memory, strings apart; Strings().Stats() has those.
func (a *Arena) Stats() (sum Stats) {
	for _, s := range a.members() {
		sum.add(s.Stats())
	}
	return sum
}

// Types yields the use of memory by each type, in the order of first use.
func (a *Arena) Types() iter.Seq2[reflect.Type, Stats] {
	return func(yield func(reflect.Type, Stats) bool) {
		for _, s := range a.members() {
			if !yield(s.elem(), s.Stats()) {
				return
			}
		}
	}
}

// members are the slabs; a nil arena has none.
func (a *Arena) members() []member {
	if a == nil {
		return nil
	}
	return a.slabs
}

// enter enters a slab into the table. New looks at one entry only, that of the slab's hash. So the table
// doubles until that is free, up to the point where it has 16 entries for each slab.
func (a *Arena) enter(slab any) {
	a.entered++
	for len(a.table) < 4*a.entered || len(a.table) < 16*a.entered && a.table[a.entryOf(slab)] != nil {
		slabs := a.table
		a.table = make([]any, max(8, 2*len(slabs)))
		for _, s := range slabs {
			if s != nil {
				a.insert(s)
			}
		}
	}
	a.insert(slab)
}

func (a *Arena) insert(slab any) {
	i := a.entryOf(slab)
	for a.table[i] != nil {
		i = (i + 1) & (len(a.table) - 1)
	}
	a.table[i] = slab
}

// entryOf is the number of the table's entry for a slab's hash. The table isn't empty.
func (a *Arena) entryOf(slab any) int { return int(hash(slab)) & (len(a.table) - 1) }

func (s *Slab[T]) elem() reflect.Type { return typeOf[T]() }

// hash returns a hash of a slab's type, by which the slab is found in the table; a nil *Slab[T] will do. It
// is a hash of the address of the type's descriptor, which is the first word of an interface value. Each
// slab that is found is checked by its own type. So if a type ever had two descriptors, it would have two
// slabs, and all would be well.
func hash(slab any) uintptr {
	return *(*uintptr)(unsafe.Pointer(&slab)) >> 5 * 0x9E3779B1 >> 16
}
