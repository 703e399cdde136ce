// SPDX-License-Identifier: MIT

package main

import "testing"

// All ways to do a work give the same check, which isn't nothing.
func TestAllocatorsAgree(t *testing.T) {
	for name, w := range works {
		want := w.do["naive"](20)
		if want == 0 {
			t.Errorf("%s gives 0", name)
		}
		for allocator, do := range w.do {
			if got := do(20); got != want {
				t.Errorf("%s by %s gives %d, naive %d", name, allocator, got, want)
			}
		}
	}
}

// In steady state an arena takes nothing from the heap; where strings are made, a chunk now and
// then.
func TestArenaAllocatesNothingPerRequest(t *testing.T) {
	requestsArena(10)
	perRequest := testing.AllocsPerRun(1, func() { requestsArena(1000) }) / 1000
	if perRequest > 0 {
		t.Errorf("%v heap allocations a request", perRequest)
	}
}
