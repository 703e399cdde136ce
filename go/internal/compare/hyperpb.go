// SPDX-License-Identifier: MIT

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

const (
	hyperpbModule = "buf.build/go/hyperpb@v0.1.3"
	hyperpbCopy   = "peers/hyperpb"
)

// door opens hyperpb's arena, which is internal to its module, to the benchmark.
const door = `// Package door opens the internal arena to the benchmark.
package door

import "buf.build/go/hyperpb/internal/arena"

type Arena = arena.Arena

func New[T any](a *Arena, value T) *T { return arena.New(a, value) }
`

// copyHyperpb puts a copy of hyperpb, with the door, where the peers' module looks for it.
func copyHyperpb() error {
	doorFile := filepath.Join(hyperpbCopy, "door", "door.go")
	if _, err := os.Stat(doorFile); err == nil {
		return nil
	}
	out, err := exec.Command("go", "mod", "download", "-json", hyperpbModule).Output()
	var module struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(out, &module); jsonErr != nil || module.Error != "" {
		return fmt.Errorf("downloading %s: %v %s", hyperpbModule, err, module.Error)
	}
	if err := os.RemoveAll(hyperpbCopy); err != nil {
		return err
	}
	if err := os.CopyFS(hyperpbCopy, os.DirFS(module.Dir)); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(doorFile), 0o755); err != nil {
		return err
	}
	return os.WriteFile(doorFile, []byte(door), 0o644)
}
