// SPDX-License-Identifier: MIT

//go:build arena

package main

import (
	"go/ast"
	"go/token"

	toft "github.com/toft-memory/toft/go"
	patched "github.com/toft-memory/toft/go/programs/internal/patched/go/parser"
)

type source string

// newParser returns a function whose trees last until its next call.
func newParser() func(set *token.FileSet, name string, s source) (*ast.File, error) {
	a := new(toft.Arena)
	return func(set *token.FileSet, name string, s source) (*ast.File, error) {
		a.Reset()
		return patched.ParseFile(a, set, name, string(s), patched.Mode(mode))
	}
}
