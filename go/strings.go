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
// It is an io.Writer for the string being built; End finishes that. A Strings must not be copied,
// and belongs to one goroutine at a time.
type Strings struct {
	free     []byte // rest of the current chunk, which no string shows
	building []byte // the string being built, which no string shows either
	interned map[string]string

	_     noCopy
	owner *Arena // whose limit counts, or nil
	made  int    // chunks since the last Release, for their size
	most  int    // most strings interned at a time since the map was made
	stats Stats
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
	start := len(s.building)
	for _, p := range parts {
		s.building = append(s.building, p...)
	}
	return s.finish(start)
}

// Intern returns b as a string, the same memory for equal contents until the next Reset.
func (s *Strings) Intern(b []byte) string {
	if v, ok := s.interned[string(b)]; ok { // no allocation: the compiler sees the conversion's use
		return v
	}
	if s.interned == nil {
		s.interned = make(map[string]string)
	}
	v := s.Copy(b)
	s.interned[v] = v
	return v
}

// Write appends to the string being built. It never fails.
func (s *Strings) Write(p []byte) (int, error) {
	s.building = append(s.building, p...)
	return len(p), nil
}

// WriteString appends to the string being built. It never fails.
func (s *Strings) WriteString(v string) (int, error) {
	s.building = append(s.building, v...)
	return len(v), nil
}

// WriteByte appends to the string being built. It never fails.
func (s *Strings) WriteByte(c byte) error {
	s.building = append(s.building, c)
	return nil
}

// WriteRune appends to the string being built. It never fails.
func (s *Strings) WriteRune(r rune) (int, error) {
	n := len(s.building)
	s.building = utf8.AppendRune(s.building, r)
	return len(s.building) - n, nil
}

// End returns the string being built, and begins an empty one.
func (s *Strings) End() string { return s.finish(0) }

// finish makes a string of what was built from start on.
func (s *Strings) finish(start int) string {
	v := s.Copy(s.building[start:])
	s.building = s.building[:start]
	return v
}

// Reset forgets what was interned, and a string being built. Strings made before stay good: their
// chunks are the collector's, and only bytes that no string shows are handed out further.
func (s *Strings) Reset() {
	s.most = max(s.most, len(s.interned))
	switch {
	case s.most > 64 && len(s.interned) < s.most/8: // clearing costs by the map's size, not its use
		s.interned, s.most = nil, 0
	case len(s.interned) > 0:
		clear(s.interned)
	}
	s.building = s.building[:0]
	if cap(s.building) > maxChunkBytes {
		s.building = nil
	}
	s.forget(len(s.free))
}

// Release is Reset, and lets go of all memory.
func (s *Strings) Release() {
	s.Reset()
	s.forget(0)
	s.free, s.building, s.interned, s.made, s.most = nil, nil, nil, 0, 0
}

// Stats reports strings made since the last Reset.
func (s *Strings) Stats() Stats {
	st := s.stats
	st.HighWaterBytes = max(st.HighWaterBytes, st.UsedBytes)
	return st
}

// forget leaves all but the last bytes held to the collector.
func (s *Strings) forget(keep int) {
	if s.owner != nil {
		s.owner.held -= s.stats.HeldBytes - keep
	}
	s.stats = Stats{HighWaterBytes: s.Stats().HighWaterBytes, HeldBytes: keep, Chunks: min(keep, 1)}
}

// take returns n bytes that no string shows.
func (s *Strings) take(n int) []byte {
	switch {
	case n > len(s.free) && n > bigBytes:
		s.count(n)
		s.stats.Objects++
		s.stats.UsedBytes += n
		return make([]byte, n)
	case n > len(s.free):
		size := minChunkBytes << min(s.made, chunkDoublings)
		if s.owner != nil && s.owner.LimitBytes > 0 {
			size = min(size, s.owner.LimitBytes-s.owner.held)
		}
		size = max(size, n)
		s.count(size)
		s.made++
		s.free = make([]byte, size)
	}
	b := s.free[:n:n]
	s.free = s.free[n:]
	s.stats.Objects++
	s.stats.UsedBytes += n
	return b
}

func (s *Strings) count(bytes int) {
	if s.owner != nil {
		s.owner.checkInUse()
		s.owner.takeOrPanic(bytes, reflect.TypeFor[string]())
	}
	s.stats.HeldBytes += bytes
	s.stats.Chunks++
}

// Strings returns the arena's maker of strings, whose memory counts against the arena's limit.
func (a *Arena) Strings() *Strings {
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
