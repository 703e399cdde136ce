// SPDX-License-Identifier: MIT

//go:build unix

package measure

import (
	"runtime"
	"syscall"
	"time"
)

func usage() (u syscall.Rusage) {
	// It fails only for an unknown who.
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return u
}

func cpuSeconds() float64 {
	u := usage()
	return (time.Duration(u.Utime.Nano()) + time.Duration(u.Stime.Nano())).Seconds()
}

func peakBytes() uint64 {
	unit := uint64(1024)
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		unit = 1
	}
	return uint64(usage().Maxrss) * unit
}
