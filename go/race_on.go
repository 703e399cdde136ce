// SPDX-License-Identifier: MIT

//go:build race

package toft

import (
	"runtime"
	"unsafe"
)

func noteWrite[T any](slots []T) {
	if bytes := len(slots) * sizeOf[T](); bytes > 0 {
		runtime.RaceWriteRange(unsafe.Pointer(&slots[0]), bytes)
	}
}
