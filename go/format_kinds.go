// SPDX-License-Identifier: MIT

package toft

import (
	"math"
	"strconv"
	"unicode/utf8"
	"unsafe"
)

// How numbers and texts are formatted. Each function does what the one in fmt of the same purpose
// does, flag by flag; TestSprintfAgreesWithFmt compares them over all flags.

const (
	smallDigits = "0123456789abcdef"
	largeDigits = "0123456789ABCDEF"
)

func (p *printer) integer(magnitude uint64, negative bool) {
	f := &p.verb
	base, upper := 10, false
	switch f.char {
	case 'd':
	case 'v':
		f.plus = false
	case 'b':
		base = 2
	case 'o', 'O':
		base = 8
	case 'x':
		base = 16
	case 'X':
		base, upper = 16, true
	case 'c', 'q':
		p.character(magnitude)
		return
	case 'U':
		p.unicode(magnitude)
		return
	default:
		p.refuse("(BADTYPE)")
		return
	}
	if negative {
		magnitude = -magnitude
	}
	signed := negative || f.plus || f.space
	digits := f.precision
	if digits < 0 && f.zero && !f.minus && f.width > 0 {
		digits = f.width
		if signed {
			digits--
		}
	}
	f.zero = false
	p.room(64 + len("-0x") + max(digits, 0))
	start := len(p.b)
	if f.precision != 0 || magnitude != 0 {
		if b, is := f.sign(negative); is {
			p.b = append(p.b, b)
		}
		p.digits(magnitude, base, upper, digits)
	}
	p.pad(start)
}

// sign returns the sign of a number, if it has one.
func (f *verb) sign(negative bool) (sign byte, is bool) {
	switch {
	case negative:
		return '-', true
	case f.plus:
		return '+', true
	case f.space:
		return ' ', true
	}
	return 0, false
}

// digits writes a number with its prefix and at least so many digits, for which there is room.
func (p *printer) digits(magnitude uint64, base int, upper bool, least int) {
	f := &p.verb
	var buffer [64]byte
	number := strconv.AppendUint(buffer[:0], magnitude, base)
	zeros := max(least-len(number), 0)
	switch {
	case f.char == 'O':
		p.b = append(p.b, "0o"...)
		if f.sharp && zeros == 0 && number[0] != '0' {
			p.b = append(p.b, '0')
		}
	case !f.sharp:
	case base == 2:
		p.b = append(p.b, "0b"...)
	case base == 8 && zeros == 0 && number[0] != '0':
		p.b = append(p.b, '0')
	case base == 16:
		p.b = append(p.b, '0', byte(f.char))
	}
	for range zeros {
		p.b = append(p.b, '0')
	}
	start := len(p.b)
	p.b = append(p.b, number...)
	if upper {
		toUpper(p.b[start:])
	}
}

func toUpper(b []byte) {
	for i, c := range b {
		if 'a' <= c && c <= 'f' {
			b[i] = c - 'a' + 'A'
		}
	}
}

func (p *printer) character(code uint64) {
	const longestQuoted = len(`'\U0010ffff'`)
	f := &p.verb
	r := utf8.RuneError
	if code <= utf8.MaxRune {
		r = rune(code)
	}
	p.room(longestQuoted)
	start := len(p.b)
	switch {
	case f.char == 'c':
		p.b = utf8.AppendRune(p.b, r)
	case f.plus:
		p.b = strconv.AppendQuoteRuneToASCII(p.b, r)
	default:
		p.b = strconv.AppendQuoteRune(p.b, r)
	}
	p.pad(start)
}

// unicode writes U+0078, or with the flag # U+0078 'x'.
func (p *printer) unicode(code uint64) {
	f := &p.verb
	sharp := f.sharp
	f.sharp, f.zero = false, false
	least := max(f.precision, 4)
	p.room(least + 16 + len("U+ ''") + utf8.UTFMax)
	start := len(p.b)
	p.b = append(p.b, "U+"...)
	p.digits(code, 16, true, least)
	if sharp && code <= utf8.MaxRune && strconv.IsPrint(rune(code)) {
		p.b = append(utf8.AppendRune(append(p.b, " '"...), rune(code)), '\'')
	}
	p.pad(start)
}

func (p *printer) float(value float64, bits int) {
	f := &p.verb
	format, precision := byte(f.char), -1
	switch f.char {
	case 'v':
		format, f.plus = 'g', false
	case 'b', 'g', 'G', 'x', 'X':
	case 'f', 'F', 'e', 'E':
		precision = 6
		if f.char == 'F' {
			format = 'f'
		}
	default:
		p.refuse("(BADTYPE)")
		return
	}
	if f.precision >= 0 {
		precision = f.precision
	}
	const longestWhole = 330
	p.room(longestWhole + max(precision, 0))
	start := len(p.b)
	p.b = strconv.AppendFloat(append(p.b, '+'), value, format, precision, bits)
	if c := p.b[start+1]; c == '+' || c == '-' {
		p.b = append(p.b[:start], p.b[start+1:]...)
	}
	if f.space && p.b[start] == '+' && !f.plus {
		p.b[start] = ' '
	}
	sign := 1
	if isNumber := !math.IsInf(value, 0) && !math.IsNaN(value); !isNumber {
		f.zero = false
		if math.IsNaN(value) && !f.space && !f.plus {
			sign = 0
		}
	} else if p.b[start] == '+' && !f.plus {
		sign = 0
	}
	if sign == 0 {
		p.b = append(p.b[:start], p.b[start+1:]...)
	}
	if f.zero && !f.minus && sign > 0 { // the zeros come after the sign
		start++
		f.width--
	}
	p.pad(start)
}

func (p *printer) text(text string) {
	switch p.verb.char {
	case 's', 'v':
		p.padded(p.verb.truncated(text))
	case 'q':
		p.quoted(p.verb.truncated(text))
	case 'x', 'X':
		p.hex(text)
	default:
		p.refuse("(BADTYPE)")
	}
}

func (p *printer) bytes(b []byte) {
	switch p.verb.char {
	case 's', 'q', 'x', 'X':
		p.text(unsafe.String(unsafe.SliceData(b), len(b)))
	default:
		p.list(b)
	}
}

// list writes bytes as numbers, each with the verb's flags: [1 2 3].
func (p *printer) list(b []byte) {
	f := p.verb
	p.write("[")
	for i, c := range b {
		if i > 0 {
			p.write(" ")
		}
		p.integer(uint64(c), false)
		p.verb = f
	}
	p.write("]")
}

// truncated is text up to the verb's precision, which counts characters.
func (f *verb) truncated(text string) string {
	if f.precision < 0 {
		return text
	}
	n := f.precision
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}

// quoted writes a Go string literal. It goes piece by piece, so that no more room is asked for than
// is needed.
func (p *printer) quoted(text string) {
	f := &p.verb
	start := len(p.b)
	if f.sharp && strconv.CanBackquote(text) {
		p.write("`")
		p.write(text)
		p.write("`")
		p.pad(start)
		return
	}
	const (
		longestPiece = 256
		longestByte  = len(`\x00`) // no character has a longer form for each of its bytes
	)
	p.write(`"`)
	for len(text) > 0 {
		n := min(longestPiece, len(text))
		for n > longestPiece-utf8.UTFMax && n < len(text) && !utf8.RuneStart(text[n]) {
			n--
		}
		p.room(n*longestByte + len(`""`))
		at := len(p.b)
		if f.plus {
			p.b = strconv.AppendQuoteToASCII(p.b, text[:n])
		} else {
			p.b = strconv.AppendQuote(p.b, text[:n])
		}
		p.b = append(p.b[:at], p.b[at+1:len(p.b)-1]...) // without its quotes
		text = text[n:]
	}
	p.write(`"`)
	p.pad(start)
}

// hex writes two digits for each byte, with the flag space between them as well.
func (p *printer) hex(text string) {
	f := &p.verb
	if f.precision >= 0 {
		text = text[:min(f.precision, len(text))]
	}
	digits := smallDigits
	if f.char == 'X' {
		digits = largeDigits
	}
	start := len(p.b)
	for i := range len(text) {
		p.room(len(" 0x00"))
		if i > 0 && f.space {
			p.b = append(p.b, ' ')
		}
		if f.sharp && (i == 0 || f.space) {
			p.b = append(p.b, '0', byte(f.char))
		}
		p.b = append(p.b, digits[text[i]>>4], digits[text[i]&15])
	}
	p.pad(start)
}
