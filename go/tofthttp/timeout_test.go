// SPDX-License-Identifier: MIT

package tofthttp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	toft "github.com/toft-memory/toft/go"
	"github.com/toft-memory/toft/go/tofthttp"
)

// A handler that goes on after http.TimeoutHandler gave it up never shares memory with a later
// request, whether it asked for its arena before or asks only then. TimeoutHandler gives it up when its
// client does, which no clock decides.
func TestTimedOutRequestKeepsItsArena(t *testing.T) {
	for _, asksLate := range []bool{false, true} {
		var pool toft.Pool
		type use struct {
			arena *toft.Arena
			value *int
		}
		goOn, late := make(chan bool), make(chan use)
		client, giveUp := context.WithCancel(context.Background())
		slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var early use
			if !asksLate {
				early.arena = tofthttp.Arena(r)
				early.value = toft.New[int](early.arena)
				*early.value = 1
			}
			giveUp()
			<-goOn
			if asksLate {
				early.arena = tofthttp.Arena(r)
				early.value = toft.New[int](early.arena)
				*early.value = 1
			}
			late <- early
		})
		limited := http.TimeoutHandler(slow, time.Hour, "too late")
		answer := httptest.NewRecorder()
		request := httptest.NewRequestWithContext(client, "GET", "/", nil)
		tofthttp.Handler(&pool, limited).ServeHTTP(answer, request)
		if answer.Code != http.StatusServiceUnavailable {
			t.Fatalf("status %d", answer.Code)
		}

		next := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			a := tofthttp.Arena(r)
			mine := toft.New[int](a)
			*mine = 2
			goOn <- true
			theirs := <-late
			if theirs.arena == a || theirs.value == mine || *mine != 2 || *theirs.value != 1 {
				t.Errorf("asks late: %v: two requests share memory", asksLate)
			}
		})
		tofthttp.Handler(&pool, next).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	}
}

// Inside TimeoutHandler, which is the right order, and with a context that only carries more, arenas
// are pooled.
func TestArenasArePooledInsideTimeoutHandler(t *testing.T) {
	var pool toft.Pool
	type name struct{}
	inner := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.WithContext(context.WithValue(r.Context(), name{}, "value"))
		toft.New[int](tofthttp.Arena(r))
	})
	handler := http.TimeoutHandler(tofthttp.Handler(&pool, inner), time.Hour, "too late")
	for range 10 {
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	}
	if st := pool.Stats(); st.Made > 2 || st.Idle == 0 { // one may be late to go back
		t.Errorf("%+v", st)
	}
}

// A middleware with a timeout of its own, which waits for what it calls.
func waiting(next http.Handler, handsOn bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), time.Hour)
		defer cancel()
		if handsOn {
			ctx = tofthttp.NewContext(ctx, tofthttp.Arena(r))
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// Inside Handler, such a middleware makes each arena one that doesn't go back, which the pool counts.
// Outside, or where it hands the arena on, it doesn't.
func TestMiddlewareWithTimeout(t *testing.T) {
	const requests = 50
	next := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		toft.New[int](tofthttp.Arena(r))
	})
	for name, c := range map[string]struct {
		handler   func(pool *toft.Pool) http.Handler
		abandoned int
	}{
		"inside":      {func(p *toft.Pool) http.Handler { return tofthttp.Handler(p, waiting(next, false)) }, requests},
		"outside":     {func(p *toft.Pool) http.Handler { return waiting(tofthttp.Handler(p, next), false) }, 0},
		"hands it on": {func(p *toft.Pool) http.Handler { return tofthttp.Handler(p, waiting(next, true)) }, 0},
		"hands it on to one that doesn't wait": {func(p *toft.Pool) http.Handler {
			return tofthttp.Handler(p, waiting(http.TimeoutHandler(next, time.Hour, "too late"), true))
		}, requests},
		"has no arena": {func(p *toft.Pool) http.Handler { return waiting(next, true) }, 0},
	} {
		var pool toft.Pool
		handler := c.handler(&pool)
		for range requests {
			handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
		}
		st := pool.Stats()
		if st.Abandoned != c.abandoned || (st.Made == requests) != (c.abandoned > 0) {
			t.Errorf("%s: %+v", name, st)
		}
	}
}
