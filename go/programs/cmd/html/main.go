// SPDX-License-Identifier: MIT

// Html parses a page again and again with golang.org/x/net/html, which allocates in the ordinary
// way, or with -tags arena a copy of it that is patched to take an arena, and prints what it took
// as one JSON object:
//
//	html [-rounds N] [-live MB] PAGE
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"runtime"

	"golang.org/x/net/html"

	"github.com/toft-memory/toft/go/internal/measure"
)

// A record is what the rest of a program holds: each collection has to look at it.
type record struct {
	next *record
	data [6]uint64
}

func main() {
	log.SetFlags(0)
	rounds := flag.Int("rounds", 300, "how often the page is parsed")
	live := flag.Int("live", 0, "MB of other live memory")
	flag.Parse()
	page, err := os.ReadFile(flag.Arg(0))
	if err != nil {
		log.Fatal("html: ", err)
	}
	var held *record
	for range *live * 1_000_000 / 56 {
		held = &record{next: held}
	}
	check := ""
	used := measure.Of(func() { check, err = parseAll(page, *rounds) })
	if err != nil {
		log.Fatal("html: ", err)
	}
	runtime.KeepAlive(held)
	err = json.NewEncoder(os.Stdout).Encode(struct {
		measure.Usage
		Output string `json:"output"`
	}{used, check})
	if err != nil {
		log.Fatal("html: ", err)
	}
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

func parseAll(page []byte, rounds int) (check string, err error) {
	var t tally
	parse := newParser()
	for range rounds {
		tree, err := parse(bytes.NewReader(page))
		if err != nil {
			return "", err
		}
		t.add(tree)
	}
	return fmt.Sprint(t), nil
}
