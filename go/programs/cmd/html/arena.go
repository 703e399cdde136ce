// SPDX-License-Identifier: MIT

//go:build arena

package main

import (
	"golang.org/x/net/html"

	toft "github.com/toft-memory/toft/go"
)

// newParser returns a function whose trees last until its next call.
func newParser() func(page string) (*html.Node, error) {
	a := new(toft.Arena)
	return func(page string) (*html.Node, error) {
		a.Reset()
		return html.ParseArena(a, page)
	}
}
