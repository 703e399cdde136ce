// SPDX-License-Identifier: MIT

package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"
)

// The parser makes the same trees on each call, with and without an arena: nodes, positions, comments
// and the objects that names stand for; and it finds the same mistakes.
func TestTrees(t *testing.T) {
	sources := []string{
		"", "package p", "package p; func (", "package p; x := 1",
		"package p\r\n\r\n// with a\r\nvar s = `a\r\nb` /* c\r\nd */\r\n",
		"package p\n//line other.go:7\n\nvar x, y = f[int, string](1), <-c\n" +
			"func f[P, Q any](x P) {\nl: for i := range 3 { break l }\n}",
		"package p\nfunc f() { if x := 1; x > 0 { x := x; _ = x } else { undefined() }; goto nowhere }\n",
	}
	names, err := filepath.Glob(filepath.Join(runtime.GOROOT(), "src", "go", "ast", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, string(text))
	}
	parse := newParser()
	for _, text := range sources {
		for range 2 {
			set := token.NewFileSet()
			got, gotErr := parse(set, "x.go", source(text))
			wantSet := token.NewFileSet()
			want, wantErr := parser.ParseFile(wantSet, "x.go", text, mode)
			if a, b := fmt.Sprint(gotErr), fmt.Sprint(wantErr); a != b {
				t.Errorf("%.60q: %q, want %q", text, a, b)
			}
			if a, b := printed(t, set, got), printed(t, wantSet, want); a != b {
				t.Errorf("%.60q: the trees differ", text)
			}
			for name, object := range want.Scope.Objects {
				if o := got.Scope.Lookup(name); o == nil || o.Kind != object.Kind || o.Pos() != object.Pos() {
					t.Errorf("%.60q: %s is %v, want %v", text, name, o, object)
				}
			}
		}
	}
}

// printed is all of a tree, the pointers in it replaced by numbers; but scopes, which are printed in
// any order, and what only newer versions of Go fill in.
func printed(t *testing.T, set *token.FileSet, tree *ast.File) string {
	var b bytes.Buffer
	chosen := func(field string, _ reflect.Value) bool { return field != "Scope" && field != "ValueEnd" }
	if err := ast.Fprint(&b, set, tree, chosen); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
