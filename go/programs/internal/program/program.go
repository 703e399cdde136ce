// SPDX-License-Identifier: MIT

// Package program is what the programs have in common: each does its work so many times, beside so
// much other live memory, and prints what that took as one JSON object:
//
//	PROGRAM [-rounds N] [-live MB] [FILE ...]
package program

import (
	"encoding/json"
	"flag"
	"log"
	"os"
	"runtime"

	"github.com/toft-memory/toft/go/internal/measure"
)

// A record is what the rest of a program holds: each collection has to look at it.
type record struct {
	next *record
	data [6]uint64
}

// Main prepares the work, which may take arguments, and then runs and measures it. The work returns
// what its rounds add up to, by which two programs can be compared.
func Main(rounds int, prepare func(arguments []string) (work func(rounds int) (string, error), err error)) {
	log.SetFlags(0)
	flag.IntVar(&rounds, "rounds", rounds, "how often the work is done")
	live := flag.Int("live", 0, "MB of other live memory")
	flag.Parse()
	work, err := prepare(flag.Args())
	if err != nil {
		log.Fatal(err)
	}
	var held *record
	for range *live * 1_000_000 / 56 {
		held = &record{next: held}
	}
	var output string
	used := measure.Of(func() { output, err = work(rounds) })
	if err != nil {
		log.Fatal(err)
	}
	runtime.KeepAlive(held)
	err = json.NewEncoder(os.Stdout).Encode(struct {
		measure.Usage
		Output string `json:"output"`
	}{used, output})
	if err != nil {
		log.Fatal(err)
	}
}
