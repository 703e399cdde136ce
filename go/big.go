// SPDX-License-Identifier: MIT

package toft

import "math/bits"

// The bigs of a slab are the blocks of slices that are too long for a chunk. Idle blocks are kept by
// class. A class stands for a number of slots, and each of its blocks has at least so many. There are
// eight classes from each power of two to the next, so that a new block is longer than its slice by an
// eighth at most; one that is used again is twice as long at most. A bit for each class tells whether it
// has an idle block: so the smallest block that fits is found by a look at a few words, however many
// blocks there are.
type bigs[T any] struct {
	list   [][]T // in use, in the order they came; the length of each is that of its slice
	values int   // in list, those of the slices, and in long slices that take no memory, which aren't in list

	idle      [][][]T // by class, the newest last
	filled    [(mostClass + 1) / 64]uint64
	idleSlots int
	idleCount int
}

const mostClass = 511 // no int has a class above this

// classOf is the smallest class that has n slots.
func classOf(n int) int {
	shift := max(bits.Len(uint(n))-4, 0)
	rest := n & (1<<shift - 1)
	class := shift*8 + n>>shift
	if rest > 0 {
		class++
	}
	return class
}

// classSlots is how many slots a class stands for.
func classSlots(class int) int {
	if class < 16 {
		return class
	}
	return (class&7 + 8) << (class/8 - 1)
}

// makeBig returns n values in the smallest idle block that fits, or in a new one if that block is too long:
// a short slice leaves it to a long one. The new block replaces shorter idle ones, as many slots as it has:
// so blocks of ever changing lengths don't pile up.
func (s *Slab[T]) makeBig(n int) []T {
	if s.owner != nil {
		s.owner.checkInUse()
	}
	b := &s.big
	class := classOf(n)
	var block []T
	if found := b.nextFilled(class); found == class || found > class && s.mayExceed(n, classSlots(found)) {
		block = b.takeIdle(found)
	} else {
		wanted := classSlots(class)
		if wanted < n || wanted > mostBlockBytes/sizeOf[T]() { // below n if no int is as large as the class
			wanted = n
		}
		block = s.take(n, wanted) // may panic: before anything changes
		s.dropIdleFrom(class, b.idleSlots-n)
	}
	s.noteUse()
	b.list = append(b.list, block[:n])
	b.values += n
	return block[:n:n]
}

// mayExceed tells whether a slice of n values may take a block of so many slots, of a longer class: up to
// twice as many, and only while a quarter of the arena's limit holds all that is in use. So such blocks take
// no more than an eighth of the limit from what comes after.
func (s *Slab[T]) mayExceed(n, slots int) bool {
	a := s.owner
	return slots-n <= n && (a == nil || a.LimitBytes <= 0 || slots*sizeOf[T]() <= a.LimitBytes/4-a.neededBytes())
}

// freeBlocks takes back all but the first blocks in use, clears them and keeps them.
func (s *Slab[T]) freeBlocks(used, values int) {
	b := &s.big
	for i := len(b.list) - 1; i >= used; i-- {
		noteWrite(b.list[i])
		clear(b.list[i])
		b.keepIdle(b.list[i][:cap(b.list[i])])
		b.list[i] = nil
	}
	b.list, b.values = b.list[:used], values
}

// dropBlocks leaves all but the first blocks in use to the collector, and the idle ones.
func (s *Slab[T]) dropBlocks(used, values int) {
	b := &s.big
	for i := used; i < len(b.list); i++ {
		s.give(cap(b.list[i]))
		b.list[i] = nil
	}
	b.list, b.values = b.list[:used], values
	s.dropIdleBlocks(0)
}

// dropIdleBlocks leaves idle blocks to the collector, the longest first, until they have no more
// than so many slots.
func (s *Slab[T]) dropIdleBlocks(most int) { s.dropIdleFrom(mostClass, most) }

// dropIdleFrom is dropIdleBlocks for the blocks of one class and of those below.
func (s *Slab[T]) dropIdleFrom(class, most int) {
	b := &s.big
	for class = min(class, len(b.idle)-1); b.idleSlots > most && class >= 0; class-- {
		for b.idleSlots > most && len(b.idle[class]) > 0 {
			s.give(cap(b.takeIdle(class)))
		}
	}
	if b.idleCount == 0 {
		b.idle = nil
	}
}

// nextFilled is the smallest class from this one on that has an idle block, or -1.
func (b *bigs[T]) nextFilled(class int) int {
	word := class / 64
	filled := b.filled[word] >> (class % 64) << (class % 64)
	for filled == 0 {
		if word++; word == len(b.filled) {
			return -1
		}
		filled = b.filled[word]
	}
	return word*64 + bits.TrailingZeros64(filled)
}

// takeIdle takes the newest idle block of a class that has one.
func (b *bigs[T]) takeIdle(class int) []T {
	stack := b.idle[class]
	last := len(stack) - 1
	block := stack[last]
	stack[last] = nil
	b.idle[class] = stack[:last]
	if last == 0 {
		b.filled[class/64] &^= 1 << (class % 64)
	}
	b.idleSlots -= cap(block)
	b.idleCount--
	return block
}

// keepIdle keeps a block under the largest class that it has the slots of.
func (b *bigs[T]) keepIdle(block []T) {
	class := classOf(cap(block))
	if classSlots(class) > cap(block) { // it was made when the limit was near
		class--
	}
	for len(b.idle) <= class {
		b.idle = append(b.idle, nil)
	}
	b.idle[class] = append(b.idle[class], block)
	b.filled[class/64] |= 1 << (class % 64)
	b.idleSlots += cap(block)
	b.idleCount++
}
