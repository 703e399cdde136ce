// SPDX-License-Identifier: MIT

package toft

import (
	"fmt"
	"runtime"
	"testing"
)

// A limit is hard for text as well, for what is being built, and for the table of what is interned.
func TestLimitOnText(t *testing.T) {
	const limit = 1 << 20
	kilobyte := make([]byte, 1024)
	for _, c := range []struct {
		name string
		more func(s *Strings, i int)
	}{
		{"Write", func(s *Strings, i int) { s.Write(kilobyte) }},
		{"WriteByte", func(s *Strings, i int) { s.WriteByte('x') }},
		{"WriteRune", func(s *Strings, i int) { s.WriteRune('é') }},
		{"Printf", func(s *Strings, i int) { s.Printf("%d %x", i, kilobyte) }},
		{"Copy", func(s *Strings, i int) { s.Copy(kilobyte[:100]) }},
		{"Intern", func(s *Strings, i int) { s.Intern(fmt.Append(nil, i)) }},
	} {
		a := Arena{LimitBytes: limit}
		before := heapAfter()
		err := limited(func() {
			for i := range 4 << 20 {
				c.more(a.Strings(), i)
			}
		})
		if err == nil {
			t.Errorf("%s: no LimitError", c.name)
		}
		if held := int64(heapAfter()) - int64(before); held > limit+limit/16 {
			t.Errorf("%s: %d bytes are held, with a limit of %d", c.name, held, limit)
		}
		if held := a.held; held > limit || held < limit/4 {
			t.Errorf("%s: %d bytes are counted, with a limit of %d", c.name, held, limit)
		}
		a.Reset()
		if a.Strings().Copy([]byte("text")) != "text" {
			t.Errorf("%s: no text after a Reset", c.name)
		}
		runtime.KeepAlive(&a)
	}
}

// A table in which nothing is interned any more makes room for a string to intern, which needs a smaller one.
func TestTableOfEarlierRoundsTakesNoRoom(t *testing.T) {
	a := Arena{LimitBytes: 400_000}
	for i := range 5000 {
		a.Strings().Intern(fmt.Append(nil, i))
	}
	a.Reset()
	if err := limited(func() { a.Strings().Intern(make([]byte, 300_000)) }); err != nil {
		t.Error(err)
	}
}

// Strings count until a Rewind, and no longer.
func TestRewindFreesText(t *testing.T) {
	a := Arena{LimitBytes: 300_000}
	s := a.Strings()
	kept, word := s.Intern([]byte("kept")), make([]byte, 100)
	before := s.Stats()
	rounds := 30_000
	if checking {
		rounds = 100 // each with two collections
	}
	err := limited(func() {
		for i := range rounds {
			outer := a.Save()
			s.Intern(fmt.Append(word[:0], i))
			Sprintf(&a, "%s %d", word, i)
			inner := a.Save()
			s.Copy(word)
			s.Intern(word)
			if i%100 == 0 {
				s.Copy(make([]byte, 20_000))
			}
			a.Rewind(inner)
			s.Intern(fmt.Append(word[:0], -i))
			a.Rewind(outer)
		}
	})
	if err != nil {
		t.Error(err)
	}
	after := s.Stats()
	if after.Objects != before.Objects || after.UsedBytes != before.UsedBytes {
		t.Errorf("%+v, before the loop %+v", after, before)
	}
	if again := s.Intern([]byte("kept")); &again == &kept || s.Stats() != after {
		t.Error("what was interned before the loop is gone")
	}
	if want := a.Stats().HeldBytes + after.HeldBytes; a.held != want {
		t.Errorf("%d bytes counted, %d held", a.held, want)
	}
}

// A string that stays keeps its chunk, which goes on to count.
func TestTextBeforeTheMarkCounts(t *testing.T) {
	a := Arena{LimitBytes: 1 << 20}
	var kept []string
	piece := make([]byte, 10_000)
	err := limited(func() {
		for range 1000 {
			kept = append(kept, String(&a, []byte("kept")))
			m := a.Save()
			for range 7 {
				String(&a, piece)
			}
			a.Rewind(m)
		}
	})
	if n := len(kept); err == nil || n > 50 {
		t.Errorf("%d strings, each keeping a chunk of 64 KiB, fit into 1 MiB", n)
	}
}

// Text that comes near the limit leaves room for values, whichever way it grows.
func TestTextLeavesRoomForValues(t *testing.T) {
	const limit = 120 << 10
	for name, write := range map[string]func(s *Strings){
		"Copy":      func(s *Strings) { s.Copy(make([]byte, 100)) },
		"WriteByte": func(s *Strings) { s.WriteByte('x') },
	} {
		a := Arena{LimitBytes: limit}
		s := a.Strings()
		for a.held < limit/2 {
			write(s)
		}
		before := a.held
		for a.held == before { // the growth that doesn't fit as it should
			write(s)
		}
		if err := limited(func() { New[pair](&a) }); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What fits into a new arena fits into one that was reset, whatever it held before: text, text that was
// built, or formatted.
func TestTextOfEarlierRoundsTakesNoRoom(t *testing.T) {
	const limit = 128 << 10
	rounds := map[string]func(a *Arena){
		"strings": func(a *Arena) {
			for range 650 {
				String(a, make([]byte, 100))
			}
		},
		"a string in the end": func(a *Arena) {
			String(a, make([]byte, 100))
			Make[byte](a, 100<<10, 100<<10)
		},
		"values":         func(a *Arena) { Make[byte](a, limit, limit) },
		"long text":      func(a *Arena) { String(a, make([]byte, limit)) },
		"formatted text": func(a *Arena) { Sprintf(a, "%50000d", 7) },
		"built text": func(a *Arena) {
			for range 30_000 {
				a.Strings().WriteByte('x')
			}
			a.Strings().End()
		},
	}
	for before, first := range rounds {
		for name, round := range rounds {
			a := Arena{LimitBytes: limit}
			for i, f := range []func(*Arena){first, round, first, round} {
				if err := limited(func() { f(&a) }); err != nil {
					t.Errorf("%s after %s, round %d: %v", name, before, i, err)
				}
				if want := a.Stats().HeldBytes + a.Strings().Stats().HeldBytes; a.held != want {
					t.Errorf("%s after %s, round %d: %d counted, %d held", name, before, i, a.held, want)
				}
				a.Reset()
			}
		}
	}
}

// So it is where a mark was rewound to, and where what a string was built in lies idle.
func TestIdleTextMakesRoom(t *testing.T) {
	const limit = 128 << 10
	a := Arena{LimitBytes: limit}
	kept := String(&a, []byte("kept"))
	m := a.Save()
	inner := a.Save()
	for range 600 {
		String(&a, make([]byte, 100))
	}
	a.Rewind(inner)
	for _, f := range []func(){
		func() { Make[byte](&a, limit-2048, limit-2048) },
		func() { String(&a, make([]byte, limit-2048)) },
		func() { a.Strings().Write(make([]byte, 50_000)); a.Strings().End() },
		func() { Make[byte](&a, 70_000, 70_000) },
		func() { Sprintf(&a, "%50000d", 7) },
		func() { Make[byte](&a, 70_000, 70_000) },
	} {
		inner := a.Save()
		if err := limited(f); err != nil {
			t.Error(err)
		}
		a.Rewind(inner)
	}
	a.Rewind(m)
	String(&a, []byte("more"))
	a.Reset()
	if a.Trim(0); a.held != 0 || a.Strings().Stats() != (Stats{HighWaterBytes: a.text.most.UsedBytes}) {
		t.Errorf("%d bytes are held after a Trim to nothing: %+v", a.held, a.Strings().Stats())
	}
	if kept != "kept" {
		t.Errorf("a string became %q", kept)
	}
	// What is being built, or formatted, isn't idle.
	s := a.Strings()
	s.WriteString("head ")
	if limited(func() { Make[byte](&a, limit, limit) }) == nil {
		t.Error("room was made of what is being built")
	}
	s.WriteString("tail")
	if v := s.End(); v != "head tail" {
		t.Errorf("built %q", v)
	}
	if limited(func() { Sprintf(&a, "%70000d", 7) }) == nil {
		t.Error("two times 70000 bytes fit into 128 KiB")
	}
}
