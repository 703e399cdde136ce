// SPDX-License-Identifier: MIT

// Gains measures what the programs gain by an arena, and prints a table: each program runs without
// and with one, in turn, in a process of its own; alone and beside 64 MB of other live memory, on
// all CPUs and on one. From the folder of this module:
//
//	./patch && go run ./cmd/gains [-rounds 5] [PROGRAM...]
//
// × is the median of the naive program's figures divided by that of the other's. Gains exits with
// status 1 if it knows no program of a name, if a program fails, or if the two come to different results.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toft-memory/toft/go/internal/measure"
)

// A program is one of this module's commands.
type program struct {
	name         string
	naive, arena []string // arguments
	patched      bool     // the arena is in a patched parser: a binary of its own
}

func main() {
	log.SetFlags(0)
	rounds := flag.Int("rounds", 5, "runs of each row")
	flag.Parse()
	if *rounds < 1 {
		log.Fatalf("gains: -rounds %d: there must be one at least", *rounds)
	}
	programs, err := all()
	if err == nil {
		programs, err = choose(programs, flag.Args())
	}
	if err == nil {
		err = compare(programs, *rounds)
	}
	if err != nil {
		log.Fatal("gains: ", err)
	}
}

// all returns the programs in the order of the table.
func all() ([]program, error) {
	library, err := folderOf("golang.org/toolchain@v0.0.1-go1.24.0.linux-amd64")
	if err != nil {
		return nil, err
	}
	var folders []string
	for _, name := range []string{"go", "encoding", "net", "crypto"} {
		folders = append(folders, filepath.Join(library, "src", name))
	}
	documents, err := filepath.Glob("patched/markdown/testdata/Markdown Documentation*.text")
	if err != nil {
		return nil, err
	}
	page := []string{"patched/x-net/html/testdata/go1.html"}
	return []program{
		{"html", page, page, true},
		{"goparser", folders, folders, true},
		{"service", []string{"naive"}, []string{"arena"}, false},
		{"markdown", documents, documents, true},
	}, nil
}

// choose returns those of the programs that have these names, or all if there are no names.
func choose(programs []program, names []string) ([]program, error) {
	if len(names) == 0 {
		return programs, nil
	}
	var known []string
	for _, p := range programs {
		known = append(known, p.name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("no program is called %q; there are %s", name, strings.Join(known, ", "))
		}
	}
	return slices.DeleteFunc(programs, func(p program) bool { return !slices.Contains(names, p.name) }), nil
}

// folderOf returns where a module lies.
func folderOf(module string) (string, error) {
	text, err := exec.Command("go", "mod", "download", "-json", module).Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", module, err)
	}
	var said struct{ Dir string }
	err = json.Unmarshal(text, &said)
	return said.Dir, err
}

// A setting is how a program runs.
type setting struct {
	name, live string
	env        []string
}

var settings = []setting{
	{"alone", "0", nil},
	{"alone, GOMAXPROCS=1", "0", []string{"GOMAXPROCS=1"}},
	{"beside 64 MB", "64", nil},
	{"beside 64 MB, GOMAXPROCS=1", "64", []string{"GOMAXPROCS=1"}},
}

func compare(programs []program, rounds int) error {
	folder, err := os.MkdirTemp("", "toft-gains-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	fmt.Print("| | CPU × | wall × | peak MB | collections |\n|---|---:|---:|---:|---:|\n")
	for _, p := range programs {
		naive, err := build(folder, p.name, false)
		if err != nil {
			return err
		}
		arena := naive
		if p.patched {
			if arena, err = build(folder, p.name, true); err != nil {
				return err
			}
		}
		for _, s := range settings {
			var runs [2][]measure.Usage
			for range rounds {
				a, output, err := run(naive, p.naive, s)
				if err != nil {
					return err
				}
				b, same, err := run(arena, p.arena, s)
				if err != nil {
					return err
				}
				if output != same {
					return fmt.Errorf("%s comes to %s, and with an arena to %s", p.name, output, same)
				}
				runs[0], runs[1] = append(runs[0], a), append(runs[1], b)
			}
			print(p.name+", "+s.name, runs)
		}
	}
	return nil
}

func build(folder, name string, patched bool) (binary string, err error) {
	binary = filepath.Join(folder, name)
	arguments := []string{"build", "-o", binary}
	if patched {
		binary += "-arena"
		arguments = []string{"build", "-o", binary, "-tags", "arena", "-modfile", "patched/go.mod"}
	}
	if out, err := exec.Command("go", append(arguments, "./cmd/"+name)...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", name, err, out)
	}
	return binary, nil
}

func run(binary string, arguments []string, s setting) (used measure.Usage, output string, err error) {
	cmd := exec.Command(binary, append([]string{"-live", s.live}, arguments...)...)
	cmd.Env = append(os.Environ(), s.env...)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return used, "", fmt.Errorf("%s: %w", filepath.Base(binary), err)
	}
	var said struct {
		measure.Usage
		Output string `json:"output"`
	}
	err = json.Unmarshal(text, &said)
	return said.Usage, said.Output, err
}

func print(name string, runs [2][]measure.Usage) {
	median := func(of func(measure.Usage) float64) (naive, arena float64) {
		var medians [2]float64
		for i, list := range runs {
			var values []float64
			for _, u := range list {
				values = append(values, of(u))
			}
			slices.Sort(values)
			medians[i] = (values[(len(values)-1)/2] + values[len(values)/2]) / 2
		}
		return medians[0], medians[1]
	}
	cpu, cpuArena := median(func(u measure.Usage) float64 { return u.CPUSeconds })
	wall, wallArena := median(func(u measure.Usage) float64 { return u.WallSeconds })
	peak, peakArena := median(func(u measure.Usage) float64 { return float64(u.PeakBytes) / 1e6 })
	collections, collectionsArena := median(func(u measure.Usage) float64 { return float64(u.Collections) })
	fmt.Printf("| %s | %.2f | %.2f | %.0f → %.0f | %.0f → %.0f |\n", name,
		cpu/cpuArena, wall/wallArena, peak, peakArena, collections, collectionsArena)
}
