// SPDX-License-Identifier: MIT

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/toft-memory/toft/go/internal/binarytrees"
)

// game10 is the Benchmarks Game's published output for N = 10.
const game10 = "stretch tree of depth 11\t check: 4095\n" +
	"1024\t trees of depth 4\t check: 31744\n" +
	"256\t trees of depth 6\t check: 32512\n" +
	"64\t trees of depth 8\t check: 32704\n" +
	"16\t trees of depth 10\t check: 32752\n" +
	"long lived tree of depth 10\t check: 2047\n"

// expected computes the output from the counts alone.
func expected(n int) string {
	depth := max(n, 6)
	nodes := func(d int) int { return 2<<d - 1 }
	var b strings.Builder
	fmt.Fprintf(&b, "stretch tree of depth %d\t check: %d\n", depth+1, nodes(depth+1))
	for d := 4; d <= depth; d += 2 {
		trees := 1 << (depth - d + 4)
		fmt.Fprintf(&b, "%d\t trees of depth %d\t check: %d\n", trees, d, trees*nodes(d))
	}
	fmt.Fprintf(&b, "long lived tree of depth %d\t check: %d\n", depth, nodes(depth))
	return b.String()
}

func TestOutput(t *testing.T) {
	if expected(10) != game10 {
		t.Fatal("the expectation is wrong")
	}
	largest := 13
	if testing.Short() {
		largest = 8 // the checking build runs a collection for each tree
	}
	for _, a := range binarytrees.Allocators {
		for n := 0; n <= largest; n++ {
			var out, errs bytes.Buffer
			status := run([]string{"-allocator", a.Name, fmt.Sprint(n)}, &out, &errs)
			if status != 0 || errs.Len() > 0 || out.String() != expected(n) {
				t.Errorf("%s %d: status %d, %s\n%s", a.Name, n, status, errs.String(), out.String())
			}
		}
	}
}

func TestJSON(t *testing.T) {
	for _, alias := range []string{"0", "1", "slab"} {
		var out, errs bytes.Buffer
		if status := run([]string{"-json", "-allocator", alias, "10"}, &out, &errs); status != 0 {
			t.Fatalf("status %d: %s", status, errs.String())
		}
		var result map[string]any
		if err := json.Unmarshal(out.Bytes(), &result); err != nil {
			t.Fatal(err)
		}
		if result["output"] != game10 {
			t.Errorf("output %q", result["output"])
		}
		for _, field := range []string{"n", "gomaxprocs", "wall_seconds", "cpu_seconds", "peak_bytes",
			"allocations", "allocated_bytes", "collections", "pause_seconds", "collector_share"} {
			if v, ok := result[field].(float64); !ok || v < 0 {
				t.Errorf("%s is %v", field, result[field])
			}
		}
		for _, field := range []string{"wall_seconds", "allocations", "allocated_bytes"} {
			if result[field] == 0.0 {
				t.Errorf("%s is 0", field)
			}
		}
	}
}

func TestBadUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-1"}, "N is -1; give a depth from 0 up"},
		{[]string{"-allocator", "slab", "-20"}, "N is -20"},
		{[]string{"ten"}, "no whole number"},
		{[]string{"1.5"}, "no whole number"},
		{[]string{""}, "no whole number"},
		{[]string{"51"}, "fit no machine"},
		{[]string{"99999999999999999999"}, "fit no machine"},
		{[]string{"-99999999999999999999"}, "give a depth from 0 up"},
		{[]string{"45"}, "are available; give at most"},
		{[]string{}, "give one N"},
		{[]string{"1", "2"}, "give one N"},
		{[]string{"-allocator", "magic", "10"}, "there are naive, buffered, pool, slab, arena, drop"},
		{[]string{"-allocator", "", "10"}, "no allocator \"\""},
		{[]string{"-fast", "10"}, "not defined"},
	} {
		var out, errs bytes.Buffer
		status := run(c.args, &out, &errs)
		if status != 2 || out.Len() > 0 || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%q: status %d, %q, want %q", c.args, status, errs.String(), c.want)
		}
	}
}

func TestHelp(t *testing.T) {
	var out, errs bytes.Buffer
	status := run([]string{"-h"}, &out, &errs)
	if status != 0 || !strings.Contains(errs.String(), "usage: binary-trees") {
		t.Errorf("status %d: %s", status, errs.String())
	}
}
