// SPDX-License-Identifier: MIT

package main

import (
	"slices"
	"testing"
)

func TestChoose(t *testing.T) {
	for _, c := range []struct{ names, chosen []string }{
		{nil, []string{"html", "goparser", "service"}},
		{[]string{"service", "html"}, []string{"html", "service"}},
	} {
		programs, err := choose([]program{{name: "html"}, {name: "goparser"}, {name: "service"}}, c.names)
		var chosen []string
		for _, p := range programs {
			chosen = append(chosen, p.name)
		}
		if err != nil || !slices.Equal(chosen, c.chosen) {
			t.Errorf("of %q, chosen are %q, error %v", c.names, chosen, err)
		}
	}
	const want = `no program is called "htlm"; there are html, service`
	_, err := choose([]program{{name: "html"}, {name: "service"}}, []string{"service", "htlm"})
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
