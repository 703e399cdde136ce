// SPDX-License-Identifier: MIT

package toft

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

func TestLimit(t *testing.T) {
	a := Arena{LimitBytes: 100_000}
	fill := func() (n int, err error) {
		defer CatchLimit(&err)
		for {
			New[[32]byte](&a)
			n++
		}
	}
	n, err := fill()
	var limit *LimitError
	if !errors.As(err, &limit) {
		t.Fatalf("error %v", err)
	}
	if limit.Type != reflect.TypeFor[[32]byte]() || limit.LimitBytes != 100_000 {
		t.Errorf("error %v", err)
	}
	if used := n * 32; used < 90_000 || used > 100_000 {
		t.Errorf("%d bytes fit into 100000", used)
	}
	if a.Len() != n || a.Stats().HeldBytes > 100_000 {
		t.Errorf("Len %d of %d, %d bytes held", a.Len(), n, a.Stats().HeldBytes)
	}
	if _, err := fill(); err == nil {
		t.Error("a full arena has room")
	}
	a.Reset()
	// What another type holds idle makes room.
	func() {
		defer CatchLimit(&err)
		err = nil
		Make[uint64](&a, 10_000, 10_000)
	}()
	if err != nil {
		t.Error("after a Reset:", err)
	}
	func() {
		defer CatchLimit(&err)
		String(&a, make([]byte, 50_000))
	}()
	if !errors.As(err, &limit) || limit.Type != reflect.TypeFor[string]() {
		t.Errorf("a string beyond the limit: %v", err)
	}
	small := Arena{LimitBytes: 3000}
	if String(&small, []byte("a")) != "a" || len(String(&small, make([]byte, 1900))) != 1900 {
		t.Error("strings within the limit")
	}
	mustPanic(t, "other", func() {
		defer CatchLimit(&err)
		panic("other")
	})
}

// An arena fills up to its limit by few chunks, which share the room that is left, and takes little
// more than what it counts.
func TestFewChunksNearTheLimit(t *testing.T) {
	for _, limit := range []int{10 << 10, 48 << 10, 120 << 10, 1<<20 + 60<<10} {
		a := Arena{LimitBytes: limit}
		before := heapAfter()
		err := limited(func() {
			for i := range limit {
				New[int64](&a)
				if i == limit/8*3/4 {
					New[pair](&a) // for which there is room left
				}
			}
		})
		real := int64(heapAfter()) - int64(before)
		st := a.Stats()
		least := limit - limit/50 - 2*minChunkBytes
		if err == nil || SlabOf[pair](&a).Len() != 1 ||
			st.UsedBytes < least || st.HeldBytes > limit {
			t.Errorf("limit %d: error %v, %+v", limit, err, st)
		}
		if most := limit/maxChunkBytes + 2*chunkDoublings + 8; st.Chunks > most {
			t.Errorf("limit %d: %d chunks, more than %d", limit, st.Chunks, most)
		}
		if most := int64(limit + limit/8 + 8<<10); real > most {
			t.Errorf("limit %d: %d bytes are alive", limit, real)
		}
		runtime.KeepAlive(&a)
	}
}

// What the arena counts against its limit is what its slabs and strings hold.
func TestAccountsAgree(t *testing.T) {
	for _, policy := range []Policy{Reuse, Drop} {
		a := Arena{Policy: policy, LimitBytes: 1 << 30}
		for round := range 30 {
			m := a.Save()
			for i := range 50 * round {
				New[pair](&a)
				Make[byte](&a, i*37%20_000, i*37%20_000)
				String(&a, make([]byte, i*41%20_000))
			}
			if round%3 == 0 {
				a.Rewind(m)
			}
			check := func(when string) {
				if want := a.Stats().HeldBytes + a.Strings().Stats().HeldBytes; a.held != want {
					t.Fatalf("%v, round %d, %s: %d counted, %d held",
						policy, round, when, a.held, want)
				}
			}
			check("before Reset")
			a.Reset()
			check("after Reset")
		}
	}
}

// limited runs f and returns the LimitError that it ends with, or nil.
func limited(f func()) (err error) {
	defer CatchLimit(&err)
	f()
	return nil
}

// What fails for the limit leaves no text behind: neither its own, nor less of what was being built.
func TestLimitErrorLeavesTextAsItWas(t *testing.T) {
	a := Arena{LimitBytes: 100_000}
	text := a.Strings()
	long := strings.Repeat("x", 200_000)
	for _, c := range []struct {
		name string
		fail func()
	}{
		{"Sprintf", func() { Sprintf(&a, "%d %s", 7, long) }},
		{"Sprintf, quoted", func() { Sprintf(&a, "%q", long) }},
		{"Sprintf, wide", func() { Sprintf(&a, "%200000d", 7) }},
		{"Printf", func() { text.Printf("%s", long) }},
		{"Concat", func() { text.Concat("a", long) }},
		{"Copy", func() { text.Copy([]byte(long)) }},
		{"Intern", func() { text.Intern([]byte(long)) }},
		{"Write", func() { text.Write([]byte(long)) }},
		{"WriteString", func() { text.WriteString(long) }},
	} {
		text.WriteString("head ")
		if limited(c.fail) == nil {
			t.Errorf("%s: no LimitError", c.name)
		}
		text.WriteByte('+')
		if got := text.End(); got != "head +" {
			t.Errorf("after %s failed, the text is %.20q, %d bytes", c.name, got, len(got))
		}
	}
	// An End that fails leaves the text, so that a higher limit mends it.
	text.WriteString(long[:60_000])
	if limited(func() { text.End() }) == nil {
		t.Error("two times 60000 bytes fit into 100000")
	}
	a.LimitBytes = 1 << 20
	if got := text.End(); got != long[:60_000] {
		t.Errorf("after End failed, the text has %d bytes", len(got))
	}
}

// The built-in make panics for sizes beyond any memory: that counts nothing.
func TestFailedMakeHoldsNothing(t *testing.T) {
	if maxBytes>>32 == 0 {
		t.Skip("with 32 bits the built-in has no such size: it runs out of memory, which is the end")
	}
	const huge = maxBytes>>13 + 1 // for 2^50 values
	var a Arena
	var s Slab[int]
	New[int](&a)
	before := a.Stats()
	mustPanic(t, "out of range", func() { Make[int](&a, huge, huge) })
	mustPanic(t, "out of range", func() { Grow(&a, []int(nil), huge) })
	mustPanic(t, "out of range", func() { s.Make(huge) })
	if after := a.Stats(); after != before {
		t.Errorf("%+v, before %+v", after, before)
	}
	a.Release()
	if held := a.Stats().HeldBytes + s.Stats().HeldBytes + a.held; held != 0 {
		t.Errorf("%d bytes held", held)
	}
}

// A length that no memory can hold is a request beyond the limit, like any other. Such lengths come
// from input.
func TestLimitOnImpossibleLengths(t *testing.T) {
	a := Arena{LimitBytes: 1 << 20}
	for _, n := range []int{
		maxBytes, maxBytes - 1, maxBytes/2 + 1, maxBytes / 2, maxBytes/8 + 1, maxBytes / 8, maxBytes / 16,
	} {
		for name, fail := range map[string]func(){
			"Make of bytes":   func() { Make[byte](&a, n, n) },
			"Make of numbers": func() { Make[uint64](&a, n, n) },
			"Make of arrays":  func() { Make[[24]byte](&a, n, n) },
			"Make by handle":  func() { SlabOf[uint64](&a).Make(n) },
			"Grow from nil":   func() { Grow(&a, []uint64(nil), n) },
			"Grow":            func() { Grow(&a, []byte("bytes"), n) },
		} {
			var limit *LimitError
			if !errors.As(limited(fail), &limit) || limit.WantBytes < n || limit.LimitBytes != 1<<20 {
				t.Errorf("%s with %d: %v", name, n, limit)
			}
		}
	}
	if a.held != 0 {
		t.Errorf("%d bytes are counted", a.held)
	}
}

// A slice that can't double within the limit gets what it needs.
func TestGrowthUsesWhatTheLimitLeaves(t *testing.T) {
	const mebibyte = 1 << 20
	type huge [mebibyte]byte
	for name, grow := range map[string]func(*Arena){
		"a byte more for 22 MiB": func(a *Arena) {
			s := Make[byte](a, 22*mebibyte, 22*mebibyte)
			s[5] = 5
			if s = Append(a, s, 1); s[5] != 5 || s[len(s)-1] != 1 {
				t.Error("the elements have changed")
			}
		},
		"what a reset left idle goes": func(a *Arena) {
			Make[uint32](a, 10*mebibyte, 10*mebibyte)
			a.reset()
			Append(a, Make[byte](a, 22*mebibyte, 22*mebibyte), 1)
		},
	} {
		a := Arena{LimitBytes: 64 * mebibyte}
		if err := limited(func() { grow(&a) }); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	var a Arena
	if s := Append(&a, nil, huge{}); len(s) != 1 || a.Stats().HeldBytes != mebibyte {
		t.Errorf("one value of 1 MiB holds %d bytes", a.Stats().HeldBytes)
	}
}

// What fails for the limit changes nothing: the values there, the room that is left, the figures.
func TestLimitErrorChangesNothing(t *testing.T) {
	a := Arena{LimitBytes: 60_000}
	for range 3 {
		s := SlabOf[[100]byte](&a)
		for range 100 {
			s.New()
		}
		m := a.Save()
		for range 250 {
			s.New()
		}
		Make[int](&a, 100, 100)
		a.Rewind(m)
		stats, ints, left := a.Stats(), SlabOf[int](&a).Stats(), s.left
		for _, fail := range []func(){
			func() { Make[[100]byte](&a, 600, 600) },
			func() { Make[[100]byte](&a, 160, 160); Make[int64](&a, 7000, 7000) },
			func() { Append(&a, [][100]byte(nil), make([][100]byte, 600)...) },
			func() { New[[60_000]byte](&a) },
		} {
			m := a.Save()
			if limited(fail) == nil {
				t.Error("no LimitError")
			}
			a.Rewind(m)
		}
		if got := a.Stats(); got.Objects != stats.Objects || got.Objects != 100 {
			t.Errorf("%+v, before %+v", got, stats)
		}
		if s.left != left || SlabOf[int](&a).Stats().Objects != ints.Objects {
			t.Errorf("%d slots left, before %d", s.left, left)
		}
		a.Reset()
	}
}

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
