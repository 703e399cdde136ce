// SPDX-License-Identifier: MIT

package main

import toft "github.com/toft-memory/toft/go"

// Appending grows a slice of points from nothing to a length that varies, round after round.

type point struct{ x, y uint64 }

const longestSlice = 2000

func sliceLen(round int) int { return 100 + round*37%longestSlice }

func appendNaive(rounds int) (sum uint64) {
	for r := range rounds {
		var points []point
		for i := range sliceLen(r) {
			points = append(points, point{uint64(i), uint64(r)})
		}
		sum += points[len(points)/2].x
	}
	return sum
}

func appendArena(rounds int) (sum uint64) {
	var a toft.Arena
	for r := range rounds {
		var points []point
		for i := range sliceLen(r) {
			points = toft.Append(&a, points, point{uint64(i), uint64(r)})
		}
		sum += points[len(points)/2].x
		a.Reset()
	}
	return sum
}

func appendGrow(rounds int) (sum uint64) {
	var a toft.Arena
	for r := range rounds {
		var points []point
		for i := range sliceLen(r) {
			points = append(toft.Grow(&a, points, 1), point{uint64(i), uint64(r)})
		}
		sum += points[len(points)/2].x
		a.Reset()
	}
	return sum
}
