// SPDX-License-Identifier: MIT

// Workloads does everyday work, allocating in the ordinary way or from Toft, and prints what it
// took as one JSON object, like binary-trees -json:
//
//	workloads -work NAME -allocator naive|arena [-rounds N]
//
// Both sides do the same work on the same data with the same types, and the check they print must
// agree.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"sync"

	"github.com/toft-memory/toft/go/internal/measure"
)

// A work is one kind of work, done for a number of rounds by one goroutine. It returns a check sum.
type work struct {
	rounds int // by each goroutine, for about a second of naive work
	do     ways
}

type ways = map[string]func(rounds int) uint64

var works = map[string]work{
	"request": {120_000, ways{"naive": requestsNaive, "arena": requestsArena}},
	"small":   {2_000_000, ways{"naive": smallNaive, "arena": smallArena}},
	"parse":   {500, ways{"naive": parseNaive, "arena": parseArena}},
	"append":  {40_000, ways{"naive": appendNaive, "arena": appendArena, "grow": appendGrow}},
	"bytes":   {100_000, ways{"naive": bytesNaive, "arena": bytesArena}},
	"strings": {20_000, ways{"naive": stringsNaive, "arena": stringsArena}},
	"intern":  {10_000, ways{"naive": internNaive, "arena": internArena}},
	"json":    {1000, ways{"naive": jsonNaive, "arena": jsonArena, "encoding/json": jsonStandard}},
}

func main() {
	name := flag.String("work", "request", "request, small, parse, append, bytes, strings, intern or json")
	allocator := flag.String("allocator", "arena", "naive or arena; also grow, or encoding/json")
	rounds := flag.Int("rounds", 0, "rounds by each of GOMAXPROCS goroutines; 0 for the usual number")
	flag.Parse()
	w, ok := works[*name]
	do := w.do[*allocator]
	if !ok || do == nil || flag.NArg() > 0 || *rounds < 0 {
		fmt.Fprintf(os.Stderr, "workloads: no work %q by %q %q\n", *name, *allocator, flag.Args())
		flag.Usage()
		os.Exit(2)
	}
	if *rounds == 0 {
		*rounds = w.rounds
	}
	var check uint64
	used := measure.Of(func() { check = everywhere(do, *rounds) })
	err := json.NewEncoder(os.Stdout).Encode(struct {
		Program    string `json:"program"`
		Allocator  string `json:"allocator"`
		GOMAXPROCS int    `json:"gomaxprocs"`
		Go         string `json:"go"`
		measure.Usage
		Output string `json:"output"`
	}{*name, *allocator, runtime.GOMAXPROCS(0), runtime.Version(), used, fmt.Sprint(check)})
	if err != nil {
		fmt.Fprintln(os.Stderr, "workloads:", err)
		os.Exit(1)
	}
}

// everywhere does the work in one goroutine for each processor and adds up the checks.
func everywhere(do func(int) uint64, rounds int) (sum uint64) {
	checks := make([]uint64, runtime.GOMAXPROCS(0))
	var running sync.WaitGroup
	for i := range checks {
		running.Add(1)
		go func() {
			defer running.Done()
			checks[i] = do(rounds)
		}()
	}
	running.Wait()
	for _, c := range checks {
		sum += c
	}
	return sum
}
