// SPDX-License-Identifier: MIT

// Package jsontree reads JSON text into a tree that lives in a toft.Arena: a whole document is then
// freed by one Reset. It shows how to write code for an arena that works without one too.
package jsontree

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
	"unsafe"

	toft "github.com/toft-memory/toft/go"
)

// A Kind is that of a Value.
type Kind uint8

// The kinds of JSON values.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// A Value is one JSON value. It lives as long as the arena that it was read into, except for its
// strings, which stay good.
type Value struct {
	Kind    Kind
	Bool    bool
	Number  float64
	Text    string
	Items   []Value
	Members []Member // in the order of the text
}

// A Member is a named value of an object.
type Member struct {
	Name  string
	Value *Value
}

// Get returns the member of that name, or nil.
func (v *Value) Get(name string) *Value {
	for i := range v.Members {
		if v.Members[i].Name == name {
			return v.Members[i].Value
		}
	}
	return nil
}

// Parse reads a document into the arena, or onto the heap if a is nil. It returns an error for text
// that is no JSON, and for a document beyond the arena's limit.
func Parse(a *toft.Arena, text []byte) (doc *Value, err error) {
	defer toft.CatchLimit(&err)
	p := parser{arena: a, text: text}
	root := toft.New[Value](a)
	if err := p.value(root, 0); err != nil {
		return nil, err
	}
	if p.space(); p.at < len(text) {
		return nil, p.errorf("something follows the document")
	}
	return root, nil // doc is set only here: a panic that CatchLimit catches leaves it nil
}

type parser struct {
	arena *toft.Arena
	text  []byte
	at    int
}

const maxDepth = 1000

var errEnd = errors.New("jsontree: the text ends in the middle")

func (p *parser) errorf(format string, args ...any) error {
	if p.at >= len(p.text) {
		return errEnd
	}
	return fmt.Errorf("jsontree: at byte %d: %s", p.at, fmt.Sprintf(format, args...))
}

// space skips white space and returns the byte that follows, or 0 at the end.
func (p *parser) space() byte {
	for p.at < len(p.text) {
		switch c := p.text[p.at]; c {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return c
		}
	}
	return 0
}

func (p *parser) value(v *Value, depth int) (err error) {
	if depth > maxDepth {
		return p.errorf("nested deeper than %d", maxDepth)
	}
	switch c := p.space(); {
	case c == '{':
		v.Kind = Object
		return p.object(v, depth)
	case c == '[':
		v.Kind = Array
		return p.array(v, depth)
	case c == '"':
		v.Kind = String
		v.Text, err = p.str()
		return err
	case c == '-' || '0' <= c && c <= '9':
		v.Kind = Number
		return p.number(v)
	case p.at == len(p.text):
		return errEnd
	}
	for _, w := range [...]struct {
		word string
		kind Kind
		b    bool
	}{{"null", Null, false}, {"true", Bool, true}, {"false", Bool, false}} {
		if end := p.at + len(w.word); end <= len(p.text) && string(p.text[p.at:end]) == w.word {
			v.Kind, v.Bool, p.at = w.kind, w.b, end
			return nil
		}
	}
	return p.errorf("no value begins with %q", p.text[p.at])
}

func (p *parser) object(v *Value, depth int) error {
	for p.at++; ; p.at++ {
		c := p.space()
		if c == '}' && len(v.Members) == 0 {
			break
		}
		if c != '"' {
			return p.errorf("a member's name was expected")
		}
		name, err := p.str()
		if err != nil {
			return err
		}
		if p.space() != ':' {
			return p.errorf("a colon was expected")
		}
		p.at++
		member := toft.New[Value](p.arena)
		if err := p.value(member, depth+1); err != nil {
			return err
		}
		v.Members = append(toft.Grow(p.arena, v.Members, 1), Member{name, member})
		if c = p.space(); c == '}' {
			break
		} else if c != ',' {
			return p.errorf("a comma or the end of an object was expected")
		}
		if p.at++; p.space() != '"' {
			return p.errorf("a member's name was expected")
		}
		p.at--
	}
	p.at++
	return nil
}

func (p *parser) array(v *Value, depth int) error {
	p.at++
	if p.space() == ']' {
		p.at++
		return nil
	}
	for ; ; p.at++ {
		v.Items = append(toft.Grow(p.arena, v.Items, 1), Value{})
		if err := p.value(&v.Items[len(v.Items)-1], depth+1); err != nil {
			return err
		}
		if c := p.space(); c == ']' {
			p.at++
			return nil
		} else if c != ',' {
			return p.errorf("a comma or the end of an array was expected")
		}
	}
}

func (p *parser) number(v *Value) (err error) {
	start := p.at
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case '0' <= c && c <= '9', c == '-', c == '+', c == '.', c == 'e', c == 'E':
			p.at++
			continue
		}
		break
	}
	digits := p.text[start:p.at]
	if !json.Valid(digits) {
		p.at = start
		return p.errorf("%q is no number", digits)
	}
	if v.Number, err = strconv.ParseFloat(unsafe.String(&digits[0], len(digits)), 64); err != nil {
		p.at = start
		return p.errorf("%s is beyond a float64", digits)
	}
	return nil
}

// str reads a string. One without escapes is copied at once.
func (p *parser) str() (string, error) {
	p.at++
	for i := p.at; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case c == '"':
			s := p.text[p.at:i]
			if !utf8.Valid(s) {
				return p.escaped(p.at)
			}
			p.at = i + 1
			return toft.String(p.arena, s), nil
		case c == '\\':
			return p.escaped(i)
		case c < ' ':
			return "", p.errorf("a control character stands in a string")
		}
	}
	return "", errEnd
}

// escaped reads a string whose first escape is not before i, by way of the standard library, which
// also mends invalid UTF-8.
func (p *parser) escaped(i int) (string, error) {
	for ; i < len(p.text) && p.text[i] != '"'; i++ {
		if p.text[i] == '\\' {
			i++
		}
	}
	if i >= len(p.text) {
		return "", errEnd
	}
	var s string
	if err := json.Unmarshal(p.text[p.at-1:i+1], &s); err != nil {
		return "", p.errorf("%v", err)
	}
	p.at = i + 1
	return toft.String(p.arena, []byte(s)), nil
}
