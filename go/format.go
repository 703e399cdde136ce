// SPDX-License-Identifier: MIT

package toft

import (
	"encoding/hex"
	"math"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"
	"unsafe"
)

// Sprintf formats like fmt.Sprintf into the arena's memory, and makes no garbage: its arguments
// don't escape. That is possible only for values that can be formatted without calling a method:
// booleans, integers, floats, strings, []byte (shown as a string is), and types made of these. Pass
// err.Error() instead of an error; for anything else, write with fmt.Fprintf to a.Strings().
//
// The verbs are %v %d %x %X %o %b %c %q %s %t %e %f %g and %%, with the flags - + 0, width and
// precision.
func Sprintf(a *Arena, format string, args ...any) string {
	if a == nil {
		return new(Strings).Sprintf(format, args...)
	}
	return a.Strings().Sprintf(format, args...)
}

// Sprintf is like the function of that name.
func (s *Strings) Sprintf(format string, args ...any) string {
	start := len(s.building)
	s.Printf(format, args...)
	return s.finish(start)
}

// Printf appends to the string being built what Sprintf would return.
func (s *Strings) Printf(format string, args ...any) {
	b, used := s.building, 0
	for i := 0; i < len(format); {
		if format[i] != '%' {
			b = append(b, format[i])
			i++
			continue
		}
		f, n := parseVerb(format[i+1:])
		i += 1 + n
		switch {
		case f.verb == '%':
			b = append(b, '%')
		case f.verb == 0:
			b = append(b, "%!(NOVERB)"...)
		case used == len(args):
			b = append(append(append(b, "%!"...), string(f.verb)...), "(MISSING)"...)
		default:
			b = f.append(b, args[used])
			used++
		}
	}
	if used < len(args) {
		b = append(b, "%!(EXTRA)"...)
	}
	s.building = b
}

// A verb is one directive of a format.
type verb struct {
	verb              rune
	minus, plus, zero bool
	width, precision  int // precision is -1 if not given
}

// parseVerb reads a directive after its percent sign, and returns its length.
func parseVerb(format string) (f verb, n int) {
	f.precision = -1
	for ; n < len(format); n++ {
		switch format[n] {
		case '-':
			f.minus = true
			continue
		case '+':
			f.plus = true
			continue
		case '0':
			f.zero = true
			continue
		}
		break
	}
	f.width, n = parseNumber(format, n)
	if n < len(format) && format[n] == '.' {
		f.precision, n = parseNumber(format, n+1)
	}
	if n < len(format) {
		var size int
		f.verb, size = utf8.DecodeRuneInString(format[n:])
		n += size
	}
	return f, n
}

func parseNumber(format string, at int) (value, end int) {
	for ; at < len(format) && '0' <= format[at] && format[at] <= '9'; at++ {
		value = min(value*10+int(format[at]-'0'), 1<<20)
	}
	return value, at
}

// append formats one argument, padded to the width.
func (f verb) append(b []byte, arg any) []byte {
	start := len(b)
	f.plus = f.plus && f.verb != 'v'
	v := reflect.ValueOf(arg)
	switch {
	case v.CanInt():
		b = f.integer(b, uint64(v.Int()), v.Int() < 0)
	case v.CanUint():
		b = f.integer(b, v.Uint(), false)
	case v.CanFloat():
		b = f.float(b, v.Float(), v.Type().Bits())
	case v.Kind() == reflect.Bool && (f.verb == 't' || f.verb == 'v'):
		b = strconv.AppendBool(b, v.Bool())
		f.zero = false
	case v.Kind() == reflect.String:
		b = f.text(b, v.String())
		f.zero = false
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		text := v.Bytes()
		b = f.text(b, unsafe.String(unsafe.SliceData(text), len(text)))
		f.zero = false
	default:
		b = f.bad(b)
	}
	return f.pad(b, start)
}

func (f *verb) integer(b []byte, magnitude uint64, negative bool) []byte {
	base := 10
	switch f.verb {
	case 'd', 'v':
	case 'x', 'X':
		base = 16
	case 'o':
		base = 8
	case 'b':
		base = 2
	case 'c':
		f.zero = false
		return utf8.AppendRune(b, codepoint(magnitude))
	case 'q':
		f.zero = false
		return strconv.AppendQuoteRune(b, codepoint(magnitude))
	default:
		return f.bad(b)
	}
	if negative {
		magnitude = -magnitude
		b = append(b, '-')
	} else if f.plus {
		b = append(b, '+')
	}
	start := len(b)
	if f.precision != 0 || magnitude != 0 {
		b = strconv.AppendUint(b, magnitude, base)
	}
	if f.precision >= 0 {
		b = insert(b, start, '0', f.precision-(len(b)-start))
		f.zero = false
	}
	return f.upper(b, start)
}

func codepoint(magnitude uint64) rune {
	if magnitude > utf8.MaxRune {
		return utf8.RuneError
	}
	return rune(magnitude)
}

func (f *verb) float(b []byte, value float64, bits int) []byte {
	format, precision := byte(f.verb), f.precision
	switch f.verb {
	case 'v':
		format = 'g'
	case 'e', 'f':
		if precision < 0 {
			precision = 6
		}
	case 'g':
	default:
		return f.bad(b)
	}
	start := len(b)
	b = strconv.AppendFloat(b, value, format, precision, bits)
	if f.plus && b[start] != '+' && b[start] != '-' {
		b = insert(b, start, '+', 1)
	}
	if math.IsInf(value, 0) || math.IsNaN(value) {
		f.zero = false
	}
	return b
}

func (f *verb) text(b []byte, text string) []byte {
	switch f.verb {
	case 's', 'v', 'q', 'x', 'X':
	default:
		return f.bad(b)
	}
	if f.precision >= 0 {
		text = text[:prefix(text, f.precision, f.verb)]
	}
	switch f.verb {
	case 's', 'v':
		return append(b, text...)
	case 'q':
		return strconv.AppendQuote(b, text)
	}
	start := len(b)
	b = hex.AppendEncode(b, unsafe.Slice(unsafe.StringData(text), len(text)))
	return f.upper(b, start)
}

// prefix is the length of text's first n characters, or bytes if the verb shows bytes.
func prefix(text string, n int, verb rune) int {
	if verb == 'x' || verb == 'X' {
		return min(n, len(text))
	}
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}

// bad says, as fmt does, that the verb doesn't go with the argument.
func (f *verb) bad(b []byte) []byte {
	f.width, f.zero = 0, false
	return append(utf8.AppendRune(append(b, "%!"...), f.verb), "(BADTYPE)"...)
}

func (f *verb) upper(b []byte, start int) []byte {
	if f.verb == 'X' {
		for i, c := range b[start:] {
			if 'a' <= c && c <= 'f' {
				b[start+i] = c - 'a' + 'A'
			}
		}
	}
	return b
}

// pad widens what was written from start on to the verb's width.
func (f *verb) pad(b []byte, start int) []byte {
	missing := f.width - utf8.RuneCount(b[start:])
	switch {
	case f.minus:
		return insert(b, len(b), ' ', missing)
	case f.zero:
		if len(b) > start && (b[start] == '-' || b[start] == '+') {
			start++
		}
		return insert(b, start, '0', missing)
	}
	return insert(b, start, ' ', missing)
}

// insert puts n times c before b[at].
func insert(b []byte, at int, c byte, n int) []byte {
	if n <= 0 {
		return b
	}
	b = slices.Grow(b, n)
	b = b[:len(b)+n]
	copy(b[at+n:], b[at:])
	for i := range n {
		b[at+i] = c
	}
	return b
}
