// SPDX-License-Identifier: MIT

package toft

// A position is a slab's state at one moment, to come back to. The zero position is that of an
// empty slab.
type position struct {
	used, total, lost int
	from, left        int // the current chunk's free slots: left of them, starting at from
	bigUsed           int
	bigValues         int
}

func (s *Slab[T]) position() position {
	return position{
		used: s.used, total: s.total, lost: s.lost,
		from: s.from(), left: s.left,
		bigUsed: len(s.big.list), bigValues: s.big.values,
	}
}

// from is the number of slots that Make has taken at the front of the current chunk.
func (s *Slab[T]) from() int {
	if s.used == 0 {
		return 0
	}
	return len(s.chunks[s.used-1]) - len(s.free)
}

// leaveChunk gives up the free rest of the current chunk.
func (s *Slab[T]) leaveChunk() {
	s.lost += s.left
	s.free, s.left = s.free[len(s.free):], 0
}

// rewind frees what was handed out since the slab was in this position.
func (s *Slab[T]) rewind(to position) {
	s.high = max(s.high, s.Len())
	s.demand.windows[0].raise(need{s.used, s.big.values})
	if s.policy() == Drop || s.holdsDropped {
		s.drop(to)
		return
	}
	s.clearSince(to)
	s.used, s.total, s.lost = to.used, to.total, to.lost
	s.free, s.left = nil, to.left
	if to.used > 0 {
		s.free = s.chunks[to.used-1][to.from:]
	}
	s.freeBlocks(to.bigUsed, to.bigValues)
}

// empty is rewind to the beginning. It is short where the slab has few values, all in one chunk: for
// small requests of several types, it is a good part of their time.
func (s *Slab[T]) empty() {
	if s.used != 1 || s.big.values > 0 || s.holdsDropped || s.policy() == Drop {
		s.rewind(position{})
		return
	}
	s.high = max(s.high, s.Len())
	needed := &s.demand.windows[0]
	needed.chunks = max(needed.chunks, 1)
	chunk := s.chunks[0]
	from := len(chunk) - len(s.free)
	if from > 0 {
		noteWrite(chunk[:from])
		clear(chunk[:from])
	}
	noteWrite(chunk[from+s.left:])
	clear(chunk[from+s.left:])
	s.used, s.total, s.lost = 0, 0, 0
	s.free, s.left = nil, 0
}

// clearSince clears the slots that were handed out since a position, so that all free slots are zero
// and hold on to nothing. It goes chunk by chunk: while the collector marks, clearing pointers in
// one long run costs some fifty times as much. It begins with the newest chunks, which the
// processor's cache still has; the oldest are cleared last, so that the cache has them when they are
// used next.
func (s *Slab[T]) clearSince(to position) {
	if s.used == 0 {
		return
	}
	current, from := s.chunks[s.used-1], s.from()
	if s.used == to.used {
		noteWrite(current[to.from:from])
		clear(current[to.from:from])
		noteWrite(current[from+s.left : to.from+to.left])
		clear(current[from+s.left : to.from+to.left])
		return
	}
	noteWrite(current[:from])
	clear(current[:from])
	noteWrite(current[from+s.left:])
	clear(current[from+s.left:])
	for i := s.used - 2; i >= to.used; i-- {
		noteWrite(s.chunks[i])
		clear(s.chunks[i])
	}
	if to.used > 0 {
		noteWrite(s.chunks[to.used-1][to.from : to.from+to.left])
		clear(s.chunks[to.used-1][to.from : to.from+to.left])
	}
}

// drop frees what was handed out since a position and never hands those slots out again: chunks
// begun since are left to the collector, all but one rest, and the slots used since in an older one
// are lost until Reset. From then on the slab drops, whatever its policy, until it holds no such
// slots.
func (s *Slab[T]) drop(to position) {
	if to.used == 0 {
		s.first = s.total - s.left
		s.giveRest()
	} else if s.used > to.used {
		s.keepRest()
	}
	s.holdsDropped = to.used > 0
	s.begun = min(s.begun, to.used)
	live := to.total - to.lost - to.left // as Len, big blocks apart
	if s.used > to.used {
		s.free, s.left = nil, 0
	}
	for i := to.used; i < len(s.chunks); i++ {
		s.give(len(s.chunks[i]))
		s.chunks[i] = nil
	}
	s.chunks = s.chunks[:to.used]
	s.used, s.total = to.used, to.total
	s.lost = s.total - s.left - live
	s.dropBlocks(to.bigUsed, to.bigValues)
}

// A rest is what a Rewind under Drop leaves of the newest chunk: slots that were never handed out.
// Without it, a mark for one temporary value would cost a whole chunk. The rest is kept apart from
// the slab's chunks, since those begun after a mark go when it is rewound to.
type rest[T any] struct {
	chunk      []T // whole, since all of it is held
	from, left int // the free slots: left of them, starting at from
}

// keepRest keeps the current chunk, whose values are dropped, if it has more free slots than the rest
// that is there. In the checking build it keeps none: there what came after a mark is told by its
// chunk.
func (s *Slab[T]) keepRest() {
	if checking || s.left <= s.rest.left {
		return
	}
	s.giveRest()
	s.rest = rest[T]{s.chunks[s.used-1], s.from(), s.left}
	s.chunks[s.used-1] = nil // so that it isn't given up with the others
}

func (s *Slab[T]) giveRest() {
	s.give(len(s.rest.chunk))
	s.rest = rest[T]{}
}

// enterRest makes the rest the current chunk, the last one: drop has left no idle chunks behind it.
func (s *Slab[T]) enterRest() {
	r := s.rest
	s.rest = rest[T]{}
	s.lost += s.left + len(r.chunk) - r.left
	s.free, s.left = r.chunk[r.from:], r.left
	s.chunks = append(s.chunks, r.chunk)
	s.total += len(r.chunk)
	s.used++
	s.begun = s.used
}

func (s *Slab[T]) release() {
	s.rewind(position{})
	s.Trim(0)
	s.chunks, s.big.list, s.first = nil, nil, 0
}
