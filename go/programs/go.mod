// SPDX-License-Identifier: MIT

// Programs that depend on real parsers, in a module of their own: toft itself depends on nothing.
module github.com/toft-memory/toft/go/programs

go 1.24

require (
	github.com/gomarkdown/markdown v0.0.0-20260411013819-759bbc3e3207
	github.com/toft-memory/toft/go v0.0.0
	golang.org/x/net v0.30.0
)

replace github.com/toft-memory/toft/go => ../
