// SPDX-License-Identifier: MIT

// Html parses a page again and again with golang.org/x/net/html, which allocates in the ordinary
// way, or with -tags arena a copy of it that is patched to take an arena. See package program.
//
//	html [-rounds N] [-live MB] PAGE
package main

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/net/html"

	"github.com/toft-memory/toft/go/programs/internal/program"
)

func main() { program.Main(1800, prepare) }

func prepare(arguments []string) (func(rounds int) (string, error), error) {
	if len(arguments) != 1 {
		return nil, errors.New("html: name one page")
	}
	page, err := os.ReadFile(arguments[0])
	return func(rounds int) (string, error) { return parseAll(string(page), rounds) }, err
}

// A tally is what all of a tree adds up to.
type tally struct{ nodes, attributes, bytes int }

func (t *tally) add(n *html.Node) {
	t.nodes++
	t.attributes += len(n.Attr)
	t.bytes += len(n.Data)
	for _, a := range n.Attr {
		t.bytes += len(a.Key) + len(a.Val)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		t.add(c)
	}
}

func parseAll(page string, rounds int) (check string, err error) {
	var t tally
	parse := newParser()
	for range rounds {
		tree, err := parse(page)
		if err != nil {
			return "", err
		}
		t.add(tree)
	}
	return fmt.Sprint(t), nil
}
