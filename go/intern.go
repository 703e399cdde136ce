// SPDX-License-Identifier: MIT

package toft

import (
	"hash/maphash"
	"math"
	"unsafe"
)

// The interned strings in the order they came, and a hash table of their numbers. It is a table of
// our own and not a map, so that its bytes are known and count against the limit, and because of
// Rewind, which removes the newest strings, the last one first. To remove that one, its place is
// emptied: no other string has been put elsewhere because that place was taken.
type interned struct {
	list   []string
	places []uint32 // one more than a string's number, or 0; at most half are in use
	seed   maphash.Seed
	most   int  // most strings at a time since the table was made
	pinned bool // a string is on its way into the table, which isn't idle then
}

const (
	smallestTable = 64
	mostInterned  = math.MaxUint32/2 - 1
)

// Intern returns b as a string, the same memory for equal contents until the next Reset, or until a
// Rewind to before it came.
func (s *Strings) Intern(b []byte) string {
	in := &s.interned
	in.pinned = false // of a string that didn't fit
	if s.owner != nil && !s.owner.fits(len(b)) {
		s.count(in.trim()) // of a table that is larger than needed
	}
	if len(in.places) == 0 {
		s.growInterned()
	}
	i := in.find(b)
	if at := in.places[i]; at != 0 {
		return in.list[at-1]
	}
	if len(in.list) == mostInterned {
		return s.Copy(b)
	}
	if 2*(len(in.list)+1) > len(in.places) {
		s.growInterned()
		i = in.find(b)
	}
	in.pinned = true // room for the string isn't made of its own place
	v := s.Copy(b)   // may panic: before anything that shows
	in.pinned = false
	in.list = append(in.list, v)
	in.places[i] = uint32(len(in.list))
	return v
}

// find returns the place of b, or an empty one where it belongs.
func (in *interned) find(b []byte) int {
	mask := uint64(len(in.places) - 1)
	i := maphash.Bytes(in.seed, b) & mask
	for in.places[i] != 0 && in.list[in.places[i]-1] != string(b) {
		i = (i + 1) & mask
	}
	return int(i)
}

// growInterned doubles the table.
func (s *Strings) growInterned() {
	in := &s.interned
	size := max(smallestTable, 2*len(in.places))
	bytes := tableBytes(size)
	s.fitting(bytes-in.heldBytes(), bytes-in.heldBytes())
	list, places := make([]string, len(in.list), size/2), make([]uint32, size)
	s.count(bytes - in.heldBytes())
	copy(list, in.list)
	if in.places == nil {
		in.seed = maphash.MakeSeed()
	}
	in.list, in.places = list, places
	for i, v := range list {
		in.places[in.find(unsafe.Slice(unsafe.StringData(v), len(v)))] = uint32(i + 1)
	}
}

// tableBytes is the memory of a table with so many places.
func tableBytes(places int) int {
	return places/2*int(unsafe.Sizeof("")) + places*int(unsafe.Sizeof(uint32(0)))
}

func (in *interned) heldBytes() int { return tableBytes(len(in.places)) }

// rewind forgets all but the first n strings.
func (in *interned) rewind(n int) {
	in.most = max(in.most, len(in.list))
	for i := len(in.list) - 1; i >= n; i-- {
		v := in.list[i]
		in.places[in.find(unsafe.Slice(unsafe.StringData(v), len(v)))] = 0
	}
	clear(in.list[n:])
	in.list = in.list[:n]
}

// reset forgets all strings, and lets go of a table that is much larger than the strings needed,
// for clearing costs by the table's size. It returns by how much the bytes held have changed.
func (in *interned) reset() (change int) {
	in.pinned = false
	in.most = max(in.most, len(in.list))
	if in.most > smallestTable && len(in.list) < in.most/8 {
		return in.release()
	}
	if len(in.list) > 0 {
		clear(in.places)
		clear(in.list)
		in.list = in.list[:0]
	}
	return 0
}

// idleBytes are those of a table in which nothing is interned.
func (in *interned) idleBytes() int {
	if len(in.list) > 0 || in.pinned {
		return 0
	}
	return in.heldBytes()
}

// trim gives the idle bytes back.
func (in *interned) trim() (change int) {
	if in.idleBytes() == 0 {
		return 0
	}
	return in.release()
}

func (in *interned) release() (change int) {
	change = -in.heldBytes()
	*in = interned{}
	return change
}
