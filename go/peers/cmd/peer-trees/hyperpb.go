// SPDX-License-Identifier: MIT

package main

import (
	"buf.build/go/hyperpb/door"
	"github.com/toft-memory/toft/go/internal/binarytrees"
)

func init() { forests["hyperpb"] = func() binarytrees.Forest { return &hyperpbForest{} } }

// hyperpbForest frees its arena, which keeps the largest block for reuse, after each tree.
type hyperpbForest struct {
	root  *node
	arena door.Arena
}

func (f *hyperpbForest) Plant(depth int) { f.root = plantHyperpb(&f.arena, depth) }
func (f *hyperpbForest) Walk() int64     { return walk(f.root) }
func (f *hyperpbForest) Fell()           { f.root = nil; f.arena.Free() }

func plantHyperpb(a *door.Arena, depth int) *node {
	n := door.New(a, node{})
	if depth > 0 {
		n.left = plantHyperpb(a, depth-1)
		n.right = plantHyperpb(a, depth-1)
	}
	return n
}
