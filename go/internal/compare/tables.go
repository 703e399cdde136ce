// SPDX-License-Identifier: MIT

package main

import "strconv"

var (
	trees       = program{".", "./cmd/binary-trees", "", ""}
	peers       = program{"peers", "./cmd/peer-trees", "", ""}
	peersArenas = program{"peers", "./cmd/peer-trees", "arenas", ""}
	html        = program{"programs", "./cmd/html", "", ""}
	htmlArena   = program{"programs", "./cmd/html", "", "-tags arena -modfile patched/go.mod"}
)

// tables are the comparisons by name. What needs nothing from outside is measured by `toft bench`.
var tables = map[string]func(n int) []row{
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
}

func tree(allocator string, n int, goals ...goal) row {
	return row{
		name: allocator, prog: trees, args: treeArgs(allocator, n), base: "naive", goals: goals,
	}
}

func treeArgs(allocator string, n int) []string {
	return []string{"-json", "-allocator", allocator, strconv.Itoa(n)}
}
