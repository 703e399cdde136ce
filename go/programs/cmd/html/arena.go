// SPDX-License-Identifier: MIT

//go:build arena

package main

import (
	"io"

	"golang.org/x/net/html"

	toft "github.com/toft-memory/toft/go"
)

// newParser returns a function whose trees last until its next call.
func newParser() func(io.Reader) (*html.Node, error) {
	a := new(toft.Arena)
	return func(page io.Reader) (*html.Node, error) {
		a.Reset()
		return html.ParseWithOptions(page, html.ParseOptionArena(a))
	}
}
