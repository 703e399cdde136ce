// SPDX-License-Identifier: MIT
// Nothing: this package is there for what it depends on.
