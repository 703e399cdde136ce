// SPDX-License-Identifier: MIT

package toft

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// What the last collection found dead, or the heap keeps free, isn't in use: a program that lets its
// heap grow up to a memory limit has pooled arenas all the same. Nothing is allocated while a collection
// goes on, since that would count as alive in it.
func TestGarbageUpToTheLimitIsNoPressure(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	mebibytes := func(n int) (all [][]byte) {
		for range n {
			all = append(all, make([]byte, 1<<20))
		}
		return all
	}
	live, more := mebibytes(100), mebibytes(130)
	runtime.GC()
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(256 << 20))
	if !memoryIsScarce() {
		t.Error("memory isn't scarce, although all of it is alive")
	}
	runtime.KeepAlive(more)
	runtime.GC()
	var p Pool
	p.Put(p.Get())
	eventually(func() bool { return p.collections.Load() > 0 })
	if p.Stats().Idle != 1 {
		t.Error("an idle arena went, because of free heap")
	}
	if memoryIsScarce() {
		t.Error("free heap is taken for memory in use")
	}
	more = mebibytes(100)
	if memoryIsScarce() {
		t.Error("garbage is taken for memory in use")
	}
	runtime.KeepAlive(live)
}

var garbage []byte
