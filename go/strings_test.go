// SPDX-License-Identifier: MIT

package toft

import (
	"fmt"
	"testing"
	"unsafe"
)

// Strings keep their bytes for good, whatever comes after.
func TestStringsNeverChange(t *testing.T) {
	var a Arena
	var kept, want []string
	buffer := make([]byte, 40_000)
	for round := range 200 {
		for i := range 20 {
			n := (round*20 + i) * 7 % 400
			if i == 0 {
				n *= 100
			}
			for j := range buffer[:n] {
				buffer[j] = byte(round + i + j)
			}
			kept = append(kept, String(&a, buffer[:n]))
			want = append(want, string(buffer[:n]))
		}
		a.Strings().WriteString("thrown away")
		a.Reset()
	}
	for i := range kept {
		if kept[i] != want[i] {
			t.Fatalf("string %d changed", i)
		}
	}
}

func TestIntern(t *testing.T) {
	var s Strings
	for range 3 {
		a, b := s.Intern([]byte("word")), s.Intern([]byte("word"))
		if a != "word" || unsafe.StringData(a) != unsafe.StringData(b) {
			t.Errorf("%q and %q are two", a, b)
		}
		for i := range 1000 {
			s.Intern(fmt.Append(nil, i))
		}
		if got := s.Stats().Objects; got != 1001 {
			t.Errorf("%d strings", got)
		}
		s.Reset()
	}
	s.Intern([]byte("a"))
	s.Reset() // lets the large map go
	if s.interned.places != nil {
		t.Error("a map for a thousand strings is kept for one")
	}
}

func TestBuild(t *testing.T) {
	var s Strings
	for range 3 {
		s.WriteString("id=")
		fmt.Fprintf(&s, "%03d", 7)
		s.WriteByte(' ')
		s.WriteRune('é')
		if in := s.Concat("a", "b", "") + s.Copy([]byte("c")) + s.Sprintf("%d", 1); in != "abc1" {
			t.Errorf("made in between: %q", in)
		}
		if got := s.End(); got != "id=007 é" {
			t.Errorf("built %q", got)
		}
		if got := s.End(); got != "" {
			t.Errorf("then %q", got)
		}
		s.Reset()
	}
	s.Release()
	if st := s.Stats(); st.HeldBytes != 0 {
		t.Errorf("after Release: %+v", st)
	}
}

// The strings of an arena go back by the arena's marks, which their own Reset would not know.
func TestStringsOfAnArenaAreNotResetAlone(t *testing.T) {
	var a Arena
	s := a.Strings()
	kept := s.Intern([]byte("kept"))
	m := a.Save()
	s.Intern([]byte("newer"))
	mustPanic(t, "call the Arena's Reset", s.Reset)
	mustPanic(t, "call the Arena's Release", s.Release)
	a.Rewind(m)
	if again := s.Intern([]byte("kept")); unsafe.StringData(again) != unsafe.StringData(kept) {
		t.Error("what was interned before the mark is gone")
	}
	a.Reset()
	a.Release()
	if st := s.Stats(); st.Objects != 0 || st.HeldBytes != 0 {
		t.Errorf("after the Arena's Release: %+v", st)
	}
}

func TestStringsStayInTheirMemory(t *testing.T) {
	var s Strings
	s.Reset()
	for range 10_000 {
		s.Copy([]byte("some text of 24 bytes..."))
		s.Reset()
	}
	if held := s.Stats().HeldBytes; held > maxChunkBytes {
		t.Errorf("%d bytes held", held)
	}
}

// The table has a place for a string that is on its way into it, or the string doesn't fit.
func TestInternNearLimit(t *testing.T) {
	intern := func(a *Arena, n int) (err error) {
		defer CatchLimit(&err)
		b := make([]byte, n)
		if s := a.Strings().Intern(b); unsafe.StringData(s) != unsafe.StringData(a.Strings().Intern(b)) {
			t.Errorf("%d bytes: not the same string", n)
		}
		return nil
	}
	fits, refused := 0, 0
	note := func(err error) {
		if err == nil {
			fits++
		} else {
			refused++
		}
	}
	for n := 1; n <= 1100; n++ {
		note(intern(&Arena{LimitBytes: 1000}, n))
	}
	for n := 60_000; n <= 65_200; n += 8 {
		a := Arena{LimitBytes: 1 << 16}
		for i := range 100 {
			a.Strings().Intern(fmt.Appendf(nil, "word %d", i))
		}
		a.Reset()
		Make[byte](&a, n, n)
		note(intern(&a, 1000))
		if a.held > a.LimitBytes {
			t.Fatalf("%d bytes held", a.held)
		}
		a.Reset()
		if err := intern(&a, 1000); err != nil {
			t.Fatal("after a Reset:", err)
		}
	}
	if fits < 300 || refused < 300 {
		t.Errorf("%d fit, %d don't", fits, refused)
	}
}
