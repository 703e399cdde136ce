// SPDX-License-Identifier: MIT

// Package binarytrees is the Benchmarks Game's program of that name, with the allocator to choose.
//
// It makes, walks and frees a stretch tree of depth N+1, then makes a long-lived tree of depth N,
// which is walked at the very end; in between, for each depth from 4 to N in steps of 2, it makes,
// walks and frees 2^(N-depth+4) trees, the depths side by side in a goroutine each. An N below 6
// counts as 6.
package binarytrees

import (
	"fmt"
	"io"
	"sync"
)

// A Forest holds one perfect tree at a time. Each serves one goroutine.
type Forest interface {
	Plant(depth int) // makes the tree, of 2^(depth+1)-1 nodes
	Walk() int64     // counts its nodes by following their links
	Fell()           // frees it
}

const (
	minDepth  = 4
	nodeBytes = 16
)

func maxDepth(n int) int { return max(n, minDepth+2) }

// Run plays the game and writes its output.
func Run(out io.Writer, n int, newForest func() Forest) {
	depth := maxDepth(n)

	stretch := newForest()
	stretch.Plant(depth + 1)
	fmt.Fprintf(out, "stretch tree of depth %d\t check: %d\n", depth+1, stretch.Walk())
	stretch.Fell()
	stretch = nil

	longLived := newForest()
	longLived.Plant(depth)

	lines := make([]string, (depth-minDepth)/2+1)
	var running sync.WaitGroup
	for i := range lines {
		running.Add(1)
		go func() {
			defer running.Done()
			lines[i] = many(newForest(), minDepth+2*i, depth)
		}()
	}
	running.Wait()
	for _, line := range lines {
		io.WriteString(out, line)
	}
	fmt.Fprintf(out, "long lived tree of depth %d\t check: %d\n", depth, longLived.Walk())
}

// many makes, walks and frees the trees of one depth.
func many(f Forest, depth, maxDepth int) string {
	trees := int64(1) << (maxDepth - depth + minDepth)
	check := int64(0)
	for range trees {
		f.Plant(depth)
		check += f.Walk()
		f.Fell()
	}
	return fmt.Sprintf("%d\t trees of depth %d\t check: %d\n", trees, depth, check)
}

// LargestN is beyond any machine's memory, and small enough for the counts to fit 64 bits.
const LargestN = 50

// Bytes is the memory that the trees of size n need at least: the stretch and the long-lived one.
func Bytes(n int) uint64 {
	return 3 * nodeBytes << (maxDepth(n) + 1)
}
