// SPDX-License-Identifier: MIT

// Server is a small web service whose requests live in arenas. It answers a JSON document with the
// sum of its numbers; package sums does that:
//
//	go run ./examples/server &
//	curl -d '{"prices": [1, 2.5], "tax": 0.5}' localhost:8080
package main

import (
	"flag"
	"log"
	"net/http"

	toft "github.com/toft-memory/toft/go"
	"github.com/toft-memory/toft/go/examples/server/sums"
)

func main() {
	address := flag.String("listen", "localhost:8080", "address to listen at")
	flag.Parse()
	arenas := &toft.Pool{LimitBytes: 64 << 20} // for each arena
	log.Fatal(http.ListenAndServe(*address, sums.Handler(arenas)))
}
