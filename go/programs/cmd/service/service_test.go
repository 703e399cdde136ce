// SPDX-License-Identifier: MIT

package main

import (
	"encoding/json"
	"fmt"
	"testing"
)

// Both ways give the answer that encoding/json's reading of the document has.
func TestAnswers(t *testing.T) {
	var want any
	if err := json.Unmarshal([]byte(document()), &want); err != nil {
		t.Fatal(err)
	}
	for name, handler := range handlers {
		got, err := serve(handler, 10*clients)
		if err != nil || got != fmt.Sprintln(sumOf(want)) {
			t.Errorf("%s: %q, %v, want %v", name, got, err, sumOf(want))
		}
	}
}

func sumOf(v any) (sum float64) {
	switch v := v.(type) {
	case float64:
		sum = v
	case []any:
		for _, item := range v {
			sum += sumOf(item)
		}
	case map[string]any:
		for _, member := range v {
			sum += sumOf(member)
		}
	}
	return sum
}
