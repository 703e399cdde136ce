// SPDX-License-Identifier: MIT

package main

import (
	"encoding/json"
	"fmt"
	"strings"

	toft "github.com/toft-memory/toft/go"
	"github.com/toft-memory/toft/go/examples/jsontree"
)

// JSON reads a document of some 300 objects into a tree and adds up one number of each. The same
// parser is naive with no arena; encoding/json reads into any.

var document = func() []byte {
	var objects []string
	for i := range 300 {
		objects = append(objects, fmt.Sprintf(
			`{"id": %d, "name": "item %d", "tags": ["a", "b", "c%d"], "price": %d.5, `+
				`"at": {"x": %d, "y": null}}`,
			i, i, i, i*3, i*i))
	}
	return []byte("[" + strings.Join(objects, ",\n") + "]")
}()

func sumPrices(doc *jsontree.Value, err error) (sum uint64) {
	if err != nil {
		panic(err) // the document is our own
	}
	for i := range doc.Items {
		sum += uint64(doc.Items[i].Get("price").Number)
	}
	return sum
}

func jsonNaive(rounds int) (sum uint64) {
	for range rounds {
		sum += sumPrices(jsontree.Parse(nil, document))
	}
	return sum
}

func jsonArena(rounds int) (sum uint64) {
	var a toft.Arena
	for range rounds {
		sum += sumPrices(jsontree.Parse(&a, document))
		a.Reset()
	}
	return sum
}

func jsonStandard(rounds int) (sum uint64) {
	for range rounds {
		var doc []any
		if err := json.Unmarshal(document, &doc); err != nil {
			panic(err)
		}
		for _, item := range doc {
			sum += uint64(item.(map[string]any)["price"].(float64))
		}
	}
	return sum
}
