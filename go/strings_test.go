// SPDX-License-Identifier: MIT

package toft

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
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
	if s.interned != nil {
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

type id int

type label string

func TestSprintfAgreesWithFmt(t *testing.T) {
	var a Arena
	values := []any{
		0, 1, -1, 42, int8(-128), int64(math.MinInt64), uint64(math.MaxUint64), uint8(200),
		uintptr(5), id(7),
		0.0, 1.5, -2.25, 1e21, 1e-7, float32(0.1), math.Inf(1), math.Inf(-1), math.NaN(),
		"", "text", "two words", "é日本", "\x00\"quoted\"\n", label("named"), true, false, 'x', '日',
	}
	for _, v := range values {
		for _, verb := range verbsFor(v) {
			for _, flags := range []string{
				"", "1", "12", "-12", "012", "+", "+012", ".3", "8.2", "-8.0",
			} {
				if !alike(v, verb, flags) {
					continue
				}
				format := "<%" + flags + string(verb) + ">"
				got, want := Sprintf(&a, format, v), fmt.Sprintf(format, v)
				if got != want {
					t.Errorf("%s of %v: %q, fmt has %q", format, v, got, want)
				}
			}
		}
	}
	for _, c := range []struct {
		got, want string
	}{
		{Sprintf(&a, "100%% of %s", []byte("bytes")), "100% of bytes"},
		{Sprintf(&a, "%d"), "%!d(MISSING)"},
		{Sprintf(&a, "%"), "%!(NOVERB)"},
		{Sprintf(&a, "x", 1), "x%!(EXTRA)"},
		{Sprintf(&a, "%s", 1), "%!s(BADTYPE)"},
		{Sprintf(&a, "%d", pair{}), "%!d(BADTYPE)"},
		{Sprintf(&a, "%v", nil), "%!v(BADTYPE)"},
		{Sprintf(&a, "%y", "x"), "%!y(BADTYPE)"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func verbsFor(v any) string {
	switch reflect.TypeOf(v).Kind() {
	case reflect.Float64, reflect.Float32:
		return "vefg"
	case reflect.String:
		return "vsqxX"
	case reflect.Bool:
		return "vt"
	}
	return "vdxXobcq"
}

// alike tells whether Sprintf means to be like fmt: not in zeros before text, which depend on
// fmt's version, in quotes limited to ASCII, or in precisions of characters.
func alike(v any, verb rune, flags string) bool {
	textual := reflect.TypeOf(v).Kind() == reflect.String || strings.ContainsRune("qctv", verb)
	character := verb == 'c' || verb == 'q' && reflect.TypeOf(v).Kind() != reflect.String
	switch {
	case textual && strings.Contains(flags, "0"),
		verb == 'q' && strings.Contains(flags, "+"),
		character && strings.Contains(flags, "."):
		return false
	}
	return true
}

// Formatting makes no garbage but a chunk now and then.
func TestSprintfMakesNoGarbage(t *testing.T) {
	var a Arena
	number, text := 123456, "text"
	line := func() {
		for range 100 {
			Sprintf(&a, "%s %d %x %8.3f %v %q",
				text, number, uint16(number), 2.5, number > 5, []byte(text))
		}
		a.Reset()
	}
	line()
	before := mallocs()
	for range 100 {
		line()
	}
	if n := mallocs() - before; n > 20 { // 10,000 strings of 40 bytes take some 7 chunks of 64 KiB
		t.Errorf("%d allocations for 10000 strings", n)
	}
}

func mallocs() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}
