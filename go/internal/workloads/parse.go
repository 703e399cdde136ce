// SPDX-License-Identifier: MIT

package main

import (
	"fmt"
	"strings"

	toft "github.com/toft-memory/toft/go"
)

// Parsing makes the syntax tree of a program of some thousand statements, with nodes of five types,
// and runs it. The scanner's work is in the figure, on both sides.

// A node is an expression; a *number, *name, *binary or *call.
type node interface{ eval(env *[26]uint64) uint64 }

type (
	number struct{ value uint64 }
	name   struct{ letter byte }
	binary struct {
		left, right node
		op          byte
	}
	call struct {
		args []node // their sum, in place of a function
	}
	// A statement assigns an expression to a letter.
	statement struct {
		letter byte
		value  node
		next   *statement
	}
)

func (n *number) eval(*[26]uint64) uint64   { return n.value }
func (n *name) eval(env *[26]uint64) uint64 { return env[n.letter-'a'] }

func (n *binary) eval(env *[26]uint64) uint64 {
	l, r := n.left.eval(env), n.right.eval(env)
	switch n.op {
	case '+':
		return l + r
	case '-':
		return l - r
	}
	return l * r
}

func (n *call) eval(env *[26]uint64) (sum uint64) {
	for _, a := range n.args {
		sum += a.eval(env)
	}
	return sum
}

func (s *statement) run() (sum uint64) {
	var env [26]uint64
	for ; s != nil; s = s.next {
		env[s.letter-'a'] = s.value.eval(&env)
		sum += env[s.letter-'a']
	}
	return sum
}

// A parser reads well-formed text. Its nodes come from the arena, or with none from the heap.
type parser struct {
	text string
	at   int
	a    *toft.Arena
}

func (p *parser) program() (first *statement) {
	last := &first
	for p.at < len(p.text) {
		s := p.newStatement(p.text[p.at])
		p.at += len("x=")
		s.value = p.sum()
		p.at += len("\n")
		*last, last = s, &s.next
	}
	return first
}

func (p *parser) sum() node {
	n := p.product()
	for op := p.text[p.at]; op == '+' || op == '-'; op = p.text[p.at] {
		p.at++
		n = p.newBinary(op, n, p.product())
	}
	return n
}

func (p *parser) product() node {
	n := p.atom()
	for p.text[p.at] == '*' {
		p.at++
		n = p.newBinary('*', n, p.atom())
	}
	return n
}

func (p *parser) atom() node {
	switch c := p.text[p.at]; {
	case c == '(':
		p.at++
		n := p.sum()
		p.at++
		return n
	case c == '$':
		return p.call()
	case 'a' <= c && c <= 'z':
		p.at++
		return p.newName(c)
	}
	value := uint64(0)
	for ; '0' <= p.text[p.at] && p.text[p.at] <= '9'; p.at++ {
		value = value*10 + uint64(p.text[p.at]-'0')
	}
	return p.newNumber(value)
}

func (p *parser) call() node {
	p.at += len("$(")
	var args []node
	for {
		arg := p.sum()
		if p.a == nil {
			args = append(args, arg)
		} else {
			args = append(toft.Grow(p.a, args, 1), arg)
		}
		p.at++
		if p.text[p.at-1] == ')' {
			return p.newCall(args)
		}
	}
}

func (p *parser) newStatement(letter byte) *statement {
	if p.a == nil {
		return &statement{letter: letter}
	}
	n := toft.New[statement](p.a)
	n.letter = letter
	return n
}

func (p *parser) newBinary(op byte, left, right node) *binary {
	if p.a == nil {
		return &binary{left, right, op}
	}
	n := toft.New[binary](p.a)
	n.left, n.right, n.op = left, right, op
	return n
}

func (p *parser) newName(letter byte) *name {
	if p.a == nil {
		return &name{letter}
	}
	n := toft.New[name](p.a)
	n.letter = letter
	return n
}

func (p *parser) newNumber(value uint64) *number {
	if p.a == nil {
		return &number{value}
	}
	n := toft.New[number](p.a)
	n.value = value
	return n
}

func (p *parser) newCall(args []node) *call {
	if p.a == nil {
		return &call{args}
	}
	n := toft.New[call](p.a)
	n.args = args
	return n
}

var program = func() string {
	var text strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&text, "%c=%c*%d+(%c-%d)*$(%c,%d,x+%d)-%d\n",
			'a'+i%26, 'a'+i*7%26, i, 'a'+i*11%26, i*3, 'a'+i*5%26, i%10, i*17, i%1000)
	}
	return text.String()
}()

func parseNaive(rounds int) (sum uint64) {
	for range rounds {
		p := parser{text: program}
		sum += p.program().run()
	}
	return sum
}

func parseArena(rounds int) (sum uint64) {
	var a toft.Arena
	for range rounds {
		p := parser{text: program, a: &a}
		sum += p.program().run()
		a.Reset()
	}
	return sum
}
