// SPDX-License-Identifier: MIT

//go:build !toftcheck

package toft

const (
	// checking is true in the checking build (-tags toftcheck), where each Reset and Rewind under
	// Reuse looks for escapes.
	checking = false

	// guardSlots are at the start of each block and never handed out, in the checking build: the
	// runtime takes a finalizer for the first value of a block, and refuses it for all others.
	// They aren't counted as memory held.
	guardSlots = 0
)
