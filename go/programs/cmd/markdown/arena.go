// SPDX-License-Identifier: MIT

//go:build arena

package main

import (
	"github.com/gomarkdown/markdown/ast"
	"github.com/gomarkdown/markdown/parser"

	toft "github.com/toft-memory/toft/go"
)

// newParser returns a function whose trees last until its next call.
func newParser() func(text []byte) ast.Node {
	a := new(toft.Arena)
	return func(text []byte) ast.Node {
		a.Reset()
		p := parser.New()
		p.Arena = a
		return p.Parse(text)
	}
}
