// SPDX-License-Identifier: MIT

package toft

import (
	"fmt"
	"reflect"
	"strconv"
	"unicode/utf8"
)

// Sprintf formats like fmt.Sprintf into the arena's memory, and makes no garbage: its arguments
// don't escape. That is possible only for values that can be formatted without calling a method:
// booleans, integers, floats, strings, []byte, and types made of these without a method Format,
// Error or String that the verb would call. So it doesn't take an error, a time.Duration, a struct or
// another slice, also where a is nil. Pass err.Error() instead of an error; for anything else, write
// with fmt.Fprintf to a.Strings().
//
// What it formats, it formats exactly like fmt. What it doesn't know, it refuses in the text:
// %!v(BADTYPE) for an argument, %!v(BADFLAG) for the flag # with %v or a float, and %![(BADFLAG)1]d for
// the argument number in %[1]d; %T and %p are unknown verbs, and %!(EXTRA …) names no types. Go vet checks
// calls as it does those of fmt, so it doesn't find what only fmt takes.
func Sprintf(a *Arena, format string, args ...any) string {
	if false { // tells go vet what the arguments are
		_ = fmt.Sprintf(format, args...)
	}
	return a.Strings().Sprintf(format, args...)
}

// Sprintf is like the function of that name.
func (s *Strings) Sprintf(format string, args ...any) string {
	if false { // tells go vet what the arguments are
		_ = fmt.Sprintf(format, args...)
	}
	p := printer{strings: s, b: s.building}
	p.print(format, args)
	s.busy = true // until the text is copied
	defer s.done()
	return s.Copy(p.b[len(s.building):])
}

// Printf appends to the string being built what Sprintf would return.
func (s *Strings) Printf(format string, args ...any) {
	if false { // tells go vet what the arguments are
		_ = fmt.Sprintf(format, args...)
	}
	p := printer{strings: s, b: s.building}
	p.print(format, args)
	s.building = p.b
}

// A printer appends to b. The first bytes of b are those of the string being built, and stay so.
type printer struct {
	strings *Strings
	b       []byte
	verb    verb
}

// A verb is one directive of a format.
type verb struct {
	char                            rune
	minus, plus, sharp, space, zero bool
	width, precision                int // -1 if not given
}

const (
	// Fmt refuses numbers above.
	largestWidth = 1_000_000

	// A width or precision that is in the next argument.
	fromArgument = -2
)

func (p *printer) print(format string, args []any) {
	used := 0
	for at := 0; at < len(format); {
		if format[at] != '%' {
			end := at + 1
			for end < len(format) && format[end] != '%' {
				end++
			}
			p.write(format[at:end])
			at = end
			continue
		}
		if at+1 < len(format) && used < len(args) && p.plain(format[at+1], args[used]) {
			at += 2
			used++
			continue
		}
		at += 1 + p.verb.parse(format[at+1:])
		used = p.numbersFrom(args, used)
		switch {
		case p.verb.char == '%':
			p.write("%")
		case p.verb.char == 0:
			p.write("%!(NOVERB)")
		case p.verb.char == '[': // an argument number, such as [1]
			p.refuse("(BADFLAG)")
			used = min(used+1, len(args))
		case used >= len(args):
			p.refuse("(MISSING)")
		default:
			p.argument(args[used])
			used++
		}
	}
	if used < len(args) {
		p.write("%!(EXTRA)")
	}
}

// plain formats the commonest arguments where the verb has no flags. It reports whether it did.
func (p *printer) plain(verb byte, arg any) bool {
	const longestInt = len("-9223372036854775808")
	switch arg := arg.(type) {
	case string:
		if verb == 's' || verb == 'v' {
			p.write(arg)
			return true
		}
	case int:
		if verb == 'd' || verb == 'v' {
			p.room(longestInt)
			p.b = strconv.AppendInt(p.b, int64(arg), 10)
			return true
		}
	}
	return false
}

// parse reads a directive after its percent sign, and returns its length.
func (f *verb) parse(format string) (n int) {
	*f = verb{width: -1, precision: -1}
	for n < len(format) && f.flag(format[n]) {
		n++
	}
	f.width, n = parseNumber(format, n)
	if n < len(format) && format[n] == '.' {
		f.precision, n = parseNumber(format, n+1)
		if f.precision == -1 {
			f.precision = 0
		}
	}
	if n < len(format) {
		var size int
		f.char, size = utf8.DecodeRuneInString(format[n:])
		n += size
	}
	return n
}

func (f *verb) flag(c byte) bool {
	switch c {
	case '-':
		f.minus = true
	case '+':
		f.plus = true
	case '#':
		f.sharp = true
	case ' ':
		f.space = true
	case '0':
		f.zero = true
	default:
		return false
	}
	return true
}

// parseNumber reads a number or a star. A number that fmt refuses ends the format, as there.
func parseNumber(format string, at int) (value, end int) {
	if at < len(format) && format[at] == '*' {
		return fromArgument, at + 1
	}
	value = -1
	for ; at < len(format) && '0' <= format[at] && format[at] <= '9'; at++ {
		if value > largestWidth {
			return -1, len(format)
		}
		value = max(value, 0)*10 + int(format[at]-'0')
	}
	return value, at
}

// numbersFrom takes the width and the precision from the arguments where the format has a star.
func (p *printer) numbersFrom(args []any, used int) int {
	f := &p.verb
	if f.width == fromArgument {
		var ok bool
		if f.width, ok = numberOf(args, used); !ok {
			f.width = -1
			p.write("%!(BADWIDTH)")
		} else if f.width < 0 {
			f.width, f.minus, f.zero = -f.width, true, false
		}
		used = min(used+1, len(args))
	}
	if f.precision == fromArgument {
		var ok bool
		if f.precision, ok = numberOf(args, used); !ok || f.precision < 0 {
			f.precision = -1
			p.write("%!(BADPREC)")
		}
		used = min(used+1, len(args))
	}
	return used
}

func numberOf(args []any, at int) (n int, ok bool) {
	if at >= len(args) {
		return 0, false
	}
	v := reflect.ValueOf(args[at])
	switch {
	case v.CanInt() && v.Int() >= -largestWidth && v.Int() <= largestWidth:
		return int(v.Int()), true
	case v.CanUint() && v.Uint() <= largestWidth:
		return int(v.Uint()), true
	}
	return 0, false
}

// argument formats one argument.
func (p *printer) argument(arg any) {
	f := &p.verb
	switch arg.(type) {
	case int, string, []byte, int64, uint64, float64, bool, byte, int32:
	default:
		if f.callsMethod(arg) {
			p.refuse("(BADTYPE)")
			return
		}
	}
	v := reflect.ValueOf(arg)
	switch {
	case f.char == 'T' || f.char == 'p' || f.char == 'w':
		p.refuse("(BADTYPE)")
	case f.sharp && (f.char == 'v' || v.CanFloat()):
		p.refuse("(BADFLAG)")
	case v.CanInt():
		p.integer(uint64(v.Int()), v.Int() < 0)
	case v.CanUint():
		p.integer(v.Uint(), false)
	case v.CanFloat():
		p.float(v.Float(), v.Type().Bits())
	case v.Kind() == reflect.Bool && (f.char == 't' || f.char == 'v'):
		p.padded(strconv.FormatBool(v.Bool()))
	case v.Kind() == reflect.String:
		p.text(v.String())
	case v.Kind() == reflect.Slice && v.Type().Elem() == reflect.TypeFor[byte]():
		p.bytes(v.Bytes())
	default:
		p.refuse("(BADTYPE)")
	}
}

// callsMethod tells whether fmt would call a method of the argument.
func (f *verb) callsMethod(arg any) bool {
	switch arg.(type) {
	case fmt.Formatter:
		return true
	case error, fmt.Stringer:
		switch f.char {
		case 'v', 's', 'x', 'X', 'q':
			return true
		}
	}
	return false
}

// refuse says, as fmt does, what is wrong with a verb.
func (p *printer) refuse(why string) {
	p.room(len("%!") + utf8.UTFMax)
	p.b = utf8.AppendRune(append(p.b, "%!"...), p.verb.char)
	p.write(why)
}

// room sees to it that b has a capacity for n bytes more.
func (p *printer) room(n int) { p.b = p.strings.room(p.b, n) }

func (p *printer) write(text string) {
	p.room(len(text))
	p.b = append(p.b, text...)
}

// padded writes text, widened to the verb's width.
func (p *printer) padded(text string) {
	start := len(p.b)
	p.write(text)
	p.pad(start)
}

// pad widens what was written from start on to the verb's width.
func (p *printer) pad(start int) {
	f := &p.verb
	if f.width <= 0 {
		return
	}
	missing := f.width - utf8.RuneCount(p.b[start:])
	switch {
	case f.minus:
		p.insert(len(p.b), ' ', missing)
	case f.zero:
		p.insert(start, '0', missing)
	default:
		p.insert(start, ' ', missing)
	}
}

// insert puts n times c before b[at].
func (p *printer) insert(at int, c byte, n int) {
	if n <= 0 {
		return
	}
	p.room(n)
	b := p.b[:len(p.b)+n]
	copy(b[at+n:], b[at:])
	for i := range n {
		b[at+i] = c
	}
	p.b = b
}
