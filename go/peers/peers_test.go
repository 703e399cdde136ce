// SPDX-License-Identifier: MIT

// Package peers shows what byte arenas do to pointers: their memory is hidden from the collector,
// so that what only they point to is freed under them.
package peers

import (
	"runtime"
	"testing"
	"weak"

	"github.com/ortuman/nuke"
	toft "github.com/toft-memory/toft/go"
	wundergraph "github.com/wundergraph/go-arena"
)

type holder struct{ target *[100]uint64 }

// survives tells whether what only a value from new points to is there after a collection.
func survives(new func() *holder) bool {
	h := new()
	target := func() weak.Pointer[[100]uint64] {
		h.target = &[100]uint64{1}
		return weak.Make(h.target)
	}()
	runtime.GC()
	alive := target.Value() != nil
	runtime.KeepAlive(h)
	return alive
}

func TestHeapPointersHeldOnlyByAnArena(t *testing.T) {
	var own toft.Arena
	n := nuke.NewMonotonicArena(1<<16, 1)
	w := wundergraph.NewMonotonicArena()
	for _, c := range []struct {
		name string
		new  func() *holder
		want bool
	}{
		{"toft", func() *holder { return toft.New[holder](&own) }, true},
		{"nuke", func() *holder { return nuke.New[holder](n) }, false},
		{"wundergraph", func() *holder { return wundergraph.Allocate[holder](w) }, false},
	} {
		if got := survives(c.new); got != c.want {
			t.Errorf("%s: the target survives: %v, want %v", c.name, got, c.want)
		}
	}
}
