// SPDX-License-Identifier: MIT

package toft

import "math"

// A Pool without RetainBytes keeps in each idle arena 1 MiB, and more where its users ask for more
// again and again. What they usually need follows what each arena needed when it was put back: up by
// a part of the difference, and down by a much smaller one. So it settles near the largest need if a
// tenth of the arenas have it, and a rare large one leaves little behind. An arena may keep twice as
// much, since needs differ.
//
// That alone would let arenas that nobody gets any more keep much. So those above 1 MiB go when they
// lay idle through two collections, as what is in a sync.Pool does; and spares, which one burst may have
// made in any number, when they did through 16.
const (
	defaultRetainBytes = 1 << 20

	usualRises = 8  // up by an eighth of the difference
	usualFalls = 64 // down by a 64th
	leastUsual = defaultRetainBytes / 16

	largeCollections = 2
	spareCollections = 16
)

// retainBytes is how much an arena may keep that is put back and not yet reset. It is no more
// than the limit that the next Get sets: what an arena holds already is handed out without a look at that.
func (p *Pool) retainBytes(a *Arena) int {
	most := p.RetainBytes
	if p.adapts {
		needed := a.held
		if needed > defaultRetainBytes {
			needed = a.neededBytes()
		}
		most = max(defaultRetainBytes, 2*p.noteNeed(needed))
	}
	if p.LimitBytes > 0 {
		most = min(most, p.LimitBytes)
	}
	return most
}

// noteNeed returns what arenas usually need, now that one has needed so much. While needs stay below
// 1 MiB, it writes nothing that processors would have to share. Where two goroutines note a need at a
// time, one of them may be forgotten.
func (p *idleArenas) noteNeed(needed int) int {
	usual := int(p.usual.Load())
	if needed <= defaultRetainBytes {
		if usual == 0 {
			return 0
		}
		needed = 0 // which no bound is below
	}
	if needed > usual {
		usual += (needed - usual) / usualRises
	} else {
		usual -= (usual - needed) / usualFalls
	}
	if usual < leastUsual {
		usual = 0
	}
	p.usual.Store(int64(usual))
	return usual
}

// dropUnused lets go of arenas that lay idle through too many collections. It is called after each.
func (p *idleArenas) dropUnused() {
	now := p.collections.Add(1)
	if !p.adapts {
		return
	}
	for i := range p.slots {
		p.slots[i].dropUnused(now, math.MaxUint32)
	}
	link := &p.newest
	for s := link.Load(); s != nil; s = link.Load() {
		if s.dropUnused(now, spareCollections) {
			p.spares.Add(-1)
		}
		if s.arena.Load() != nil {
			link = &s.next
		} else {
			link.CompareAndSwap(s, s.next.Load())
		}
	}
}

// dropUnused lets go of the arena of one place, and tells whether it has. Up to 1 MiB, that takes as many
// collections as it is told.
func (p *place) dropUnused(now, collections uint32) bool {
	a := p.arena.Load()
	if a != nil && a.idleBytes() > defaultRetainBytes {
		collections = largeCollections
	}
	return a != nil && now-p.since.Load() >= collections && p.arena.CompareAndSwap(a, nil)
}
