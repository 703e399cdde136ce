// SPDX-License-Identifier: MIT

package toft

import (
	"math"
	"runtime"
	"runtime/metrics"
	"weak"
)

// watchPressure has the pool told after each collection whether memory is scarce, for as long as
// the pool is in use: a sentinel that nothing holds dies at each collection, and its cleanup sets
// out the next.
func watchPressure(p *idleArenas) {
	// More than the one byte wanted: tiny blocks share an allocation and don't die alone.
	sentinel := new([32]byte)
	runtime.AddCleanup(sentinel, func(pool weak.Pointer[idleArenas]) {
		if p := pool.Value(); p != nil {
			p.setTight(memoryIsScarce())
			watchPressure(p)
		}
	}, weak.Make(p))
}

// memoryIsScarce tells whether the program uses more than 7/8 of its memory limit.
func memoryIsScarce() bool {
	samples := []metrics.Sample{
		{Name: "/gc/gomemlimit:bytes"},
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(samples)
	limit := samples[0].Value.Uint64()
	used := samples[1].Value.Uint64() - samples[2].Value.Uint64()
	return limit < math.MaxInt64 && used > limit/8*7
}
