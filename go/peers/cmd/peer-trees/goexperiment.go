// SPDX-License-Identifier: MIT

//go:build goexperiment.arenas

package main

import (
	"arena"

	"github.com/toft-memory/toft/go/internal/binarytrees"
)

func init() { forests["goexperiment"] = func() binarytrees.Forest { return &arenaForest{} } }

// arenaForest makes and frees an arena for each tree, which is how the experiment is used: an arena
// of it can't be reset.
type arenaForest struct {
	root  *node
	arena *arena.Arena
}

func (f *arenaForest) Plant(depth int) {
	f.arena = arena.NewArena()
	f.root = plantArena(f.arena, depth)
}
func (f *arenaForest) Walk() int64 { return walk(f.root) }
func (f *arenaForest) Fell()       { f.root = nil; f.arena.Free() }

func plantArena(a *arena.Arena, depth int) *node {
	n := arena.New[node](a)
	if depth > 0 {
		n.left = plantArena(a, depth-1)
		n.right = plantArena(a, depth-1)
	}
	return n
}
