// SPDX-License-Identifier: MIT

package toft

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// What the last collection found dead, or the heap keeps free, isn't in use: a program that lets
// its heap grow up to a memory limit still has arenas pooled.
func TestPoolKeepsArenasWhileGarbageFillsTheLimit(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(256 << 20))
	const requests = 600
	runtime.GC() // what other tests left
	live := make([]byte, 100<<20)
	var p Pool
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range requests {
		a := p.Get()
		New[pair](a)
		p.Put(a)
		garbage = make([]byte, 1<<20)
	}
	garbage = nil
	runtime.ReadMemStats(&after)
	if n := after.NumGC - before.NumGC; n < 2 {
		t.Errorf("only %d collections", n)
	}
	// What is allocated during a collection counts as alive in it, so that one that takes long may
	// find memory scarce until the next.
	if st := p.Stats(); st.Made > requests/4 {
		t.Errorf("%d requests one after the other, and %d arenas were made", requests, st.Made)
	}
	runtime.KeepAlive(live)
}

var garbage []byte
