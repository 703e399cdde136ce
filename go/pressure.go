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
			p.dropUnused()
			watchPressure(p)
		}
	}, weak.Make(p))
}

// memoryIsScarce tells whether what the last collection found alive, with stacks and the runtime's
// own memory, takes more than 3/4 of the memory limit. Near that, collections come thick and fast,
// and idle arenas are a part of what they mark. Garbage and free heap don't count: without GOGC the
// heap always grows up to the limit.
func memoryIsScarce() bool {
	samples := []metrics.Sample{
		{Name: "/gc/gomemlimit:bytes"},
		{Name: "/gc/heap/live:bytes"},
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(samples)
	limit, live := samples[0].Value.Uint64(), samples[1].Value.Uint64()
	others := samples[2].Value.Uint64()
	for _, heap := range samples[3:] {
		others -= heap.Value.Uint64()
	}
	return limit < math.MaxInt64 && live+others > limit/4*3
}
