// SPDX-License-Identifier: MIT

package toft

// A Mark is a point in an arena's life to come back to. It serves for one Rewind.
type Mark struct {
	arena  *Arena
	level  int
	serial uint64
}

// A save is what the arena remembers of a mark.
type save struct {
	serial uint64
	first  int // of its entries in positions, one for each slab that held values
	used   int // how many slabs those are
	text   textPosition
}

// Save notes what is handed out now. Rewind frees what came after, so that
//
//	defer a.Rewind(a.Save())
//
// makes a function's temporaries last as long as its call. What the function calls meanwhile, such as the
// yield of an iterator, may put nothing into the arena that is to stay; Collect and AppendSeq know of it.
// Marks nest; each costs about 150 bytes, and 56 for every type that has values in the arena, until it is
// rewound to, which no limit counts. Save and Rewind visit each such type. A Save with its Rewind takes
// about 0.1 µs for each, which shows in a function that is called often if there are hundreds.
func (a *Arena) Save() Mark {
	if a == nil {
		return Mark{}
	}
	a.checkInUse()
	a.serial++
	m := Mark{arena: a, level: len(a.saves), serial: a.serial}
	a.saves = append(a.saves, save{a.serial, len(a.positions), len(a.used), a.text.position()})
	for _, s := range a.used {
		if checking { // so that what comes after the mark lies in chunks of its own
			s.leaveChunk()
		}
		a.positions = append(a.positions, s.position())
	}
	return m
}

// newestMark is the serial of the newest mark that can be rewound to, or 0.
func (a *Arena) newestMark() uint64 {
	if a == nil || len(a.saves) == 0 {
		return 0
	}
	return a.saves[len(a.saves)-1].serial
}

// Rewind frees what was handed out since m was saved, and uses up m and the marks saved after it.
// Strings made since stay good, as with Reset, but no longer count against the limit, and Intern
// knows them no more; a string being built stays. A slice from before m that has grown in place since
// is good up to its old capacity. Rewind panics on a mark that is used up, older than the last Reset,
// or of another arena.
func (a *Arena) Rewind(m Mark) {
	if a == nil && m.arena == nil {
		return
	}
	if checking && a != nil && a.Policy == Reuse {
		panicOnEscapes(a.EscapesSince(m))
		return
	}
	was := a.saveOf(m)
	for i, s := range a.used {
		s.rewind(a.positionOf(was, i))
	}
	a.useUp(m)
}

// saveOf returns what the arena remembers of m.
func (a *Arena) saveOf(m Mark) *save {
	if m.arena != a {
		panic("toft: Rewind to a mark of another arena")
	}
	if m.level >= len(a.saves) || a.saves[m.level].serial != m.serial {
		panic("toft: Rewind to a mark that was used up by an earlier Rewind, Reset or Release")
	}
	return &a.saves[m.level]
}

// positionOf returns the position that a slab, one of those in use now, had at a save.
func (a *Arena) positionOf(was *save, slab int) position {
	if slab >= was.used {
		return position{} // it held no values then
	}
	return a.positions[was.first+slab]
}

// useUp rewinds the strings, and forgets m, the marks saved after it, and the slabs that hold no
// values any more.
func (a *Arena) useUp(m Mark) {
	before := a.saves[m.level].used
	clear(a.used[before:])
	a.used = a.used[:before]
	a.text.rewind(a.saves[m.level].text)
	a.positions = a.positions[:a.saves[m.level].first]
	a.saves = a.saves[:m.level]
}
