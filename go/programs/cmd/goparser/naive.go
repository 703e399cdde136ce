// SPDX-License-Identifier: MIT

//go:build !arena

package main

import (
	"go/ast"
	"go/parser"
	"go/token"
)

type source []byte

func newParser() func(set *token.FileSet, name string, s source) (*ast.File, error) {
	return func(set *token.FileSet, name string, s source) (*ast.File, error) {
		return parser.ParseFile(set, name, []byte(s), mode)
	}
}
