// SPDX-License-Identifier: MIT

//go:build !toftcheck

package main

import "testing"

// In steady state an arena takes nothing from the heap; where strings are made, a chunk now and
// then. The checking build gives up memory at each Reset.
func TestArenaAllocatesNothingPerRequest(t *testing.T) {
	requestsArena(10)
	// What the runtime allocates meanwhile is counted too, on a loaded machine now and then: one run
	// without any shows that the arena needs none.
	var perRequest float64
	for range 10 {
		perRequest = testing.AllocsPerRun(1, func() { requestsArena(1000) }) / 1000
		if perRequest == 0 {
			return
		}
	}
	t.Errorf("%v heap allocations a request", perRequest)
}
