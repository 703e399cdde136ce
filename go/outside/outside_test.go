// SPDX-License-Identifier: MIT

package outside

import (
	"runtime"
	"testing"

	toft "github.com/toft-memory/toft/go"
	"github.com/toft-memory/toft/go/tofttest"
)

func TestListsFromOutside(t *testing.T) {
	for range 10 {
		list := List(&Arena, 1000)
		runtime.GC()
		if err := Check(list, 1000); err != nil {
			t.Fatal(err)
		}
		m := Arena.Save()
		List(&Arena, 2000)
		Arena.Rewind(m)
		if err := Check(list, 1000); err != nil {
			t.Fatal("after Rewind:", err)
		}
		list = nil
		Arena.Reset()
	}
	List(&Arena, 10)
	tofttest.CheckEscapes(t, &Arena)
}

func TestPoolFromOutside(t *testing.T) {
	if err := Requests(&Pool, 4, 100); err != nil {
		t.Error(err)
	}
	runtime.GC()
	if err := Requests(&Pool, 4, 100); err != nil {
		t.Error(err)
	}
}

func TestHandlesFromOutside(t *testing.T) {
	for range 10 {
		for i := range 1000 {
			item := Slab.New()
			item.On = new(int)
			*item.On = i
			r := Index.New()
			Index.At(r).Next = item
			if *Index.At(r).Next.On != i || Strings.Intern([]byte("word")) != "word" {
				t.Fatal("a value is lost")
			}
			item = nil
		}
		Index.Reset() // whose values point to those of the slab
		Slab.Reset()
		Strings.Reset()
	}
}

func TestLimitFromOutside(t *testing.T) {
	pool := toft.Pool{LimitBytes: 1 << 20}
	a := pool.Get()
	defer pool.Put(a)
	err := func() (err error) {
		defer toft.CatchLimit(&err)
		List(a, 1<<20)
		return nil
	}()
	if err == nil {
		t.Error("a million items fit into 1 MiB")
	}
	a.Reset()
	if err := Check(List(a, 100), 100); err != nil {
		t.Error(err)
	}
}
