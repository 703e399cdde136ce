// SPDX-License-Identifier: MIT

// Package tofthttp gives each request of a net/http server an arena of its own.
//
// An allocation beyond Pool.LimitBytes panics. Where nothing catches that, package net/http logs it and
// closes the connection, so that the client gets no answer. toft.CatchLimit, deferred in a function
// that does all that allocates, makes it an error, which a handler answers with the status 413:
//
//	func serve(w http.ResponseWriter, r *http.Request) {
//		answer, err := answerTo(r)
//		var limit *toft.LimitError
//		if errors.As(err, &limit) {
//			http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
//			return
//		}
//		…
//	}
//
//	func answerTo(r *http.Request) (answer string, err error) {
//		defer toft.CatchLimit(&err)
//		a := tofthttp.Arena(r)
//		…
//	}
//
// In the checking build (-tags toftcheck), Handler panics after a request that has left pointers into its
// arena behind. Package net/http logs that, too, and closes the connection. So a test passes that looks at
// neither. Let the server's log fail it:
//
//	server := httptest.NewUnstartedServer(handler)
//	server.Config.ErrorLog = log.New(failing{t}, "", 0)
//	server.Start()
//
//	type failing struct{ t *testing.T }
//
//	func (f failing) Write(line []byte) (int, error) {
//		f.t.Errorf("%s", line)
//		return len(line), nil
//	}
//
// Or check the error of each http.Get and of reading the answer, which shows the panic only where the
// answer wasn't sent before. A test that calls ServeHTTP itself gets the panic.
//
// The folder examples/server of the module is a whole server that does so.
package tofthttp

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"

	toft "github.com/toft-memory/toft/go"
)

type key struct{}

// Handler returns next with an arena from the pool in each request's context, where Arena finds it.
// The arena goes back when next returns: nothing that next leaves behind may use it, or what it
// handed out, except strings.
//
// A handler that http.TimeoutHandler gives up is such a thing. So that belongs outside:
//
//	http.TimeoutHandler(tofthttp.Handler(&pool, next), limit, message)
//
// The other way round it is harmless, but gains nothing: an arena that was asked for under a
// context with a deadline or a cancellation of its own, as TimeoutHandler makes it, doesn't go back
// to the pool but is left to the collector, and asking after Handler returned gives none.
//
// That holds for every context.WithTimeout, WithDeadline and WithCancel between Handler and Arena, in
// a middleware too that waits for what it calls. Handler can't tell that one from one that gives its
// handler up, since both cancel the context before they return. So such a middleware belongs outside
// as well. One that can't be there, and waits, hands the arena on itself:
//
//	ctx, cancel := context.WithTimeout(r.Context(), limit)
//	defer cancel()
//	ctx = tofthttp.NewContext(ctx, tofthttp.Arena(r))
//	next.ServeHTTP(w, r.WithContext(ctx))
//
// If next panics, its arena is left to the collector, too, since whatever next had started may
// still use it. The same holds for one that the pool's Put refuses in the checking build, because
// something still points into it: Handler then panics, and names the request. Abandoned of the pool's
// Stats counts the arenas that didn't go back.
func Handler(pool *toft.Pool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l := newLease(r.Context(), pool.Get())
		served := r.WithContext(context.WithValue(r.Context(), key{}, l))
		returned, wentBack := false, false
		defer func() {
			handBack(r, served, returned)
			if !wentBack {
				pool.Abandon(l.arena)
			}
		}()
		next.ServeHTTP(w, served)
		returned = true
		if l.state.CompareAndSwap(lent, over) {
			putBack(pool, l.arena, r)
			wentBack = true
		}
	})
}

// putBack is the pool's Put. Where that panics, as it does in the checking build because of a pointer into
// the arena, the panic tells which request the arena was for.
func putBack(pool *toft.Pool, a *toft.Arena, r *http.Request) {
	defer func() {
		if why := recover(); why != nil {
			panic(fmt.Sprintf("%v, after the request %s %q", why, r.Method, r.URL.Path))
		}
	}()
	pool.Put(a)
}

// handBack gives the request that Handler was called with what next found out about it: next was
// served a copy, since a request's context can't be changed. The server removes the temporary files
// of the form, and a handler outside may log the pattern. Path values stay with the copy. After a
// panic no server of HTTP/1 removes the files, so handBack does.
func handBack(r, served *http.Request, returned bool) {
	if !returned && r.MultipartForm == nil && served.MultipartForm != nil {
		_ = served.MultipartForm.RemoveAll() // there is nobody to tell
	}
	r.Form, r.PostForm, r.MultipartForm = served.Form, served.PostForm, served.MultipartForm
	r.Pattern = served.Pattern
}

// Arena returns the arena of a request, or nil if Handler didn't see it: the functions of package
// toft then allocate in the ordinary way.
func Arena(r *http.Request) *toft.Arena { return FromContext(r.Context()) }

// NewContext returns a context that carries a. If ctx carries it already, Handler's rules hold further:
// a deadline or a cancellation of its own is one that comes after this.
func NewContext(ctx context.Context, a *toft.Arena) context.Context {
	l := newLease(ctx, a)
	if outer, ok := ctx.Value(key{}).(*lease); ok && outer.arena == a {
		l.state = outer.state
	}
	return context.WithValue(ctx, key{}, l)
}

// FromContext returns the arena that ctx carries, or nil.
func FromContext(ctx context.Context) *toft.Arena {
	l, ok := ctx.Value(key{}).(*lease)
	if !ok {
		return nil
	}
	if ctx.Done() != l.done {
		l.state.CompareAndSwap(lent, given)
	}
	if l.state.Load() == over {
		return nil
	}
	return l.arena
}

// A lease is what a context carries. Its state changes once at most.
type lease struct {
	arena *toft.Arena
	done  <-chan struct{} // of the context that the lease was made for
	state *atomic.Int32   // of all leases by which the arena was handed on: the first one's own
	own   atomic.Int32
}

func newLease(ctx context.Context, a *toft.Arena) *lease {
	l := &lease{arena: a, done: ctx.Done()}
	l.state = &l.own
	return l
}

const (
	lent  = iota // to whoever returns before Handler does
	given        // for good: it was asked for by someone who may go on for longer
	over         // back in the pool
)
