// SPDX-License-Identifier: MIT

package main

import (
	"strconv"
	"strings"
)

var (
	trees       = program{".", "./cmd/binary-trees", "", ""}
	workloads   = program{".", "./internal/workloads", "", ""}
	peers       = program{"peers", "./cmd/peer-trees", "", ""}
	peersArenas = program{"peers", "./cmd/peer-trees", "arenas", ""}
	html        = program{"programs", "./cmd/html", "", ""}
	htmlArena   = program{"programs", "./cmd/html", "", "-tags arena -modfile patched/go.mod"}
)

// tables are the comparisons by name.
var tables = map[string]func(n int) []row{
	"trees": func(n int) []row {
		return []row{
			tree("naive", n),
			tree("buffered", n),
			tree("pool", n),
			tree("slab", n, goal{"naive", 6.5, cpu}, goal{"naive", 6.5, wall},
				goal{"buffered", 2.6, cpu}, goal{"buffered", 2.6, wall}, goal{"naive", 1, peak}),
			tree("index", n, goal{"naive", 6.5, cpu}, goal{"naive", 6.5, wall}),
			tree("arena", n, goal{"naive", 5, cpu}, goal{"naive", 5, wall}),
			tree("drop", n),
		}
	},
	"one": func(n int) []row {
		rows := []row{
			tree("naive", n),
			tree("slab", n, goal{"naive", 9, cpu}, goal{"naive", 9, wall}),
			tree("arena", n, goal{"naive", 7, cpu}, goal{"naive", 7, wall}),
		}
		for i := range rows {
			rows[i].env = []string{"GOMAXPROCS=1"}
		}
		return rows
	},
	"peers": func(n int) []row {
		peer := func(name string) row {
			return row{name: name, prog: peers, args: treeArgs(name, n)}
		}
		rows := []row{
			tree("slab", n, goal{"hyperpb", 1 / .75, cpu}, goal{"nuke", 1, cpu},
				goal{"wundergraph", 1, cpu}, goal{"GOEXPERIMENT=arenas", 1, cpu}),
			tree("arena", n),
			peer("hyperpb"), peer("nuke"), peer("wundergraph"),
			{name: "GOEXPERIMENT=arenas", prog: peersArenas, args: treeArgs("goexperiment", n)},
		}
		for i := range rows {
			rows[i].base = "slab"
		}
		return rows
	},
	"settings": func(n int) []row {
		var rows []row
		for _, env := range []string{
			"GOGC=100", "GOGC=400", "GOGC=off GOMEMLIMIT=1GiB", "GOMEMLIMIT=300MiB",
		} {
			for _, allocator := range []string{"naive", "slab"} {
				r := tree(allocator, n)
				r.name += ", " + env
				r.env = strings.Fields(env)
				r.base = "naive, " + env
				rows = append(rows, r)
			}
		}
		return rows
	},
	"programs": func(int) []row {
		const page = "programs/patched/x-net/html/testdata/go1.html"
		var rows []row
		for _, setting := range []struct {
			name, live string
			env        []string
			goal       float64
		}{
			{"html", "0", nil, 1},
			{"html, one CPU", "0", []string{"GOMAXPROCS=1"}, 1},
			{"html, 64 MB live", "64", nil, 1},
			{"html, 64 MB live, one CPU", "64", []string{"GOMAXPROCS=1"}, 2},
		} {
			args := []string{"-live", setting.live, page}
			naive := row{name: setting.name + ", naive", prog: html, args: args, env: setting.env}
			naive.base = naive.name
			arena := naive
			arena.name, arena.prog = setting.name+", arena", htmlArena
			arena.goals = []goal{
				{naive.name, setting.goal, cpu}, {naive.name, 1, wall}, {naive.name, 1, peak},
			}
			rows = append(rows, naive, arena)
		}
		return rows
	},
	"work": func(int) []row {
		var rows []row
		for _, w := range []struct {
			work       string
			allocators []string
			goal       float64
		}{
			{"request", []string{"arena"}, 5},
			{"small", []string{"arena"}, 0},
			{"parse", []string{"arena"}, 2.1},
			{"append", []string{"arena", "grow"}, 3},
			{"bytes", []string{"arena"}, 0},
			{"strings", []string{"arena"}, 0},
			{"intern", []string{"arena"}, 0},
			{"json", []string{"arena", "encoding/json"}, 0},
		} {
			naive := work(w.work, "naive")
			rows = append(rows, naive)
			for _, a := range w.allocators {
				r := work(w.work, a)
				if w.goal > 0 {
					r.goals = []goal{{naive.name, w.goal, cpu}}
				}
				rows = append(rows, r)
			}
		}
		return rows
	},
}

func tree(allocator string, n int, goals ...goal) row {
	return row{
		name: allocator, prog: trees, args: treeArgs(allocator, n), base: "naive", goals: goals,
	}
}

func treeArgs(allocator string, n int) []string {
	return []string{"-json", "-allocator", allocator, strconv.Itoa(n)}
}

func work(name, allocator string) row {
	return row{
		name: name + ", " + allocator, prog: workloads,
		args: []string{"-work", name, "-allocator", allocator}, base: name + ", naive",
	}
}
