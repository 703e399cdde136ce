// SPDX-License-Identifier: MIT

// Markdown parses documents again and again with github.com/gomarkdown/markdown, which allocates in
// the ordinary way, or with -tags arena a copy of it that is patched to take an arena. See package
// program.
//
//	markdown [-rounds N] [-live MB] DOCUMENT...
package main

import (
	"fmt"
	"os"

	"github.com/gomarkdown/markdown/ast"

	"github.com/toft-memory/toft/go/programs/internal/program"
)

func main() { program.Main(2400, prepare) }

func prepare(names []string) (func(rounds int) (string, error), error) {
	var documents [][]byte
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		documents = append(documents, text)
	}
	return func(rounds int) (string, error) { return parseAll(documents, rounds), nil }, nil
}

func parseAll(documents [][]byte, rounds int) (check string) {
	nodes, bytes := 0, 0
	parse := newParser()
	for range rounds {
		for _, text := range documents {
			ast.WalkFunc(parse(text), func(n ast.Node, entering bool) ast.WalkStatus {
				nodes++
				if leaf := n.AsLeaf(); leaf != nil {
					bytes += len(leaf.Literal)
				}
				return ast.GoToNext
			})
		}
	}
	return fmt.Sprint(len(documents), nodes, bytes)
}
