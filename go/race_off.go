// SPDX-License-Identifier: MIT

//go:build !race

package toft

// noteWrite tells the race detector, where there is one (go build -race), that these slots are written
// to. It needs to be told of each clear of slots that were handed out: the compiler makes that a call into
// the runtime, where the detector sees nothing. So it reports a goroutine that still uses them, even if
// they are never handed out again.
func noteWrite[T any](slots []T) {}
