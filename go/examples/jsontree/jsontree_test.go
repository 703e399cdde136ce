// SPDX-License-Identifier: MIT

package jsontree_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	toft "github.com/toft-memory/toft/go"
	"github.com/toft-memory/toft/go/examples/jsontree"
	"github.com/toft-memory/toft/go/tofttest"
)

func ExampleParse() {
	var a toft.Arena
	doc, err := jsontree.Parse(&a, []byte(`{"name": "Ada", "born": [1815, 12, 10]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(doc.Get("name").Text, doc.Get("born").Items[0].Number)
	a.Reset() // doc is gone
	// Output: Ada 1815
}

// plain is the tree as encoding/json makes it.
func plain(v *jsontree.Value) any {
	switch v.Kind {
	case jsontree.Bool:
		return v.Bool
	case jsontree.Number:
		return v.Number
	case jsontree.String:
		return v.Text
	case jsontree.Array:
		items := []any{}
		for i := range v.Items {
			items = append(items, plain(&v.Items[i]))
		}
		return items
	case jsontree.Object:
		members := map[string]any{}
		for _, m := range v.Members {
			members[m.Name] = plain(m.Value)
		}
		return members
	}
	return nil
}

var texts = []string{
	`null`, ` true `, `false`, `0`, `-1.5e3`, `""`, `"a\n\u00e9\ud83d\ude00"`,
	`[]`, `{}`, `[ ]`, `{ }`,
	`[1, [2, {"a": [], "b": {"c": null}}], "x"]`, `{"a": 1, "b": [true, false], "a": 2}`,
	``, `[`, `{`, `[1,]`, `[1 2]`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{1: 2}`, `{,}`,
	`01`, `1.`, `+1`, `-`, `nul`,
	`"abc`, `"a\`, `"\x"`, "\"a\nb\"", `[1] 2`, `tru`, `1e999`,
}

func TestAgainstEncodingJSON(t *testing.T) {
	for _, text := range texts {
		compare(t, []byte(text))
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { compare(t, text) })
}

// compare reads text with both, and with and without an arena.
func compare(t *testing.T, text []byte) {
	var want any
	wantErr := json.Unmarshal(text, &want)
	var a toft.Arena
	for _, arena := range []*toft.Arena{&a, nil} {
		doc, err := jsontree.Parse(arena, text)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%q: error %v, encoding/json's %v", text, err, wantErr)
		}
		if err == nil && !reflect.DeepEqual(plain(doc), want) {
			t.Fatalf("%q: %v, encoding/json %v", text, plain(doc), want)
		}
	}
}

// An error says where in the text it is: of a number, where that begins, also at the end of the text, and
// also of one that is a number and can't be held.
func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"[1, 1e999]": "jsontree: at byte 4: 1e999 is beyond a float64",
		"-1e999":     "jsontree: at byte 0: -1e999 is beyond a float64",
		"[1, 1e]":    `jsontree: at byte 4: "1e" is no number`,
		"01":         `jsontree: at byte 0: "01" is no number`,
		"[1-2":       `jsontree: at byte 1: "1-2" is no number`,
		"[1":         "jsontree: the text ends in the middle",
	} {
		if _, err := jsontree.Parse(nil, []byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q: error %v, not %s", text, err, want)
		}
	}
}

func TestNothingEscapes(t *testing.T) {
	var a toft.Arena
	doc, err := jsontree.Parse(&a, []byte(`[{"a": "b"}, [1, 2, 3]]`))
	if err != nil {
		t.Fatal(err)
	}
	name := doc.Items[0].Members[0].Name
	tofttest.CheckEscapes(t, &a)
	if name != "a" {
		t.Errorf("the string became %q", name)
	}
}

func TestLimit(t *testing.T) {
	a := toft.Arena{LimitBytes: 10_000}
	text := []byte("[0")
	for range 10_000 {
		text = append(text, ",0"...)
	}
	text = append(text, ']')
	if doc, err := jsontree.Parse(&a, text); err == nil || doc != nil {
		t.Fatalf("a document beyond the limit was read, at least its beginning; error %v", err)
	}
	a.Reset()
	if _, err := jsontree.Parse(&a, []byte("[0, 1]")); err != nil {
		t.Error("after a Reset:", err)
	}
}
