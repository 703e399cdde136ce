// SPDX-License-Identifier: MIT

//go:build !toftcheck

package toft

// checking is true in the checking build (-tags toftcheck), where each Reset under Reuse looks for
// escapes.
const checking = false
