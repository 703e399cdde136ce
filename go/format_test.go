// SPDX-License-Identifier: MIT

package toft

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
)

type (
	id     int
	label  string
	raw    []byte
	truth  bool
	called int    // fmt calls its String
	failed string // and this one's Error
	shaped uint8  // and this one's Format
)

func (called) String() string             { return "called" }
func (failed) Error() string              { return "failed" }
func (shaped) Format(s fmt.State, _ rune) { s.Write([]byte("shaped")) }

var formatted = []any{
	0, 1, -1, 42, int8(-128), int16(300), int64(math.MinInt64), uint64(math.MaxUint64), uint8(200),
	uint(9), uint32(1 << 31), uintptr(5), id(7), 'x', '日', rune(-1), 0x110000, '\x00',
	0.0, math.Copysign(0, -1), 1.0, 1.5, -2.25, 1e6, 1e20, 1e21, 1e-7, float32(0.1), 123456789.0,
	math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64, math.SmallestNonzeroFloat64,
	"", "text", "two words", "é日本", "\x00\"quoted\"\n`", "\xff\xe6\x97", label("named"),
	strings.Repeat("long é", 100) + "日", strings.Repeat("\x80", 600),
	true, false, truth(true), []byte(nil), []byte{}, []byte("bytes"), raw("raw"),
	called(1), failed("no"), shaped(2), nil, errors.New("x"), 1i, [2]int{}, &struct{}{}, map[int]int{},
}

// isRefusal tells whether a text complains about a verb, an argument or a flag.
func isRefusal(text string) bool { return strings.Contains(text, "%!") }

// Over all flags and verbs, Sprintf gives what fmt gives, or refuses.
func TestSprintfAgreesWithFmt(t *testing.T) {
	var a Arena
	widths := []string{"", "0", "1", "12", "120"}
	precisions := []string{"", ".", ".0", ".1", ".3", ".25"}
	agreed, refused := 0, 0
	for flags := range 1 << 5 {
		var set string
		for i, flag := range "+-# 0" {
			if flags>>i&1 == 1 {
				set += string(flag)
			}
		}
		for i, width := range widths {
			precision := precisions[(flags+i)%len(precisions)]
			for _, verb := range "vTtbcdoOqxXUeEfFgGspwyé!" {
				format := "<%" + set + width + precision + string(verb) + ">"
				for _, v := range formatted {
					got, want := Sprintf(&a, format, v), fmt.Sprintf(format, v)
					switch {
					case got == want:
						agreed++
					case isRefusal(got):
						refused++
					default:
						t.Fatalf("%s of %T %v: %q, fmt has %q", format, v, v, got, want)
					}
				}
			}
			a.Reset()
		}
	}
	t.Logf("%d agree, %d are refused", agreed, refused)
}

// What Sprintf refuses although fmt doesn't is no more than it says.
func TestSprintfRefusesLittle(t *testing.T) {
	var a Arena
	for _, v := range formatted {
		for _, verb := range "vtbcdoOqxXUeEfFgGs" {
			for _, flags := range []string{"", "+", "-8", "#", " ", "08", "8.3", "+.2", "# ", "-#x"} {
				format := "%" + flags + string(verb)
				got, want := Sprintf(&a, format, v), fmt.Sprintf(format, v)
				if !isRefusal(got) || isRefusal(want) {
					continue
				}
				_, isFloat := v.(float64)
				_, isFloat32 := v.(float32)
				switch v.(type) {
				case called, failed, shaped, nil, error, complex128, [2]int, *struct{}, map[int]int:
				default:
					if !strings.Contains(flags, "#") || verb != 'v' && !isFloat && !isFloat32 {
						t.Errorf("%s of %T %v: %q, fmt has %q", format, v, v, got, want)
					}
				}
			}
		}
	}
}

func TestSprintfArguments(t *testing.T) {
	var a Arena
	for _, c := range []struct {
		format string
		args   []any
		want   string // if it isn't what fmt gives
	}{
		{"100%% of %s", []any{[]byte("bytes")}, ""},
		{"%*d|%-*d|%*d", []any{5, 1, 6, 2, -4, 3}, ""},
		{"%.*f|%*.*f", []any{2, 1.5, uint8(9), int64(1), 2.25}, ""},
		{"%*d", []any{"x", 1}, ""},
		{"%.*d", []any{-3, 1}, ""},
		{"%*d", []any{2_000_000, 1}, ""},
		{"%999999999d|", []any{1}, "%!(NOVERB)%!(EXTRA)"},
		{"%5%|%", nil, ""},
		{"%d", nil, ""},
		{"%*d", nil, ""},
		{"%d %s", []any{1}, ""},
		{"x", []any{1}, "x%!(EXTRA)"},
		{"%s", []any{1}, "%!s(BADTYPE)"},
		{"%d", []any{pair{}}, "%!d(BADTYPE)"},
		{"%v", []any{nil}, "%!v(BADTYPE)"},
		{"%y", []any{"x"}, "%!y(BADTYPE)"},
		{"%s %v %x", []any{called(1), failed(""), called(2)},
			"%!s(BADTYPE) %!v(BADTYPE) %!x(BADTYPE)"},
		{"%d", []any{called(1)}, ""},
		{"%d", []any{shaped(1)}, "%!d(BADTYPE)"},
		{"%#v", []any{1}, "%!v(BADFLAG)"},
		{"%[1]d", []any{1}, "%![(BADFLAG)1]d"},
		{"%d %[1]d", []any{5}, "5 %![(BADFLAG)1]d"},
		{"%-6[1]d %.[1]f", []any{5, 1.5}, "%![(BADFLAG)1]d %![(BADFLAG)1]f"},
		{"%*[2]d", []any{5, 1}, "%![(BADFLAG)2]d"},
		{"%[1]v", []any{shaped(1)}, "%![(BADFLAG)1]v"},
	} {
		want := c.want
		if want == "" {
			want = fmt.Sprintf(c.format, c.args...)
		}
		if got := Sprintf(&a, c.format, c.args...); got != want {
			t.Errorf("%q: %q, want %q", c.format, got, want)
		}
	}
}

func FuzzSprintf(f *testing.F) {
	f.Add("%+08.3f %-*d %q", 1.5, 5, "text")
	f.Fuzz(func(t *testing.T, format string, number float64, n int, text string) {
		var a Arena
		args := []any{number, n, text, []byte(text), n%2 == 0, n}
		got, want := Sprintf(&a, format, args...), fmt.Sprintf(format, args...)
		if got != want && !isRefusal(got) {
			t.Errorf("%q: %q, fmt has %q", format, got, want)
		}
	})
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
