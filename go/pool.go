// SPDX-License-Identifier: MIT

package toft

import (
	"runtime"
	"sync"
)

// A Pool keeps arenas between requests, for any number of goroutines: Get one, use it, Put it back.
// The zero value is ready to use. A Pool must not be copied, and its fields not be changed after
// the first call of a method.
//
// It is bounded by MaxIdle and RetainBytes, and lets go of all idle arenas when a collection finds
// that live memory comes near the limit of the program (GOMEMLIMIT).
type Pool struct {
	// MaxIdle is how many arenas are kept at most; 0 stands for twice GOMAXPROCS. However large it is, a Get
	// makes an arena only if it finds none idle: so a pool has about as many as were in use at a time. Without
	// RetainBytes, it lets go of those that 16 collections in a row found idle, all but twice GOMAXPROCS, or 64.
	MaxIdle int

	// RetainBytes is how much memory an arena may keep while idle; what it holds beyond goes back to
	// the collector when it is put back. 0 stands for 1 MiB, or twice what the arenas put back lately
	// needed if a good part of them needed more than that; and an arena of more than 1 MiB goes when
	// two collections in a row found it idle.
	RetainBytes int

	// Policy and LimitBytes are given to each arena.
	Policy     Policy
	LimitBytes int

	_     noCopy
	begin sync.Once
	*idleArenas
}

// Get returns an empty arena, which belongs to the caller until it is put back.
func (p *Pool) Get() *Arena {
	p.begin.Do(p.start)
	a := p.takeIdle()
	if a != nil {
		a.endIdle()
	} else {
		a = new(Arena)
		p.made.Add(1)
	}
	a.Policy, a.LimitBytes = p.Policy, p.LimitBytes
	return a
}

// Put resets a and keeps it for another Get, or leaves it to the collector if enough are kept. It
// may be an arena that Get didn't make. Nothing may use a afterwards, nor what it handed out, except
// finished strings, which stay good. A goroutine that does so races with the one that gets the arena
// next, and may change that one's values, under Reuse, and the text that it is building. Go test -race
// reports the use of values under Reuse, even if no Get follows. Using the arena panics where that costs
// next to nothing: at the first value of each type, at a string, and at Save, Rewind, Reset, Release,
// Trim and Escapes. Putting an arena back twice panics as well. But once another Get has handed the
// arena out, nothing of this is noticed: a Reset frees the new owner's values, and a second Put takes
// the arena from it. So after a panic, leave an arena to the collector if a goroutine may still use it,
// and call Abandon. The checking build (-tags toftcheck) hands no arena out again, so that all of this
// panics at any time. Put panics if a is nil.
func (p *Pool) Put(a *Arena) {
	p.begin.Do(p.start)
	if a == nil {
		panic("toft: Put of a nil Arena")
	}
	if a.idle.Load() != 0 {
		panicTwice()
	}
	most := p.retainBytes(a)
	a.Reset()
	if checking {
		a.Release()
	} else if a.held > most {
		a.Trim(most)
	}
	a.beginIdle()
	if checking { // a stays idle for good, and a new one takes its place
		a = new(Arena)
		a.beginIdle()
	}
	if !p.tight.Load() {
		p.keepIdle(a)
	}
}

// Abandon notes that a, which Get returned, isn't put back but left to the collector, because
// something may still use it. It changes nothing in a; Stats counts it. It panics if a is nil or was
// put back.
func (p *Pool) Abandon(a *Arena) {
	p.begin.Do(p.start)
	if a == nil {
		panic("toft: Abandon of a nil Arena")
	}
	a.checkInUse()
	p.abandoned.Add(1)
}

// Release lets go of all idle arenas.
func (p *Pool) Release() {
	p.begin.Do(p.start)
	p.letGo()
}

// PoolStats tell what a Pool keeps.
type PoolStats struct {
	Idle      int // arenas waiting for a Get
	IdleBytes int // memory they hold
	Made      int // arenas that Get had to make
	Abandoned int // calls of Abandon: if they are many, the pool saves little
}

// Stats reports what the pool keeps. While other goroutines use the pool, the figures may belong to
// slightly different moments.
func (p *Pool) Stats() PoolStats {
	p.begin.Do(p.start)
	st := PoolStats{Made: int(p.made.Load()), Abandoned: int(p.abandoned.Load())}
	for place := range p.places {
		if a := place.arena.Load(); a != nil {
			st.Idle++
			st.IdleBytes += a.idleBytes()
		}
	}
	return st
}

func (p *Pool) start() {
	n := p.MaxIdle
	if n <= 0 {
		n = 2 * runtime.GOMAXPROCS(0)
	}
	slots := min(n, 2*runtime.GOMAXPROCS(0), mostSlots)
	p.idleArenas = &idleArenas{
		slots:      make([]slot, slots),
		mostSpares: int64(n - slots),
		adapts:     p.RetainBytes <= 0,
	}
	watchPressure(p.idleArenas)
}

// An arena's field idle is 0 while the arena is in use, and one more than the bytes it holds from
// Put on. It is atomic for the sake of arenas that are put back twice at a time, and of Stats.

func (a *Arena) beginIdle() {
	if !a.idle.CompareAndSwap(0, uintptr(a.held)+1) {
		panicTwice()
	}
	x := &a.text
	x.text.parked, x.text.free = x.text.free, nil
	x.parked, x.building = x.building, nil
}

func (a *Arena) endIdle() {
	x := &a.text
	x.text.free, x.text.parked = x.text.parked, nil
	x.building, x.parked = x.parked, nil
	a.idle.Store(0)
}

// idleBytes is the memory of an idle arena; of one that was taken meanwhile, 0.
func (a *Arena) idleBytes() int { return max(int(a.idle.Load())-1, 0) }

func (a *Arena) checkInUse() {
	if a.idle.Load() != 0 {
		panicIdle()
	}
}

func panicIdle() { panic("toft: an arena is used after it was put back into its Pool") }

func panicTwice() { panic("toft: an arena is put back into a Pool twice") }
