// SPDX-License-Identifier: MIT

// Peer-trees is binary-trees with other people's arenas:
//
//	peer-trees -allocator NAME -json N
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/toft-memory/toft/go/internal/binarytrees"
	"github.com/toft-memory/toft/go/internal/measure"
)

// forests are the peers by name; the file of each enters it.
var forests = map[string]func() binarytrees.Forest{}

func main() {
	allocator := flag.String("allocator", "hyperpb", "hyperpb, nuke, wundergraph or goexperiment")
	_ = flag.Bool("json", true, "print JSON, which it always does")
	flag.Parse()
	n, err := strconv.Atoi(flag.Arg(0))
	forest := forests[*allocator]
	if forest == nil || err != nil || n < 0 || n > 30 {
		fmt.Fprintf(os.Stderr, "peer-trees: no allocator %q, or no depth from 0 to 30: %q\n",
			*allocator, flag.Arg(0))
		os.Exit(2)
	}
	var game strings.Builder
	used := measure.Of(func() { binarytrees.Run(&game, n, forest) })
	err = json.NewEncoder(os.Stdout).Encode(struct {
		Go         string `json:"go"`
		GOMAXPROCS int    `json:"gomaxprocs"`
		measure.Usage
		Output string `json:"output"`
	}{runtime.Version(), runtime.GOMAXPROCS(0), used, game.String()})
	if err != nil {
		fmt.Fprintln(os.Stderr, "peer-trees:", err)
		os.Exit(1)
	}
}

type node struct{ left, right *node }

func walk(n *node) int64 {
	if n.left == nil {
		return 1
	}
	return 1 + walk(n.left) + walk(n.right)
}

// treeBytes is what a tree of that depth takes.
func treeBytes(depth int) int { return 32 << depth }
