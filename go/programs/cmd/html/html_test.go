// SPDX-License-Identifier: MIT

package main

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// The parser makes the same trees on each call, with and without an arena, and of odd pages as well.
func TestTrees(t *testing.T) {
	parse := newParser()
	for _, page := range []string{
		"", "<p>a<p>b", "<table><tr><td>x<b>y</table>z", "<a href=1 href=2>t</a><a x=y>",
		"<!doctype html><svg><g/></svg><!--c--><template><tr></template>",
		"<P CLASS=\"A&amp;b\" data-x>1 &lt; 2&nbsp;&unknown;\r\n\x00</P>",
		strings.Repeat("<div class=a><b>bold<i>both</b>italic</i></div>", 500),
	} {
		for range 3 {
			got, err := parse(page)
			if err != nil {
				t.Fatal(err)
			}
			want, err := html.Parse(strings.NewReader(page))
			if err != nil {
				t.Fatal(err)
			}
			if a, b := rendered(t, got), rendered(t, want); a != b {
				t.Errorf("%.40q: %.200q, want %.200q", page, a, b)
			}
		}
	}
}

func rendered(t *testing.T, n *html.Node) string {
	var b bytes.Buffer
	if err := html.Render(&b, n); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
