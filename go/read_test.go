// SPDX-License-Identifier: MIT

package toft_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	toft "github.com/toft-memory/toft/go"
)

func TestReadAllReadsAsTheLibraryDoes(t *testing.T) {
	text := strings.Repeat("0123456789", 700)
	broken := errors.New("broken")
	readers := map[string]func(io.Reader) io.Reader{
		"whole":        func(r io.Reader) io.Reader { return r },
		"byte by byte": iotest.OneByteReader,
		"halves":       iotest.HalfReader,
		"data and end": iotest.DataErrReader,
		"broken":       func(r io.Reader) io.Reader { return io.MultiReader(r, iotest.ErrReader(broken)) },
	}
	for name, reader := range readers {
		for _, n := range []int{0, 1, 511, 512, 513, len(text)} {
			for _, hint := range []int{-1, 0, 3, n, n + 1, 10000} {
				for _, a := range []*toft.Arena{nil, new(toft.Arena)} {
					want, wantErr := io.ReadAll(reader(strings.NewReader(text[:n])))
					got, err := toft.ReadAll(a, reader(strings.NewReader(text[:n])), hint)
					if !bytes.Equal(got, want) || !errors.Is(err, wantErr) {
						t.Errorf("%s, %d bytes, hint %d: %d bytes, %v; want %d, %v",
							name, n, hint, len(got), err, len(want), wantErr)
					}
				}
			}
		}
	}
}

func TestReadAllTakesMemoryOfTheArena(t *testing.T) {
	text := strings.Repeat("x", 100000)
	var a toft.Arena
	read := func() {
		a.Reset()
		if b, err := toft.ReadAll(&a, strings.NewReader(text), len(text)); len(b) != len(text) || err != nil {
			t.Fatal(len(b), err)
		}
	}
	read()
	if used := a.Stats().UsedBytes; used < len(text) || used > len(text)+1024 {
		t.Errorf("%d bytes of the arena are used", used)
	}
	held := a.Stats().HeldBytes
	if read(); a.Stats().HeldBytes != held {
		t.Errorf("%d bytes are held after the second round, %d after the first", a.Stats().HeldBytes, held)
	}
}

func TestReadAllStopsAtTheLimit(t *testing.T) {
	a := toft.Arena{LimitBytes: 64 << 10}
	read := func() (err error) {
		defer toft.CatchLimit(&err)
		_, err = toft.ReadAll(&a, strings.NewReader(strings.Repeat("x", 1<<20)), 0)
		return err
	}
	var limit *toft.LimitError
	if err := read(); !errors.As(err, &limit) {
		t.Errorf("got %v", err)
	}
}

func TestReadAllRefusesHintsBeyondTheLimit(t *testing.T) {
	a := toft.Arena{LimitBytes: 1 << 20}
	for _, hint := range []int{1 << 20, math.MaxInt - 512, math.MaxInt - 511, math.MaxInt} {
		err := func() (err error) {
			defer toft.CatchLimit(&err)
			_, err = toft.ReadAll(&a, strings.NewReader("x"), hint)
			return err
		}()
		var limit *toft.LimitError
		if !errors.As(err, &limit) || limit.WantBytes < hint {
			t.Errorf("hint %d: %v", hint, err)
		}
	}
}
