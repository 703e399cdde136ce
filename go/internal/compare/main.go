// SPDX-License-Identifier: MIT

// Compare measures a parser that others wrote, as it is and patched to use an arena. `toft bench
// binary-trees go` measures all the rest. Each row runs in a process of its own, round by round in
// turn. Then medians, ratios to the first row, and whether the goals are met are printed:
//
//	go run ./internal/compare [-rounds 3] [-run REGEXP] programs
//
// From the folder of this module; the module in the folder of that name is downloaded.
// It exits with status 1 if a program fails, or if two rows that do the same work disagree about its result.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/toft-memory/toft/go/internal/measure"
)

func main() {
	rounds := flag.Int("rounds", 3, "runs of each row")
	pattern := flag.String("run", "", "only rows whose names match this regular expression")
	flag.Parse()
	rowsFor, ok := tables[flag.Arg(0)]
	if !ok || flag.NArg() != 1 || *rounds < 1 {
		fmt.Fprintln(os.Stderr, "compare: name the table: programs")
		os.Exit(2)
	}
	rows, err := choose(rowsFor(), *pattern)
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(2)
	}
	if err := compare(rows, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

// A row is one program to run.
type row struct {
	name  string
	prog  program
	args  []string
	env   []string
	base  string // the row that it is compared with, which must have the same result
	goals []goal
	runs  []measure.Usage
}

// A goal is that another row's figure over this one's reaches a ratio.
type goal struct {
	row    string
	ratio  float64
	figure figure
}

// A figure is one of those measured.
type figure struct {
	name string
	of   func(measure.Usage) float64
}

var (
	cpu  = figure{"CPU", func(u measure.Usage) float64 { return u.CPUSeconds }}
	wall = figure{"wall", func(u measure.Usage) float64 { return u.WallSeconds }}
	peak = figure{"peak", func(u measure.Usage) float64 { return float64(u.PeakBytes) / 1e6 }}
)

// choose returns the rows whose names match the pattern.
func choose(rows []row, pattern string) ([]row, error) {
	matcher, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	chosen := slices.DeleteFunc(rows, func(r row) bool { return !matcher.MatchString(r.name) })
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no row's name matches %q", pattern)
	}
	return chosen, nil
}

// find returns the place of the row of that name, or -1.
func find(rows []row, name string) int {
	return slices.IndexFunc(rows, func(r row) bool { return r.name == name })
}

func compare(rows []row, rounds int) error {
	dir, err := os.MkdirTemp("", "toft-compare-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	built := map[program]string{}
	for _, r := range rows {
		if built[r.prog] == "" {
			if built[r.prog], err = r.prog.build(dir); err != nil {
				return err
			}
		}
	}
	outputs := make([]string, len(rows))
	for round := range rounds {
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, rounds)
		for i := range rows {
			used, output, err := run(built[rows[i].prog], rows[i])
			if err != nil {
				return fmt.Errorf("%s: %w", rows[i].name, err)
			}
			rows[i].runs = append(rows[i].runs, used)
			outputs[i] = output
			base := find(rows, rows[i].base)
			if base >= 0 && base < i && output != outputs[base] {
				return fmt.Errorf("%s: the result differs from that of %s",
					rows[i].name, rows[base].name)
			}
		}
	}
	printTable(rows)
	return nil
}

// run is one run of one row.
func run(binary string, r row) (measure.Usage, string, error) {
	cmd := exec.Command(binary, r.args...)
	cmd.Env = append(os.Environ(), r.env...)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	var result struct {
		measure.Usage
		Output string `json:"output"`
	}
	if err == nil {
		err = json.Unmarshal(text, &result)
	}
	return result.Usage, result.Output, err
}

func printTable(rows []row) {
	others := []figure{
		{"peak MB", peak.of},
		{"allocations", func(u measure.Usage) float64 { return float64(u.Allocations) }},
		{"MB allocated", func(u measure.Usage) float64 { return float64(u.AllocatedBytes) / 1e6 }},
		{"collections", func(u measure.Usage) float64 { return float64(u.Collections) }},
		{"pause ms", func(u measure.Usage) float64 { return u.PauseSeconds * 1e3 }},
		{"collector %", func(u measure.Usage) float64 { return u.CollectorShare * 100 }},
	}
	fmt.Print("| | wall s | CPU s | × wall | × CPU |")
	for _, f := range others {
		fmt.Printf(" %s |", f.name)
	}
	fmt.Printf("\n|---|%s\n", strings.Repeat("---:|", 4+len(others)))
	for _, r := range rows {
		fmt.Printf("| %s | %.2f | %.2f | %s | %s |", r.name, r.median(wall), r.median(cpu),
			ratio(rows, r, wall), ratio(rows, r, cpu))
		for _, f := range others {
			fmt.Printf(" %.0f |", r.median(f))
		}
		fmt.Println()
	}
	fmt.Println()
	for _, r := range rows {
		for _, g := range r.goals {
			other := find(rows, g.row)
			if other < 0 {
				continue
			}
			ratio := rows[other].median(g.figure) / r.median(g.figure)
			verdict := "reached"
			if ratio < g.ratio {
				verdict = "MISSED"
			}
			fmt.Printf("- %s: %s ÷ %s is %.2f; goal %.2f: %s\n",
				g.figure.name, g.row, r.name, ratio, g.ratio, verdict)
		}
	}
}

// ratio is the figure of the row that r is compared with over r's own.
func ratio(rows []row, r row, f figure) string {
	base := find(rows, r.base)
	if base < 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", rows[base].median(f)/r.median(f))
}

// median is that of one figure over the row's runs.
func (r row) median(f figure) float64 {
	var values []float64
	for _, u := range r.runs {
		values = append(values, f.of(u))
	}
	slices.Sort(values)
	middle := len(values) / 2
	if len(values)%2 == 0 {
		return (values[middle-1] + values[middle]) / 2
	}
	return values[middle]
}

// A program is one to build: a package of the module in a folder, with flags for the go command.
type program struct{ folder, pkg, flags string }

func (p program) build(dir string) (string, error) {
	if p.folder == "programs" {
		if out, err := exec.Command("programs/patch").CombinedOutput(); err != nil {
			return "", fmt.Errorf("programs/patch: %w\n%s", err, out)
		}
	}
	name := strings.NewReplacer("/", "-", ".", "", " ", "").Replace(
		p.folder + p.pkg + p.flags)
	binary := filepath.Join(dir, name)
	args := append([]string{"build", "-o", binary}, strings.Fields(p.flags)...)
	cmd := exec.Command("go", append(args, p.pkg)...)
	cmd.Dir = p.folder
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s in %s: %w\n%s", p.pkg, p.folder, err, out)
	}
	return binary, nil
}
