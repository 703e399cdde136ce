// SPDX-License-Identifier: MIT
module github.com/toft-memory/toft/go

go 1.24
