// SPDX-License-Identifier: MIT

package tofthttp_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	toft "github.com/toft-memory/toft/go"
	"github.com/toft-memory/toft/go/tofthttp"
)

func ExampleHandler() {
	var pool toft.Pool
	hello := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := tofthttp.Arena(r)
		words := toft.Append(a, []string(nil), "hello", r.URL.Query().Get("name"))
		fmt.Fprint(w, words)
	})
	server := tofthttp.Handler(&pool, hello)

	answer := httptest.NewRecorder()
	server.ServeHTTP(answer, httptest.NewRequest("GET", "/?name=Ada", nil))
	fmt.Println(answer.Body)
	// Output: [hello Ada]
}

// Without CatchLimit, package net/http would close the connection, and the client get no answer.
func ExampleHandler_limit() {
	pool := toft.Pool{LimitBytes: 64 << 10}
	lengthOf := func(r *http.Request) (n int, err error) {
		defer toft.CatchLimit(&err)
		text, err := toft.ReadAll(tofthttp.Arena(r), r.Body, 0)
		return len(text), err
	}
	server := tofthttp.Handler(&pool, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := lengthOf(r)
		var limit *toft.LimitError
		switch {
		case errors.As(err, &limit):
			http.Error(w, "too large", http.StatusRequestEntityTooLarge)
		case err != nil:
			http.Error(w, err.Error(), http.StatusBadRequest)
		default:
			fmt.Fprintln(w, n, "bytes")
		}
	}))

	for _, length := range []int{1000, 1_000_000} {
		answer := httptest.NewRecorder()
		body := strings.NewReader(strings.Repeat("x", length))
		server.ServeHTTP(answer, httptest.NewRequest("POST", "/", body))
		fmt.Print(answer.Code, " ", answer.Body)
	}
	// Output:
	// 200 1000 bytes
	// 413 too large
}

func TestConcurrentRequests(t *testing.T) {
	pool := toft.Pool{MaxIdle: 2}
	server := httptest.NewServer(tofthttp.Handler(&pool, http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			a := tofthttp.Arena(r)
			numbers := toft.Make[int](a, 0, 0)
			for i := range 1000 {
				numbers = toft.Append(a, numbers, i)
			}
			fmt.Fprint(w, len(numbers))
		})))
	defer server.Close()
	var clients sync.WaitGroup
	for range 8 {
		clients.Add(1)
		go func() {
			defer clients.Done()
			for range 20 {
				answer, err := http.Get(server.URL)
				if err != nil {
					t.Error(err)
					return
				}
				var n int
				if _, err := fmt.Fscan(answer.Body, &n); err != nil || n != 1000 {
					t.Errorf("answer %d, error %v", n, err)
				}
				answer.Body.Close()
			}
		}()
	}
	clients.Wait()
	if st := pool.Stats(); st.Idle > 2 {
		t.Errorf("%d arenas idle, with MaxIdle 2", st.Idle)
	}
}

func TestPanicKeepsArenaOutOfPool(t *testing.T) {
	var pool toft.Pool
	server := tofthttp.Handler(&pool, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		panic(http.ErrAbortHandler)
	}))
	func() {
		defer func() { _ = recover() }()
		server.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	}()
	if st := pool.Stats(); st.Idle != 0 || st.Made != 1 || st.Abandoned != 1 {
		t.Errorf("after a panic: %+v", st)
	}
}

func TestNoArena(t *testing.T) {
	r := httptest.NewRequest("GET", "/", nil)
	if a := tofthttp.Arena(r); a != nil {
		t.Fatalf("an arena from nowhere: %v", a)
	}
	if p := toft.New[int](tofthttp.Arena(r)); *p != 0 {
		t.Errorf("a nil arena made %d", *p)
	}
}

func TestNewContextCarriesAnArena(t *testing.T) {
	var a toft.Arena
	ctx := tofthttp.NewContext(context.Background(), &a)
	if tofthttp.FromContext(ctx) != &a {
		t.Error("the context doesn't carry the arena")
	}
	if tofthttp.FromContext(context.Background()) != nil {
		t.Error("a context that carries no arena gives one")
	}
}
