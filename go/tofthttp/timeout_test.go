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
// request, whether it asked for its arena before or asks only then.
func TestTimedOutRequestKeepsItsArena(t *testing.T) {
	for _, asksLate := range []bool{false, true} {
		var pool toft.Pool
		type use struct {
			arena *toft.Arena
			value *int
		}
		asked, goOn, late := make(chan bool, 1), make(chan bool), make(chan use)
		slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var early use
			if !asksLate {
				early.arena = tofthttp.Arena(r)
				early.value = toft.New[int](early.arena)
				*early.value = 1
			}
			asked <- true
			<-goOn
			if asksLate {
				early.arena = tofthttp.Arena(r)
				early.value = toft.New[int](early.arena)
				*early.value = 1
			}
			late <- early
		})
		limited := http.TimeoutHandler(slow, 20*time.Millisecond, "too late")
		answer := httptest.NewRecorder()
		tofthttp.Handler(&pool, limited).ServeHTTP(answer, httptest.NewRequest("GET", "/", nil))
		if answer.Code != http.StatusServiceUnavailable {
			t.Fatalf("status %d", answer.Code)
		}
		<-asked

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
