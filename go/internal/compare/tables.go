// SPDX-License-Identifier: MIT

package main

var (
	html      = program{"programs", "./cmd/html", ""}
	htmlArena = program{"programs", "./cmd/html", "-tags arena -modfile patched/go.mod"}
)

// tables are the comparisons by name. What needs nothing from outside is measured by `toft bench`.
var tables = map[string]func() []row{
	"programs": func() []row {
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
