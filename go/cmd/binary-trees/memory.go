// SPDX-License-Identifier: MIT

package main

import (
	"math"
	"math/bits"
	"os"
	"strconv"
	"strings"
)

// availableBytes is the memory that this process may hope for: what the system has free, its
// control group allows, and pointers can address. Where the system doesn't say, only pointers
// count.
func availableBytes() uint64 {
	available := uint64(math.MaxUint64)
	if bits.UintSize == 32 {
		available = 2 << 30 // of four, which code, stacks and gaps share
	}
	if info, err := os.ReadFile("/proc/meminfo"); err == nil {
		for line := range strings.Lines(string(info)) {
			if f := strings.Fields(line); len(f) == 3 && f[0] == "MemAvailable:" {
				if kib, err := strconv.ParseUint(f[1], 10, 50); err == nil {
					available = min(available, kib<<10)
				}
			}
		}
	}
	if text, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if limit, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64); err == nil {
			available = min(available, limit)
		}
	}
	return available
}
