// SPDX-License-Identifier: MIT

package toft

import "reflect"

// A text is where the bytes of strings lie: in chunks that are filled one after the other, and in
// blocks of their own for long strings. Only the current chunk is known; the others are kept by
// their strings alone. What is counted is
//
//   - behind: the chunks left behind and the long blocks, as far as strings that count lie in them;
//   - current: the current chunk, or only its free rest, if no string that counts lies in it.
type text struct {
	free            []byte // rest of the current chunk, in which no string lies
	parked          []byte // the same while the arena is idle in a Pool, so that who takes text is told
	behind, current int
	shown           bool // a string that counts lies in the current chunk
	serial          int  // of the current chunk
	grown           int  // chunks since the text last went, for their size

	objects, usedBytes, chunks int
}

// A textPosition is a text's state at one moment, to come back to.
type textPosition struct {
	text     text
	interned int
}

func (x *text) heldBytes() int { return x.behind + x.current }

// take returns n bytes, at least one, in which no string lies.
func (s *Strings) take(n int) []byte {
	x := &s.text
	if n > len(x.free) {
		if n > bigBytes || s.ordinary {
			return s.takeBlock(n)
		}
		s.nextChunk(n)
	}
	b := x.free[:n:n]
	x.free = x.free[n:]
	x.shown = true
	x.objects++
	x.usedBytes += n
	return b
}

func (s *Strings) takeBlock(n int) []byte {
	b := make([]byte, s.fitting(n, n))
	s.count(n)
	x := &s.text
	x.behind += n
	x.chunks++
	x.objects++
	x.usedBytes += n
	return b
}

// nextChunk leaves the current chunk for one with room for n bytes.
func (s *Strings) nextChunk(n int) {
	x := &s.text
	size := s.sharing(n, max(n, minChunkBytes<<min(x.grown, chunkDoublings)))
	x.free = make([]byte, size)
	if x.shown {
		x.behind += x.current
		x.chunks++
	} else {
		s.count(-x.current)
		x.chunks = max(x.chunks, 1)
	}
	s.count(size)
	x.current, x.shown = size, false
	x.serial++
	x.grown++
}

// fitting returns the wanted number of bytes, or fewer if the owner's limit is near. It panics if
// not even the least number fits.
func (s *Strings) fitting(least, wanted int) int {
	a := s.owner
	if a == nil {
		return wanted
	}
	a.checkInUse()
	if a.fits(wanted) {
		return wanted
	}
	a.makeRoom(least, reflect.TypeFor[string]())
	return max(least, min(wanted, a.LimitBytes-a.held))
}

// sharing is fitting for memory that more is to be put into: near the limit it leaves some of the room
// to other types, as the chunks of slabs do.
func (s *Strings) sharing(least, wanted int) int {
	size := s.fitting(least, wanted)
	if size == wanted {
		return size
	}
	return max(least, s.owner.shareOfRest())
}

// rewind stops counting the strings made since a position, and returns by how much the bytes held
// have changed. The zero position is that of no strings.
func (x *text) rewind(to textPosition) (change int) {
	change = -x.heldBytes()
	was := &to.text
	switch {
	case was.serial != x.serial || was.serial == 0:
		x.behind = was.behind
		if was.shown {
			x.behind += was.current
		}
		x.current, x.shown = len(x.free), false
	default:
		x.behind, x.shown = was.behind, was.shown
		if !x.shown {
			x.current = len(x.free)
		}
	}
	x.objects, x.usedBytes, x.chunks = was.objects, was.usedBytes, was.chunks
	if x.current > 0 {
		x.chunks = max(x.chunks, 1)
	}
	return change + x.heldBytes()
}

// idleBytes are those of a chunk in which no string lies that counts.
func (x *text) idleBytes() int {
	if x.shown {
		return 0
	}
	return x.current
}

// trim gives the idle bytes back.
func (x *text) trim() (change int) {
	change = -x.idleBytes()
	if change == 0 {
		return 0
	}
	x.free, x.current, x.grown = nil, 0, 0
	if x.objects == 0 {
		x.chunks = 0
	}
	return change
}

// release lets go of the current chunk, when no strings count.
func (x *text) release() (change int) {
	change = -x.heldBytes()
	*x = text{serial: x.serial}
	return change
}

// position is that of all strings made so far.
func (s *Strings) position() textPosition {
	p := textPosition{text: s.text, interned: len(s.interned.list)}
	p.text.free = nil
	return p
}

// rewind stops counting the strings made since a position, and forgets those interned since.
func (s *Strings) rewind(to textPosition) {
	s.noteHighest()
	s.interned.rewind(to.interned)
	s.count(s.text.rewind(to))
}

// idleBytes are held for reuse only.
func (s *Strings) idleBytes() int {
	return s.interned.idleBytes() + s.text.idleBytes() + s.idleBuilding()
}

// idleBuilding are the bytes of what a string is built in, if none is being built.
func (s *Strings) idleBuilding() int {
	if len(s.building) > 0 || s.busy {
		return 0
	}
	return cap(s.building)
}

// trim gives back the idle bytes.
func (s *Strings) trim() {
	s.count(s.interned.trim())
	s.count(s.text.trim())
	if s.idleBuilding() > 0 {
		s.dropBuilding()
	}
}
