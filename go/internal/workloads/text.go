// SPDX-License-Identifier: MIT

package main

import (
	"fmt"
	"strconv"

	toft "github.com/toft-memory/toft/go"
)

// Texts of one round: buffers to be filled, strings to be built, and words to be interned.
const (
	buffersPerRound = 50
	stringsPerRound = 100
	wordsPerRound   = 1000
)

func bytesNaive(rounds int) (sum uint64) {
	for r := range rounds {
		for i := range buffersPerRound {
			b := make([]byte, 0, 16)
			for range 1 + i%4 {
				b = strconv.AppendInt(append(b, "key="...), int64(r+i), 10)
			}
			sum += uint64(len(b))
		}
	}
	return sum
}

func bytesArena(rounds int) (sum uint64) {
	var a toft.Arena
	for r := range rounds {
		for i := range buffersPerRound {
			b := toft.Make[byte](&a, 0, 16)
			for range 1 + i%4 {
				b = strconv.AppendInt(append(toft.Grow(&a, b, 24), "key="...), int64(r+i), 10)
			}
			sum += uint64(len(b))
		}
		a.Reset()
	}
	return sum
}

func stringsNaive(rounds int) (sum uint64) {
	for r := range rounds {
		for i := range stringsPerRound {
			s := fmt.Sprintf("GET /orders/%d/lines/%d %s", r, i, "HTTP/1.1")
			sum += uint64(len(s))
		}
	}
	return sum
}

func stringsArena(rounds int) (sum uint64) {
	var a toft.Arena
	for r := range rounds {
		for i := range stringsPerRound {
			s := toft.Sprintf(&a, "GET /orders/%d/lines/%d %s", r, i, "HTTP/1.1")
			sum += uint64(len(s))
		}
		a.Reset()
	}
	return sum
}

// words are many texts with few different ones, as in a file's columns.
var words = func() (w [][]byte) {
	for i := range wordsPerRound {
		w = append(w, fmt.Appendf(nil, "category-%d", i*i%97))
	}
	return w
}()

func internNaive(rounds int) (sum uint64) {
	for range rounds {
		column := make([]string, 0, len(words))
		for _, w := range words {
			column = append(column, string(w))
		}
		sum += uint64(len(column[len(column)/2]))
	}
	return sum
}

func internArena(rounds int) (sum uint64) {
	var a toft.Arena
	for range rounds {
		column := toft.Make[string](&a, 0, len(words))
		for _, w := range words {
			column = append(column, a.Strings().Intern(w))
		}
		sum += uint64(len(column[len(column)/2]))
		a.Reset()
	}
	return sum
}
