// SPDX-License-Identifier: MIT

// Package tofthttp gives each request of a net/http server an arena of its own.
package tofthttp

import (
	"context"
	"net/http"

	toft "github.com/toft-memory/toft/go"
)

type key struct{}

// Handler returns next with an arena from the pool in each request's context, where Arena finds it.
// The arena goes back when next returns: nothing that next leaves behind may use it, or what it
// handed out, except strings.
//
// If next panics, its arena is left to the collector, since whatever next had started may still use
// it.
func Handler(pool *toft.Pool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := pool.Get()
		next.ServeHTTP(w, r.WithContext(NewContext(r.Context(), a)))
		pool.Put(a)
	})
}

// Arena returns the arena of a request, or nil if Handler didn't see it: the functions of package
// toft then allocate in the ordinary way.
func Arena(r *http.Request) *toft.Arena { return FromContext(r.Context()) }

// NewContext returns a context that carries a.
func NewContext(ctx context.Context, a *toft.Arena) context.Context {
	return context.WithValue(ctx, key{}, a)
}

// FromContext returns the arena that ctx carries, or nil.
func FromContext(ctx context.Context) *toft.Arena {
	a, _ := ctx.Value(key{}).(*toft.Arena)
	return a
}
