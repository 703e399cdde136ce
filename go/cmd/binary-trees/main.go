// SPDX-License-Identifier: MIT

// Binary-trees is the Benchmarks Game's program, with the allocator to choose:
//
//	binary-trees [-allocator NAME] [-json] N
//
// Its output is the Game's, byte for byte. With -json it prints one object instead: what was run
// (program, allocator, n, gomaxprocs, go), the Game's output as one string, and its measurements,
// as wall_seconds, cpu_seconds, peak_bytes, allocations, allocated_bytes, collections,
// pause_seconds and collector_share (of the CPU time). Fields may be added, never renamed.
//
// An N that is no number from 0 up to what memory allows is refused with exit status 2.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/toft-memory/toft/go/internal/binarytrees"
	"github.com/toft-memory/toft/go/internal/measure"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

const badUsage = 2

// run is main without the process. It returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("binary-trees", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { usage(stderr) }
	name := flags.String("allocator", "slab", "")
	asJSON := flags.Bool("json", false, "")
	if err := flags.Parse(shieldNegative(args)); err == flag.ErrHelp {
		return 0
	} else if err != nil {
		return badUsage
	}
	allocator, err := find(*name)
	if err == nil && flags.NArg() != 1 {
		err = fmt.Errorf("give one N, the depth of the trees, after the flags; got %d arguments",
			flags.NArg())
	}
	n := 0
	if err == nil {
		n, err = parseN(flags.Arg(0), availableBytes())
	}
	if err != nil {
		fmt.Fprintf(stderr, "binary-trees: %v\n", err)
		return badUsage
	}
	if *asJSON {
		err = playJSON(stdout, allocator, n)
	} else {
		out := bufio.NewWriter(stdout)
		binarytrees.Run(out, n, allocator.Forest)
		err = out.Flush()
	}
	if err != nil {
		fmt.Fprintf(stderr, "binary-trees: %v\n", err)
		return 1
	}
	return 0
}

// shieldNegative keeps a last argument such as -1 from being taken for a flag: it is an N, if a bad
// one.
func shieldNegative(args []string) []string {
	if len(args) == 0 {
		return args
	}
	last := args[len(args)-1]
	if len(last) > 1 && last[0] == '-' && '0' <= last[1] && last[1] <= '9' {
		return slices.Insert(slices.Clone(args), len(args)-1, "--")
	}
	return args
}

func usage(w io.Writer) {
	fmt.Fprint(w, "usage: binary-trees [-allocator NAME] [-json] N\n\n")
	fmt.Fprint(w, "allocators (slab unless given):\n")
	for _, a := range binarytrees.Allocators {
		name := a.Name
		if a.Alias != "" {
			name += ", " + a.Alias
		}
		fmt.Fprintf(w, "  %-12s %s\n", name, a.About)
	}
	fmt.Fprint(w, "\n-json prints the output and the measurements as one JSON object\n")
}

func find(name string) (binarytrees.Allocator, error) {
	var names []string
	for _, a := range binarytrees.Allocators {
		if name == a.Name || name == a.Alias && name != "" {
			return a, nil
		}
		names = append(names, a.Name)
	}
	return binarytrees.Allocator{}, fmt.Errorf("no allocator %q; there are %s",
		name, strings.Join(names, ", "))
}

// parseN reads the depth and refuses one whose trees don't fit memory.
func parseN(text string, available uint64) (int, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil && (err.(*strconv.NumError)).Err == strconv.ErrSyntax:
		return 0, fmt.Errorf("N is %q, which is no whole number; give one from 0 up, such as 21",
			text)
	case err == nil && n < 0 || err != nil && strings.HasPrefix(text, "-"):
		return 0, fmt.Errorf("N is %s; give a depth from 0 up, such as 21", text)
	case err != nil || n > binarytrees.LargestN:
		return 0, fmt.Errorf("N is %s, whose trees fit no machine; give at most %d",
			text, largest(available))
	case binarytrees.Bytes(int(n)) > available:
		return 0, fmt.Errorf("N is %d, whose trees take %d MiB or more, and %d MiB are available; "+
			"give at most %d", n, binarytrees.Bytes(int(n))>>20, available>>20, largest(available))
	}
	return int(n), nil
}

// largest is the largest N whose trees fit.
func largest(available uint64) int {
	n := 0
	for n < binarytrees.LargestN && binarytrees.Bytes(n+1) <= available {
		n++
	}
	return n
}

func playJSON(w io.Writer, a binarytrees.Allocator, n int) error {
	var game strings.Builder
	used := measure.Of(func() { binarytrees.Run(&game, n, a.Forest) })
	return json.NewEncoder(w).Encode(struct {
		Program    string `json:"program"`
		Allocator  string `json:"allocator"`
		N          int    `json:"n"`
		GOMAXPROCS int    `json:"gomaxprocs"`
		Go         string `json:"go"`
		measure.Usage
		Output string `json:"output"`
	}{"binary-trees", a.Name, n, runtime.GOMAXPROCS(0), runtime.Version(), used, game.String()})
}
