// SPDX-License-Identifier: MIT

package main

import (
	"github.com/toft-memory/toft/go/internal/binarytrees"
	arena "github.com/wundergraph/go-arena"
)

func init() {
	forests["wundergraph"] = func() binarytrees.Forest { return &wundergraphForest{} }
}

// wundergraphForest resets its arena after each tree. The arena looks for room in one buffer after
// the other, which takes twenty times as long with its own buffers of 32 KiB: one that fits is its
// best case.
type wundergraphForest struct {
	root  *node
	bytes int
	arena arena.Arena
}

func (f *wundergraphForest) Plant(depth int) {
	if bytes := treeBytes(depth); bytes > f.bytes {
		f.bytes, f.arena = bytes, arena.NewMonotonicArena(arena.WithMinBufferSize(bytes))
	}
	f.root = plantWundergraph(f.arena, depth)
}
func (f *wundergraphForest) Walk() int64 { return walk(f.root) }
func (f *wundergraphForest) Fell()       { f.root = nil; f.arena.Reset() }

func plantWundergraph(a arena.Arena, depth int) *node {
	n := arena.Allocate[node](a)
	if depth > 0 {
		n.left = plantWundergraph(a, depth-1)
		n.right = plantWundergraph(a, depth-1)
	}
	return n
}
