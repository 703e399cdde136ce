// SPDX-License-Identifier: MIT

// Goparser parses files of the standard library again and again with go/parser, which allocates in
// the ordinary way, or with -tags arena a copy of it that is patched to take an arena. Each tree is
// walked, and dies before the next. See package program.
//
//	goparser [-rounds N] [-live MB] FOLDER...
package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/toft-memory/toft/go/programs/internal/program"
)

const mode = parser.ParseComments

func main() { program.Main(12, prepare) }

// A file is one to parse. What it holds is a string or bytes, as the parser likes it best.
type file struct {
	name   string
	source source
}

func prepare(folders []string) (func(rounds int) (string, error), error) {
	var files []file
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && entry.Name() == "testdata":
				return fs.SkipDir
			case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
				text, err := os.ReadFile(path)
				files = append(files, file{path, source(text)})
				return err
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(files) == 0 {
		return nil, errors.New("goparser: no files")
	}
	return func(rounds int) (string, error) { return parseAll(files, rounds) }, nil
}

func parseAll(files []file, rounds int) (check string, err error) {
	declarations, comments, nodes := 0, 0, 0
	parse := newParser()
	for range rounds {
		for _, f := range files {
			tree, err := parse(token.NewFileSet(), f.name, f.source)
			if err != nil {
				return "", err
			}
			declarations += len(tree.Decls)
			comments += len(tree.Comments)
			ast.Inspect(tree, func(ast.Node) bool { nodes++; return true })
		}
	}
	return fmt.Sprint(len(files), declarations, comments, nodes), nil
}
