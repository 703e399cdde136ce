// SPDX-License-Identifier: MIT

// Package toft allocates by lifetime: things that die together are made together and freed at once,
// in pure Go and in memory that the collector understands.
//
//   - [Slab] hands out values of one type. Its New is inlined.
//   - [Arena] hands out values of any type, by [New], [Make], [Append], [Clone], [String] and
//     [Sprintf].
//   - [Index] hands out values by [Ref], a reference that is checked: use after reset panics.
//   - [Strings] makes and interns strings.
//   - [Pool] keeps arenas between requests.
//
// The zero value of each is ready to use.
//
//	import toft "github.com/toft-memory/toft/go"
//
//	var a toft.Arena
//	for request := range requests {
//		tree := parse(&a, request)
//		answer(tree)
//		a.Reset() // frees the tree, and keeps the memory for the next
//	}
//
// # What makes it safe
//
// Every chunk is an ordinary slice of one type, so the collector sees every pointer in it. A value
// may point to other values of the arena, to the heap, or to anything else, and keeps it alive. A
// pointer to a value keeps the value alive, whatever becomes of the arena's variable. A slot that
// once held a T never holds anything else, and the bytes of a string never change.
//
// What a Reset does to pointers that are kept is the [Policy]'s choice. Under [Drop] they stay good.
// Under [Reuse], the default, they are bugs of the program. How much harm they do depends on who uses
// them. In the goroutine that owns the arena, such a pointer sees a newer T at worst, and no pointer
// is forged. In another goroutine, its use is a data race with the values that the arena hands out
// next, and has all that a data race in Go may have for effects: of a slice, a string or an interface
// value it may see one half old and one half new, and so reach beyond its memory. Use Drop where such
// pointers can't be ruled out.
//
// Tests find kept pointers with package tofttest. The checking build, go test -tags toftcheck, looks
// for them at every Reset and Rewind under Reuse, and panics with the type's name. Go test -race reports
// the data races: what frees memory counts as a write to it, so that a use by another goroutine without a
// hand-over is reported even if nothing is made there afterwards. Run both at once, by go test -race -tags
// toftcheck. The checking build looks several times in a quarter of a second, and reports only what is
// there each time: so it misses a pointer that another goroutine keeps for a shorter time after the Reset.
// The race detector reports that one if it is used, but no pointer that the goroutine of the arena keeps.
//
// # What it costs
//
// Slab.New and Index.New take a handful of instructions, New a call more. Reset clears what was
// used. A value kept for long pins its chunk: 64 KiB at most, unless the value itself is larger. A
// slice above 16 KiB pins its block, which may be twice as long. Half of a chunk may be empty for
// each type. A slab keeps what its fullest round needed, or as much for long slices of each size,
// until enough resets in a row had no use for it (128 MiB go after some 32 to 64 resets, 1 MiB after
// 4000 to 8000), or until Trim or Release. Idle or not, memory with pointers costs each collection
// about 0.2 ms for a MiB. Programs whose every object is freed alone, at its own time, gain nothing
// here.
//
// A fresh arena costs some 1.5 µs and 1.6 KiB, and about as many bytes again for each type that it
// meets, where the built-in new takes 20 to 50 ns for a small value: so use an arena again after a
// Reset, or take it from a Pool. A fresh arena for each small document is slower than plain Go.
// Save and Rewind take time for each type that has values, Reset too.
//
// In the executable, each type takes some 33 KB where only Put makes its values, 42 KB where Make and
// Append do, too, and 8 KB if another type has the same fields.
//
// Two things can't come from an arena. The memory of a map is the runtime's: keep the map and clear it
// before each Reset, or use a slice that is sorted. And a value that isn't a pointer is copied to the
// heap when an interface value is made of it: make it in the arena, and put the pointer there.
//
// # When not to use it
//
// Where the collector isn't a problem: measure first. For values whose lifetimes differ, or that go
// into long-lived caches or other goroutines: use the heap, or Clone what must survive. For one
// large buffer, make is as good.
//
// Where a program already uses its objects again, by a cache of its own in the type: that is cheaper
// still. A JSON parser that keeps a slice of all its values took 1.0 to 1.8 times as long with an arena in
// its place, though at its largest document it held a third of the memory.
//
// For values that need a finalizer, too. The runtime ends a program that sets one for a value in
// the midst of a chunk. For a chunk's first value it takes one, which then acts when the whole
// chunk goes, as a runtime.AddCleanup or a weak.Pointer does for any value. A value above 32 KiB is
// always the first of its chunk. Its finalizer stays when a Reset frees it, and the next value in that
// memory can't have another one: the runtime ends a program that tries. In the checking build no value is
// the first of its chunk, so that tests find every call of SetFinalizer.
//
// For values that C gets a pointer to, if their type has pointers. Cgo looks for Go pointers in all of the
// block that a value lies in, which is its chunk here: so it may refuse a value that has none because of
// its neighbours. Where the call itself takes the address of a field, C.f(&v.field), it looks at that field
// only. Types without pointers are no problem.
//
// # Goroutines
//
// A Slab, Arena, Index or Strings belongs to one goroutine at a time, and go test -race reports two
// that share one. A Pool is for all.
package toft
