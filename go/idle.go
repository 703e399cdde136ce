// SPDX-License-Identifier: MIT

package toft

import (
	"sync/atomic"
	"unsafe"
)

// The idleArenas of a pool lie on the heap, where a weak pointer may point: the Pool itself may be
// a variable of its package.
//
// An arena that finds a slot free lies there, and others in spares, which are a list. The slots are so few
// that all of them are looked at, and the list shows at once whether it has an arena. So a Get makes none
// while another lies idle, unless that is put back at the same moment.
type idleArenas struct {
	slots       []slot
	mostSpares  int64
	tight       atomic.Bool   // the last collection found memory scarce
	adapts      bool          // to what arenas need, since no RetainBytes is given
	usual       atomic.Int64  // bytes that arenas lately needed; see retain.go
	collections atomic.Uint32 // that found the pool in use

	_         [64]byte              // so that a write below costs no one who only reads above
	newest    atomic.Pointer[spare] // the first of the list
	spares    atomic.Int64          // how many arenas are in the list, or about to be
	made      atomic.Int64
	abandoned atomic.Int64
}

const mostSlots = 64

// A place keeps one idle arena, or nil. Whoever swaps it out owns it: there is no lock to wait for.
type place struct {
	arena atomic.Pointer[Arena]
	since atomic.Uint32 // the number of collections when the arena was put here
}

// A slot is a place that has a cache line of its own.
type slot struct {
	place
	_ [64 - unsafe.Sizeof(place{})]byte
}

// A spare is a place in the list. It enters the list once, with its arena, and gets no other: so it can be
// left out of the list as soon as it is empty, and a goroutine that finds it the newest knows which is next.
type spare struct {
	place
	next atomic.Pointer[spare]
}

// keep puts a into the place if that is empty.
func (p *place) keep(a *Arena, collections uint32) bool {
	if p.arena.Load() != nil {
		return false
	}
	p.since.Store(collections) // before dropUnused can see a here
	return p.arena.CompareAndSwap(nil, a)
}

// take returns what the place keeps, and empties it.
func (p *place) take() *Arena {
	if p.arena.Load() == nil { // without this, looking at an empty place would cost a swap
		return nil
	}
	return p.arena.Swap(nil)
}

// places yields all places.
func (p *idleArenas) places(yield func(*place) bool) {
	for i := range p.slots {
		if !yield(&p.slots[i].place) {
			return
		}
	}
	for s := p.newest.Load(); s != nil; s = s.next.Load() {
		if !yield(&s.place) {
			return
		}
	}
}

// takeIdle takes an arena out of its place. It returns nil if there is none.
func (p *idleArenas) takeIdle() *Arena {
	at := p.firstSlot()
	for range p.slots {
		if a := p.slots[at].take(); a != nil {
			return a
		}
		if at++; at == uintptr(len(p.slots)) {
			at = 0
		}
	}
	for s := p.newest.Load(); s != nil; s = p.newest.Load() {
		if p.newest.CompareAndSwap(s, s.next.Load()) {
			if a := s.take(); a != nil { // else dropUnused has let go of it
				p.spares.Add(-1)
				return a
			}
		}
	}
	return nil
}

// keepIdle keeps a unless enough are kept.
func (p *idleArenas) keepIdle(a *Arena) {
	collections := p.collections.Load()
	at := p.firstSlot()
	for range p.slots {
		if p.slots[at].keep(a, collections) {
			return
		}
		if at++; at == uintptr(len(p.slots)) {
			at = 0
		}
	}
	if p.spares.Add(1) > p.mostSpares {
		p.spares.Add(-1)
		return
	}
	s := new(spare)
	s.keep(a, collections)
	for {
		next := p.newest.Load()
		s.next.Store(next)
		if p.newest.CompareAndSwap(next, s) {
			return
		}
	}
}

// firstSlot is where a goroutine looks first: goroutines' stacks lie apart, so that each tends to
// have a slot of its own, and gets back the arena whose memory is in its processor's cache.
func (p *idleArenas) firstSlot() uintptr {
	var onStack byte
	const smallestStackShift = 11
	stack := uintptr(unsafe.Pointer(&onStack)) >> smallestStackShift
	return stack * 0x9E3779B1 >> 8 % uintptr(len(p.slots))
}

// setTight notes whether memory is scarce; the arenas go if it is.
func (p *idleArenas) setTight(tight bool) {
	p.tight.Store(tight)
	if tight {
		p.letGo()
	}
}

func (p *idleArenas) letGo() {
	for i := range p.slots {
		p.slots[i].arena.Store(nil)
	}
	for s := p.newest.Swap(nil); s != nil; s = s.next.Load() {
		if s.take() != nil {
			p.spares.Add(-1)
		}
	}
}
