// SPDX-License-Identifier: MIT

// Server is a small web service whose requests live in arenas. It reads JSON documents, each into
// the arena of its request, and answers with the sum of their numbers:
//
//	go run ./examples/server &
//	curl -d '{"prices": [1, 2.5], "tax": 0.5}' localhost:8080
package main

import (
	"errors"
	"flag"
	"io"
	"log"
	"net/http"

	toft "github.com/toft-memory/toft/go"
	"github.com/toft-memory/toft/go/examples/jsontree"
	"github.com/toft-memory/toft/go/tofthttp"
)

const largestBody = 1 << 20

func main() {
	address := flag.String("listen", "localhost:8080", "address to listen at")
	flag.Parse()
	log.Fatal(http.ListenAndServe(*address, newServer()))
}

// newServer gives each request an arena of up to 64 MiB.
func newServer() http.Handler {
	return tofthttp.Handler(&toft.Pool{LimitBytes: 64 << 20}, http.HandlerFunc(sum))
}

func sum(w http.ResponseWriter, r *http.Request) {
	a := tofthttp.Arena(r)
	text, err := readAll(a, http.MaxBytesReader(w, r.Body, largestBody))
	var doc *jsontree.Value
	if err == nil {
		doc, err = jsontree.Parse(a, text)
	}
	var limit *toft.LimitError
	switch {
	case errors.As(err, &limit):
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
	default:
		io.WriteString(w, toft.Sprintf(a, "%g\n", total(doc)))
	}
}

// readAll is io.ReadAll into the arena.
func readAll(a *toft.Arena, body io.Reader) ([]byte, error) {
	text := toft.Make[byte](a, 0, 4096)
	for {
		text = toft.Grow(a, text, 512)
		n, err := body.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if err == io.EOF {
			return text, nil
		}
		if err != nil {
			return nil, err
		}
	}
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
