// SPDX-License-Identifier: MIT

//go:build toftcheck

package toft

const (
	checking = true

	guardSlots = 1
)
