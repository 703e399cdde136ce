// SPDX-License-Identifier: MIT

// A user's module: it imports toft, and sees no more of it than its users do.
module github.com/toft-memory/toft/go/outside

go 1.24

require github.com/toft-memory/toft/go v0.0.0

replace github.com/toft-memory/toft/go => ../
