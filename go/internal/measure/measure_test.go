// SPDX-License-Identifier: MIT

package measure

import (
	"runtime"
	"testing"
)

var sink [][]byte

func TestOf(t *testing.T) {
	u := Of(func() {
		for range 100 {
			sink = append(sink[:0], make([]byte, 1<<20))
			runtime.GC()
		}
	})
	ok := u.Allocations >= 100 && u.AllocatedBytes >= 100<<20 &&
		u.Collections >= 100 && u.WallSeconds > 0
	if runtime.GOOS == "linux" {
		ok = ok && u.PeakBytes > 1<<20 && u.CPUSeconds > 0 && u.CollectorShare > 0
	}
	if !ok {
		t.Errorf("%+v", u)
	}
}
