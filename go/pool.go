// SPDX-License-Identifier: MIT

package toft

import (
	"runtime"
	"sync"
)

// A Pool keeps arenas between requests, for any number of goroutines: Get one, use it, Put it back.
// The zero value is ready to use. A Pool must not be copied.
//
// It is bounded by MaxIdle and RetainBytes, and lets go of all idle arenas when a collection finds
// the program near its memory limit (GOMEMLIMIT).
type Pool struct {
	// MaxIdle is how many arenas are kept at most; 0 stands for twice GOMAXPROCS.
	MaxIdle int

	// RetainBytes is how much memory an arena may keep while idle; what holds more is released when
	// it is put back. 0 stands for 1 MiB.
	RetainBytes int

	// Policy and LimitBytes are given to each arena.
	Policy     Policy
	LimitBytes int

	_     noCopy
	mu    sync.Mutex
	idle  []*Arena // newest last, whose memory is most likely in the cache
	tight bool     // the last collection found memory scarce
	watch bool     // a pressure watch is set
	made  int
}

const defaultRetainBytes = 1 << 20

// Get returns an empty arena, which belongs to the caller until it is put back.
func (p *Pool) Get() *Arena {
	p.mu.Lock()
	defer p.mu.Unlock()
	var a *Arena
	if last := len(p.idle) - 1; last >= 0 {
		a = p.idle[last]
		p.idle[last] = nil
		p.idle = p.idle[:last]
		a.idle = false
	} else {
		a = new(Arena)
		p.made++
	}
	a.Policy, a.LimitBytes = p.Policy, p.LimitBytes
	return a
}

// Put resets a and keeps it for another Get, or leaves it to the collector if enough are kept.
// Nothing may use a afterwards, nor what it handed out, except strings. Using it panics where that
// costs nothing: at the first value of each type. Putting an arena back twice panics.
func (p *Pool) Put(a *Arena) {
	a.checkInUse()
	a.Reset()
	if a.held > p.retainBytes() {
		a.Release()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	a.checkInUse() // another Put may have come between
	a.idle = true
	if p.tight || len(p.idle) >= p.maxIdle() {
		return
	}
	p.idle = append(p.idle, a)
	if !p.watch {
		p.watch = true
		watchPressure(p)
	}
}

// Release lets go of all idle arenas.
func (p *Pool) Release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dropIdle()
}

// PoolStats tell what a Pool keeps.
type PoolStats struct {
	Idle      int // arenas waiting for a Get
	IdleBytes int // memory they hold
	Made      int // arenas that Get had to make
}

// Stats reports what the pool keeps.
func (p *Pool) Stats() PoolStats {
	p.mu.Lock()
	defer p.mu.Unlock()
	st := PoolStats{Idle: len(p.idle), Made: p.made}
	for _, a := range p.idle {
		st.IdleBytes += a.held
	}
	return st
}

func (p *Pool) dropIdle() {
	clear(p.idle)
	p.idle = p.idle[:0]
}

// setTight notes whether memory is scarce; the arenas go if it is.
func (p *Pool) setTight(tight bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tight = tight
	if tight {
		p.dropIdle()
	}
}

func (p *Pool) maxIdle() int {
	if p.MaxIdle > 0 {
		return p.MaxIdle
	}
	return 2 * runtime.GOMAXPROCS(0)
}

func (p *Pool) retainBytes() int {
	if p.RetainBytes > 0 {
		return p.RetainBytes
	}
	return defaultRetainBytes
}
