// SPDX-License-Identifier: MIT

package main

import (
	"github.com/ortuman/nuke"
	"github.com/toft-memory/toft/go/internal/binarytrees"
)

func init() { forests["nuke"] = func() binarytrees.Forest { return &nukeForest{} } }

// nukeForest resets its arena after each tree. Nuke looks for room in one buffer after the other,
// and doesn't grow: one buffer that fits the tree is its best case.
type nukeForest struct {
	root  *node
	bytes int
	arena nuke.Arena
}

func (f *nukeForest) Plant(depth int) {
	if bytes := treeBytes(depth); bytes > f.bytes {
		f.bytes, f.arena = bytes, nuke.NewMonotonicArena(bytes, 1)
	}
	f.root = plantNuke(f.arena, depth)
}
func (f *nukeForest) Walk() int64 { return walk(f.root) }
func (f *nukeForest) Fell()       { f.root = nil; f.arena.Reset(false) }

func plantNuke(a nuke.Arena, depth int) *node {
	n := nuke.New[node](a)
	if depth > 0 {
		n.left = plantNuke(a, depth-1)
		n.right = plantNuke(a, depth-1)
	}
	return n
}
