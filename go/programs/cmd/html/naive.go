// SPDX-License-Identifier: MIT

//go:build !arena

package main

import (
	"strings"

	"golang.org/x/net/html"
)

func newParser() func(page string) (*html.Node, error) {
	return func(page string) (*html.Node, error) { return html.Parse(strings.NewReader(page)) }
}
