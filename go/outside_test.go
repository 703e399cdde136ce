// SPDX-License-Identifier: MIT

package toft_test

import (
	"runtime"
	"testing"

	toft "github.com/toft-memory/toft/go"
)

// A pool that is a variable of its package, as most are, lies outside the heap.
var packagePool toft.Pool

func TestPoolAsPackageVariable(t *testing.T) {
	packagePool = toft.Pool{} // for the sake of go test -count
	for range 3 {
		a := packagePool.Get()
		*toft.New[int](a) = 1
		packagePool.Put(a)
		runtime.GC()
	}
	if st := packagePool.Stats(); st.Idle != 1 || st.Made != 1 {
		t.Errorf("%+v", st)
	}
}
