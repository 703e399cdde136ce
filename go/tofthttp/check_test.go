// SPDX-License-Identifier: MIT

//go:build toftcheck

package tofthttp_test

import (
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	toft "github.com/toft-memory/toft/go"
	"github.com/toft-memory/toft/go/tofthttp"
)

// A lineWriter hands on what a logger writes.
type lineWriter chan string

func (l lineWriter) Write(line []byte) (int, error) {
	l <- string(line)
	return len(line), nil
}

// Where a handler keeps a pointer, its arena counts as abandoned, and the client gets no answer. What
// the server logs names the type and the request.
func TestKeptPointerIsLogged(t *testing.T) {
	var pool toft.Pool
	var kept *int
	handler := tofthttp.Handler(&pool, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kept = toft.New[int](tofthttp.Arena(r))
	}))
	logged := make(lineWriter, 10)
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(logged, "", 0)
	server.Start()
	answer, err := http.Post(server.URL+"/items/1", "text/plain", nil)
	if err == nil {
		answer.Body.Close()
		t.Errorf("the client gets the status %d", answer.StatusCode)
	}
	server.Close()
	if st := pool.Stats(); st.Made != 1 || st.Idle != 0 || st.Abandoned != 1 {
		t.Errorf("after a request that left a pointer behind: %+v", st)
	}
	close(logged)
	line := <-logged
	for _, want := range []string{"1 chunk(s) of int are still referenced", `after the request POST "/items/1"`} {
		if !strings.Contains(line, want) {
			t.Errorf("the log lacks %q: %s", want, line)
		}
	}
	*kept = 1
}
