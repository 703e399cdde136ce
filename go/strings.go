// SPDX-License-Identifier: MIT

package toft

import (
	"reflect"
	"unicode/utf8"
	"unsafe"
)

// Strings makes strings without an allocation for each: copies and interns them, and builds them
// piece by piece or by a format. The zero value is ready to use.
//
// Bytes that a string may still show are never used again, not after Reset either: a string from
// here is as safe as any other, and keeps the chunk of at most 64 KiB that it lies in alive.
//
// It is an io.Writer for the string being built; End finishes that. It builds one string at a time: where
// what is called meanwhile, such as a String method, builds one in the same Strings, that End takes the
// outer text as well. Sprintf, Concat and Copy leave the string being built alone. A Strings must not be
// copied, and belongs to one goroutine at a time.
//
// In an arena with a limit, each of its methods may panic with a *LimitError. It then leaves
// everything as it was: the strings that are there, and the string being built.
type Strings struct {
	building []byte // the bytes of the string being built, which no finished string shares
	parked   []byte // the same while the arena is idle in a Pool, so that who builds a string is told
	text     text   // the bytes of strings
	interned interned

	_     noCopy
	owner *Arena // whose limit counts, or nil
	most  Stats  // at its highest

	busy     bool // what building has room for is in use, though it may be empty
	ordinary bool // of a nil Arena: each string has a block of its own, and pins no others
}

// Copy returns b as a string.
func (s *Strings) Copy(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	dst := s.take(len(b))
	copy(dst, b)
	return unsafe.String(&dst[0], len(dst))
}

// Concat returns the parts as one string.
func (s *Strings) Concat(parts ...string) string {
	n := 0
	for _, p := range parts {
		n = s.addLengths(n, len(p))
	}
	if n == 0 {
		return ""
	}
	dst := s.take(n)
	at := 0
	for _, p := range parts {
		at += copy(dst[at:], p)
	}
	return unsafe.String(&dst[0], n)
}

// Write appends to the string being built. The error is always nil.
func (s *Strings) Write(p []byte) (int, error) {
	s.building = append(s.room(s.building, len(p)), p...)
	return len(p), nil
}

// WriteString appends to the string being built. The error is always nil.
func (s *Strings) WriteString(v string) (int, error) {
	s.building = append(s.room(s.building, len(v)), v...)
	return len(v), nil
}

// WriteByte appends to the string being built. The error is always nil.
func (s *Strings) WriteByte(c byte) error {
	s.building = append(s.room(s.building, 1), c)
	return nil
}

// WriteRune appends to the string being built. The error is always nil.
func (s *Strings) WriteRune(r rune) (int, error) {
	n := len(s.building)
	s.building = utf8.AppendRune(s.room(s.building, utf8.UTFMax), r)
	return len(s.building) - n, nil
}

// End returns the string being built, and begins an empty one.
func (s *Strings) End() string {
	v := s.Copy(s.building)
	s.building = s.building[:0]
	return v
}

// Reset forgets what was interned, and a string being built. Strings made before stay good: their
// chunks are the collector's, and only bytes that no string shows are handed out further. It panics
// for the Strings of an Arena, which may have a mark to rewind to: the Arena resets them.
func (s *Strings) Reset() {
	s.standsAlone("Reset")
	s.reset()
}

func (s *Strings) reset() {
	s.noteHighest()
	s.count(s.interned.reset())
	s.building = s.building[:0]
	if cap(s.building) > s.mostIdle() {
		s.dropBuilding()
	}
	s.count(s.text.rewind(textPosition{}))
	if s.text.idleBytes() > s.mostIdle() { // else one short string would take it all
		s.count(s.text.trim())
	}
}

// Release is Reset, and lets go of all memory. It panics for the Strings of an Arena, too.
func (s *Strings) Release() {
	s.standsAlone("Release")
	s.release()
}

func (s *Strings) release() {
	s.reset()
	s.dropBuilding()
	s.count(s.interned.release())
	s.count(s.text.release())
}

// Stats reports strings made since the last Reset. The bytes held are those of their chunks, of the
// string being built, and of the table of what is interned.
func (s *Strings) Stats() Stats {
	return Stats{
		Objects:        s.text.objects,
		UsedBytes:      s.text.usedBytes,
		HeldBytes:      s.text.heldBytes() + cap(s.building) + s.interned.heldBytes(),
		HighWaterBytes: max(s.most.UsedBytes, s.text.usedBytes),
		Chunks:         s.text.chunks,
	}
}

// Strings returns the arena's maker of strings, whose memory counts against the arena's limit. If a
// is nil, it is a new one each time, whose strings are ordinary ones: keep it in a variable to build a
// string or to intern.
func (a *Arena) Strings() *Strings {
	if a == nil {
		return &Strings{ordinary: true}
	}
	a.text.owner = a
	return &a.text
}

// String returns b as a string whose bytes lie in the arena. It stays good after a Reset.
func String(a *Arena, b []byte) string {
	if a == nil {
		return string(b)
	}
	return a.Strings().Copy(b)
}

// room returns b with a capacity for n bytes more. The first bytes of b are those of the string being
// built; a printer has appended others to them. If b has to move, the string being built moves with
// it.
func (s *Strings) room(b []byte, n int) []byte {
	if n <= cap(b)-len(b) {
		return b
	}
	return s.roomSlow(b, n)
}

func (s *Strings) roomSlow(b []byte, n int) []byte {
	const smallest = 64
	s.busy = true // b may be larger than the string being built, and a limit gives back no part of it
	defer s.done()
	size := s.addLengths(len(b), n)
	size = s.sharing(size-cap(b), max(size, 2*cap(b), smallest)-cap(b)) + cap(b)
	bigger := make([]byte, len(b), size) // may panic: before anything changes
	copy(bigger, b)
	s.count(size - cap(b))
	s.building = bigger[:len(s.building)]
	return bigger
}

// mostIdle is how much memory Reset keeps for the next string to be built, and how much for the next
// strings.
func (s *Strings) mostIdle() int {
	if s.owner != nil && s.owner.LimitBytes > 0 {
		return min(maxChunkBytes, s.owner.LimitBytes/16)
	}
	return maxChunkBytes
}

func (s *Strings) standsAlone(verb string) {
	if s.owner != nil {
		panic("toft: " + verb + " of the Strings of an Arena; call the Arena's " + verb)
	}
}

func (s *Strings) done() { s.busy = false }

func (s *Strings) dropBuilding() {
	s.count(-cap(s.building))
	s.building = nil
}

// noteHighest keeps the high-water mark before strings are given up.
func (s *Strings) noteHighest() { s.most.UsedBytes = max(s.most.UsedBytes, s.text.usedBytes) }

// count notes that the bytes held have changed.
func (s *Strings) count(bytes int) {
	if s.owner != nil {
		s.owner.held += bytes
	}
}

// addLengths adds two lengths, and panics if no memory can hold the sum.
func (s *Strings) addLengths(a, b int) int {
	if b > maxBytes-a {
		s.owner.refuse(reflect.TypeFor[string](), "a string longer than memory can hold")
	}
	return a + b
}
