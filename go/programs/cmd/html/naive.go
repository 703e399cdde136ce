// SPDX-License-Identifier: MIT

//go:build !arena

package main

import (
	"io"

	"golang.org/x/net/html"
)

func newParser() func(io.Reader) (*html.Node, error) { return html.Parse }
