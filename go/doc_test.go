// SPDX-License-Identifier: MIT

package toft

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// Everything exported is explained, and every type of the package has an example.
func TestDocumentation(t *testing.T) {
	for _, folder := range []string{".", "tofttest", "tofthttp"} {
		p := documented(t, folder)
		if p.Doc == "" {
			t.Errorf("package %s has no comment", p.Name)
		}
		explained := func(name, comment string) {
			if comment == "" {
				t.Errorf("%s.%s has no comment", p.Name, name)
			}
		}
		for _, f := range p.Funcs {
			explained(f.Name, f.Doc)
		}
		for _, typ := range p.Types {
			explained(typ.Name, typ.Doc)
			for _, f := range typ.Funcs {
				explained(f.Name, f.Doc)
			}
			for _, m := range typ.Methods {
				explained(typ.Name+"."+m.Name, m.Doc)
			}
			if folder == "." && len(typ.Examples) == 0 {
				t.Errorf("%s.%s has no example", p.Name, typ.Name)
			}
		}
	}
}

func documented(t *testing.T, folder string) *doc.Package {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	positions := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		file, err := parser.ParseFile(positions, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(name, "check_on.go") { // of which check_off.go is the twin
			files = append(files, file)
		}
	}
	p, err := doc.NewFromFiles(positions, files, "github.com/toft-memory/toft/go/"+folder)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
