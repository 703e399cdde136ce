// SPDX-License-Identifier: MIT

//go:build !toftcheck

package main

import "testing"

// In steady state an arena takes nothing from the heap; where strings are made, a chunk now and
// then. The checking build gives up memory at each Reset.
func TestArenaAllocatesNothingPerRequest(t *testing.T) {
	requestsArena(10)
	perRequest := testing.AllocsPerRun(1, func() { requestsArena(1000) }) / 1000
	if perRequest > 0 {
		t.Errorf("%v heap allocations a request", perRequest)
	}
}
