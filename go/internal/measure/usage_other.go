// SPDX-License-Identifier: MIT

//go:build !unix

package measure

func cpuSeconds() float64 { return 0 }
func peakBytes() uint64   { return 0 }
