// SPDX-License-Identifier: MIT

package main

import "testing"

// All ways to do a work give the same check, which isn't nothing.
func TestAllocatorsAgree(t *testing.T) {
	for name, w := range works {
		want := w.do["naive"](20)
		if want == 0 {
			t.Errorf("%s gives 0", name)
		}
		for allocator, do := range w.do {
			if got := do(20); got != want {
				t.Errorf("%s by %s gives %d, naive %d", name, allocator, got, want)
			}
		}
	}
}
