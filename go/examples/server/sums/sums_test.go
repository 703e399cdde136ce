// SPDX-License-Identifier: MIT

package sums

import (
	"net/http/httptest"
	"strings"
	"testing"

	toft "github.com/toft-memory/toft/go"
)

func TestSums(t *testing.T) {
	server := Handler(&toft.Pool{LimitBytes: 64 << 20})
	for _, c := range []struct {
		body   string
		status int
		answer string
	}{
		{`{"prices": [1, 2.5], "tax": 0.5}`, 200, "4\n"},
		{`[1, 2`, 400, "jsontree: the text ends in the middle\n"},
		{strings.Repeat(" ", largestBody+1), 413, "http: request body too large\n"},
		{"[" + strings.Repeat("0,", 500_000) + "0]", 413, ""},
	} {
		answer := httptest.NewRecorder()
		server.ServeHTTP(answer, httptest.NewRequest("POST", "/", strings.NewReader(c.body)))
		if answer.Code != c.status || c.answer != "" && answer.Body.String() != c.answer {
			t.Errorf("%.40s: status %d, answer %q", c.body, answer.Code, answer.Body)
		}
	}
}

// The body alone may take more than the limit, or leave no room for the answer.
func TestBodyBeyondLimit(t *testing.T) {
	for limit := 512; limit < 200_000; limit += 1000 {
		server := Handler(&toft.Pool{LimitBytes: limit})
		answer := httptest.NewRecorder()
		body := "[1" + strings.Repeat(" ", 50_000) + "]"
		server.ServeHTTP(answer, httptest.NewRequest("POST", "/", strings.NewReader(body)))
		if answer.Code != 200 && answer.Code != 413 {
			t.Errorf("limit %d: status %d, answer %q", limit, answer.Code, answer.Body)
		}
	}
}
