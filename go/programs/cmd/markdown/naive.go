// SPDX-License-Identifier: MIT

//go:build !arena

package main

import (
	"github.com/gomarkdown/markdown/ast"
	"github.com/gomarkdown/markdown/parser"
)

func newParser() func(text []byte) ast.Node {
	return func(text []byte) ast.Node { return parser.New().Parse(text) }
}
