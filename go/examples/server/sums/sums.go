// SPDX-License-Identifier: MIT

// Package sums is what the server does with a request: it reads a JSON document into the arena of
// the request, and answers with the sum of the document's numbers.
package sums

import (
	"errors"
	"io"
	"net/http"

	toft "github.com/toft-memory/toft/go"
	"github.com/toft-memory/toft/go/examples/jsontree"
	"github.com/toft-memory/toft/go/tofthttp"
)

const largestBody = 1 << 20

// Handler gives each request an arena of the pool.
func Handler(pool *toft.Pool) http.Handler { return tofthttp.Handler(pool, http.HandlerFunc(Sum)) }

// Sum answers one request. Where the request has no arena, everything is allocated in the ordinary
// way.
func Sum(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, largestBody)
	answer, err := answerTo(r)
	var limit *toft.LimitError
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &limit), errors.As(err, &large):
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
	default:
		io.WriteString(w, answer)
	}
}

// answerTo does all that takes memory of the arena, so that its limit is an error.
func answerTo(r *http.Request) (answer string, err error) {
	defer toft.CatchLimit(&err)
	a := tofthttp.Arena(r)
	text, err := toft.ReadAll(a, r.Body, int(min(r.ContentLength, largestBody)))
	if err != nil {
		return "", err
	}
	doc, err := jsontree.Parse(a, text)
	if err != nil {
		return "", err
	}
	return toft.Sprintf(a, "%g\n", total(doc)), nil
}

// total adds up the numbers in a document.
func total(v *jsontree.Value) float64 {
	sum := v.Number
	for i := range v.Items {
		sum += total(&v.Items[i])
	}
	for _, m := range v.Members {
		sum += total(m.Value)
	}
	return sum
}
