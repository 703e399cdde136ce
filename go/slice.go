// SPDX-License-Identifier: MIT

package toft

import (
	"fmt"
	"iter"
	"slices"
	"unsafe"
)

// Append appends xs to s, like the built-in, and takes what memory it needs from the arena. A full
// slice that the arena handed out last grows in place. If a is nil, Append is the built-in append.
//
// So where the built-in would move s, and leave the old elements to others that point to them, Append
// may not: the result then shares its elements with s. In particular, slices.Clip or s[:n:n] forces no
// copy. Clone makes one.
//
// The type is inferred, for a slice of a named type as well. For elements of an interface type Go
// infers it only if xs are of that type; where they are of one that implements it, write the
// interface, Append[ast.Expr](a, list, ident), or use Grow, which infers it from the slice alone.
//
// In a small method that the compiler inlines into another package, write append(Grow(a, s, 1), x). If
// that package doesn't itself call Append for a slice of T, Append costs it an allocation at each call: the
// compiler doesn't know there that Append keeps nothing of xs, and puts them on the heap.
//
// For slices that grow in turn, none is the last: each moves as often as with the built-in, and what
// it leaves behind is free only at the next Reset. Make them of a good capacity.
func Append[T any](a *Arena, s []T, xs ...T) []T {
	if len(xs) > cap(s)-len(s) {
		s = grow(a, s, len(xs))
	}
	if len(xs) == 1 { // the common case, without a call to move memory
		s = s[:len(s)+1]
		s[len(s)-1] = xs[0]
		return s
	}
	return append(s, xs...)
}

// AppendSeq appends the values of seq to s, as Append does. Where seq uses the arena itself, it may Save
// and Rewind for its temporaries. What its values point to must not be among these. After its first value,
// it may not rewind to a mark that was saved before AppendSeq began.
func AppendSeq[S ~[]T, T any](a *Arena, s S, seq iter.Seq[T]) S {
	c := collector[T]{arena: a, before: a.newestMark(), list: s}
	seq(c.add)
	if c.outside {
		return Clone(a, c.list)
	}
	return c.list
}

// A collector's list grows by what a seq yields.
type collector[T any] struct {
	arena   *Arena
	before  uint64 // the arena's newest mark before the seq began
	list    []T
	outside bool // the list has grown in ordinary memory
}

func (c *collector[T]) add(x T) bool {
	if len(c.list) == cap(c.list) {
		c.grow()
	}
	c.list = append(c.list, x)
	return true
}

// grow makes room for an element. If seq has saved a mark, a Rewind would free what the arena hands out
// now: so the list moves outside, to ordinary memory, as far as the arena's limit goes.
func (c *collector[T]) grow() {
	if c.outside = c.arena.newestMark() > c.before; !c.outside {
		c.list = Grow(c.arena, c.list, 1)
		return
	}
	c.arena.makeRoom((len(c.list)+1)*sizeOf[T](), typeOf[T]())
	c.list = slices.Grow(c.list, 1)
}

// Collect returns the values of seq in a slice of the arena, as AppendSeq does.
func Collect[T any](a *Arena, seq iter.Seq[T]) []T { return AppendSeq(a, []T(nil), seq) }

// Grow returns s with capacity for n more elements. It panics if n is negative, or if so many
// elements are more than memory can hold. Like Append, it may extend a full slice in place, where
// slices.Grow would copy it. With it, a hot loop appends at the built-in's speed, and with the
// built-in's rules for types:
//
//	s = append(toft.Grow(a, s, 1), x)
//
// Here x must not append to s itself, as a recursive function may, of a slice in a field: Grow has s
// before x is evaluated, and what x has appended is lost. Evaluate x first, or use Append.
func Grow[S ~[]T, T any](a *Arena, s S, n int) S {
	if uint(n) > uint(cap(s)-len(s)) {
		s = grow(a, s, n)
	}
	return s
}

func grow[T any](a *Arena, s []T, n int) []T {
	if a == nil {
		return slices.Grow(s, n)
	}
	return SlabOf[T](a).Grow(s, n)
}

// Clone returns a copy of s, without spare capacity, in the arena; of nil, nil.
func Clone[S ~[]T, T any](a *Arena, s S) S {
	if s == nil {
		return nil
	}
	dst := Make[T](a, len(s), len(s))
	copy(dst, s)
	return dst
}

// Append appends xs to dst, like the built-in, and takes what memory it needs from the slab. A full
// slice that the slab handed out last grows in place, as with the function Append.
func (s *Slab[T]) Append(dst []T, xs ...T) []T {
	return append(s.Grow(dst, len(xs)), xs...)
}

// Clone returns a copy of src, without spare capacity, in the slab; of nil, nil.
func (s *Slab[T]) Clone(src []T) []T {
	if src == nil {
		return nil
	}
	dst := s.Make(len(src))
	copy(dst, src)
	return dst
}

// Grow returns dst with capacity for n more elements, in place if it is full and the slab handed it
// out last. The capacity at least doubles while the slab has room, and its arena is not near a limit.
// It panics as the function Grow does.
func (s *Slab[T]) Grow(dst []T, n int) []T {
	switch {
	case n < 0:
		panic(fmt.Sprintf("toft: Grow by %d elements", n))
	case n > maxBytes-len(dst):
		s.owner.refuse(typeOf[T](), fmt.Sprintf("Grow by %d elements", n))
	case n <= cap(dst)-len(dst):
		return dst
	}
	least := n - (cap(dst) - len(dst)) // slots beyond the capacity
	// A slice that isn't full may be the first part of another, whose elements begin at its length:
	// it moves, as with the built-in, so that these stay.
	if len(dst) == cap(dst) && least <= s.left && s.isLast(dst) {
		more := min(max(least, cap(dst)), s.left)
		return s.extend(dst, more)
	}
	bigger := s.Make(s.grownCap(cap(dst), least))
	copy(bigger, dst)
	return bigger[:len(dst)]
}

// minGrow is the capacity that an empty slice starts with, unless that takes a whole chunk.
const minGrow = 4

// grownCap is the capacity that a slice moves to for the sake of so many slots beyond its old one:
// twice the old one, or only what is needed if the owner's limit is near.
func (s *Slab[T]) grownCap(old, more int) int {
	size := sizeOf[T]()
	wanted := max(old+more, 2*old)
	if size <= minChunkBytes/minGrow {
		wanted = max(wanted, minGrow)
	}
	a := s.owner
	if a == nil || size == 0 || wanted <= s.left || wanted <= maxBytes/size && a.mayFit(wanted*size) {
		return wanted
	}
	return old + more
}

// isLast tells whether dst ends where the free slots begin, in the same chunk: there must be a slot
// before those, since a slice elsewhere may happen to end where the chunk begins.
func (s *Slab[T]) isLast(dst []T) bool {
	size := unsafe.Sizeof(*new(T))
	if size == 0 || cap(dst) == 0 || s.from() == 0 {
		return false
	}
	end := uintptr(unsafe.Pointer(unsafe.SliceData(dst))) + uintptr(cap(dst))*size
	return end == uintptr(unsafe.Pointer(unsafe.SliceData(s.free)))
}

// extend adds free slots to the capacity of dst, which is the last slice handed out.
func (s *Slab[T]) extend(dst []T, more int) []T {
	start := s.from() - cap(dst)
	chunk := s.chunks[s.used-1]
	s.free = s.free[more:]
	s.left -= more
	return chunk[start : start+len(dst) : start+cap(dst)+more]
}
