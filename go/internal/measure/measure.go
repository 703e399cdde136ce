// SPDX-License-Identifier: MIT

// Package measure takes a program's time, memory and collections.
package measure

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// A Usage is what a piece of work took. Its JSON form is read by other programs: fields are added,
// never renamed.
type Usage struct {
	WallSeconds    float64 `json:"wall_seconds"`
	CPUSeconds     float64 `json:"cpu_seconds"`     // user and system, all threads; 0 where unknown
	PeakBytes      uint64  `json:"peak_bytes"`      // largest resident size; 0 where unknown
	Allocations    uint64  `json:"allocations"`     // blocks from the heap
	AllocatedBytes uint64  `json:"allocated_bytes"` // their bytes
	Collections    uint32  `json:"collections"`
	PauseSeconds   float64 `json:"pause_seconds"`   // in which the collector stopped the program
	CollectorShare float64 `json:"collector_share"` // of the CPU time, idle marking apart
}

// Of calls work and returns what that took.
func Of(work func()) Usage {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	gcBefore, cpuBefore, wallBefore := gcSeconds(), cpuSeconds(), time.Now()

	work()

	u := Usage{WallSeconds: time.Since(wallBefore).Seconds(), CPUSeconds: cpuSeconds() - cpuBefore}
	runtime.ReadMemStats(&after)
	u.PeakBytes = peakBytes()
	u.Allocations = after.Mallocs - before.Mallocs
	u.AllocatedBytes = after.TotalAlloc - before.TotalAlloc
	u.Collections = after.NumGC - before.NumGC
	u.PauseSeconds = float64(after.PauseTotalNs-before.PauseTotalNs) / 1e9
	if u.CPUSeconds > 0 {
		u.CollectorShare = (gcSeconds() - gcBefore) / u.CPUSeconds
	}
	return u
}

// gcSeconds is the CPU time that collections have taken from the program so far.
func gcSeconds() float64 {
	samples := []metrics.Sample{
		{Name: "/cpu/classes/gc/total:cpu-seconds"},
		{Name: "/cpu/classes/gc/mark/idle:cpu-seconds"},
	}
	metrics.Read(samples)
	return samples[0].Value.Float64() - samples[1].Value.Float64()
}
