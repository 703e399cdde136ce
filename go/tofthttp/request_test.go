// SPDX-License-Identifier: MIT

package tofthttp_test

import (
	"bytes"
	"io"
	"log"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	toft "github.com/toft-memory/toft/go"
	"github.com/toft-memory/toft/go/tofthttp"
)

// filesAfterUpload sends a form with a file to a server, and returns how many temporary files are left
// when the server has closed.
func filesAfterUpload(t *testing.T, handler http.Handler) int {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP"} { // of Unix and of Windows
		t.Setenv(name, dir)
	}
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	file, err := form.CreateFormFile("file", "name")
	if err != nil {
		t.Fatal(err)
	}
	file.Write(make([]byte, 1<<20))
	form.Close()
	answer, err := http.Post(server.URL, form.FormDataContentType(), &body)
	if err == nil { // a handler that panics gives no answer
		answer.Body.Close()
	}
	server.Close()
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(left)
}

// The server removes the temporary files of a form, although its own request isn't the one that was
// parsed. After a panic the files go as well.
func TestTemporaryFilesGo(t *testing.T) {
	for _, panics := range []bool{false, true} {
		var pool toft.Pool
		handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := r.ParseMultipartForm(1000); err != nil {
				t.Error(err)
			}
			if files, err := os.ReadDir(os.TempDir()); err != nil || len(files) != 1 {
				t.Errorf("%d temporary files while the request is served, error %v", len(files), err)
			}
			if panics {
				panic(http.ErrAbortHandler)
			}
		})
		if n := filesAfterUpload(t, tofthttp.Handler(&pool, handler)); n != 0 {
			t.Errorf("handler panics: %v; %d temporary files are left", panics, n)
		}
	}
}

// The files of a form that was parsed outside belong to whoever parsed it.
func TestPanicLeavesTheFormFromOutside(t *testing.T) {
	var pool toft.Pool
	inner := tofthttp.Handler(&pool, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		panic(http.ErrAbortHandler)
	}))
	filesAfterUpload(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseMultipartForm(1000); err != nil {
			t.Error(err)
		}
		defer func() {
			_ = recover()
			if file, _, err := r.FormFile("file"); err != nil {
				t.Error(err)
			} else {
				file.Close()
			}
		}()
		inner.ServeHTTP(w, r)
	}))
}

// A handler outside sees what the handlers inside found out about the request, and no arena.
func TestRequestIsHandedBack(t *testing.T) {
	var pool toft.Pool
	mux := http.NewServeMux()
	mux.HandleFunc("GET /items/{id}", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("name") != "Ada" || tofthttp.Arena(r) == nil {
			t.Errorf("form %v, arena %v", r.Form, tofthttp.Arena(r))
		}
	})
	r := httptest.NewRequest("GET", "/items/1?name=Ada", nil)
	tofthttp.Handler(&pool, mux).ServeHTTP(httptest.NewRecorder(), r)
	if r.Pattern != "GET /items/{id}" || r.Form.Get("name") != "Ada" {
		t.Errorf("outside, the pattern is %q, the form %v", r.Pattern, r.Form)
	}
	if tofthttp.Arena(r) != nil {
		t.Error("the request outside carries the arena")
	}
}
