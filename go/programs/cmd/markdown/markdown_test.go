// SPDX-License-Identifier: MIT

package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gomarkdown/markdown/ast"
	"github.com/gomarkdown/markdown/html"
	"github.com/gomarkdown/markdown/parser"
)

// The parser makes the same documents on each call, with and without an arena.
func TestDocuments(t *testing.T) {
	parse := newParser()
	for _, text := range []string{
		"", "# Title\n\ntext *with* **both** `code` and <b>tags</b>\r\nand a [link](x \"y\")\n",
		"> quoted\n> > twice\n\n1. one\n2. two\n\n   - inner\n\n   more of it\n",
		"| a | b |\n|---|--:|\n| 1 | 2 |\n\n```go\nx := 1\n```\n\n    indented\n",
		"[ref][1] <http://example.com/?a=b&amp;c> ![image](y.png)\n\n[1]: http://example.com 'title'\n",
		strings.Repeat("* item with ~~struck~~ words\n\n  > and a quote\n\n", 30),
	} {
		for range 3 {
			got := rendered(parse([]byte(text)))
			if want := rendered(parser.New().Parse([]byte(text))); got != want {
				t.Errorf("%.40q: %.300q, want %.300q", text, got, want)
			}
		}
	}
}

func rendered(n ast.Node) string {
	var tree bytes.Buffer
	ast.Print(&tree, n)
	r := html.NewRenderer(html.RendererOptions{Flags: html.CommonFlags})
	var page bytes.Buffer
	ast.WalkFunc(n, func(n ast.Node, entering bool) ast.WalkStatus {
		return r.RenderNode(&page, n, entering)
	})
	return tree.String() + page.String()
}
