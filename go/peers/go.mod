// SPDX-License-Identifier: MIT

// Other people's arenas, for comparison only: the module toft itself depends on nothing.
module github.com/toft-memory/toft/go/peers

go 1.25

require (
	buf.build/go/hyperpb v0.1.3
	github.com/ortuman/nuke v1.3.0
	github.com/toft-memory/toft/go v0.0.0
	github.com/wundergraph/go-arena v1.1.0
)

require (
	github.com/davecgh/go-spew v1.1.1 // indirect
	github.com/pmezard/go-difflib v1.0.0 // indirect
	github.com/stretchr/testify v1.11.1 // indirect
	github.com/timandy/routine v1.1.5 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)

replace github.com/toft-memory/toft/go => ../

// A copy with a door to its internal arena, which scripts/setup-go-peers makes.
replace buf.build/go/hyperpb => ./hyperpb
