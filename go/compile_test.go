// SPDX-License-Identifier: MIT

package toft

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// These tests pin what the compiler makes of the hot functions, by its own report, and what the
// race detector says, by running the go command on small programs. They are skipped without one.

// goCommand runs the go command on a program that uses the module, and returns all that it prints.
func goCommand(t *testing.T, source string, args ...string) (output string, err error) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs the go command")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	mod := "module hot\n\ngo 1.24\n\nrequire github.com/toft-memory/toft/go v0.0.0\n\n" +
		"replace github.com/toft-memory/toft/go => " + filepath.ToSlash(here) + "\n"
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GORACE=halt_on_error=1")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

const hotProgram = `package main

import toft "github.com/toft-memory/toft/go"

type node struct{ left, right *node }

func slabNew(s *toft.Slab[node]) *node { return s.New() }

func handleNew(a *toft.Arena) *node {
	h := toft.SlabOf[node](a)
	return h.New()
}

func indexNew(x *toft.Index[node]) toft.Ref[node] { return x.New() }

func indexAt(x *toft.Index[node], r toft.Ref[node]) *node { return x.At(r) }

func grow(a *toft.Arena, s []int) []int { return append(toft.Grow(a, s, 1), 7) }

func format(a *toft.Arena, n int, s string, b []byte) string {
	return toft.Sprintf(a, "%d %s %v", n, s, b)
}

func put(a *toft.Arena, n *node) *node { return toft.Put(a, node{n, n}) }

func stayOnStack() int {
	var a toft.Arena
	s := toft.Append(&a, []int{1}, 2)
	return len(s)
}

func main() {
	var a toft.Arena
	var x toft.Index[node]
	indexAt(&x, indexNew(&x)).left = put(&a, slabNew(toft.SlabOf[node](&a)))
	println(handleNew(&a), len(grow(&a, nil)), format(&a, 1, "", nil), stayOnStack())
}
`

func TestInlining(t *testing.T) {
	report, err := goCommand(t, hotProgram, "build", "-gcflags=-m", ".")
	if err != nil {
		t.Fatalf("%v\n%s", err, report)
	}
	line := func(text string) string { // the number of the line that holds the text
		before, _, found := strings.Cut(hotProgram, text)
		if !found {
			t.Fatalf("no line with %q", text)
		}
		return regexp.QuoteMeta("main.go:") + itoa(strings.Count(before, "\n")+1) + `:\d+: `
	}
	for _, want := range []string{
		line("return s.New()") + `inlining call to toft\.\(\*Slab\[.*\]\)\.New`,
		line("return h.New()") + `inlining call to toft\.\(\*Slab\[.*\]\)\.New`,
		line("return x.New()") + `inlining call to toft\.\(\*Index\[.*\]\)\.New`,
		line("return x.At(r)") + `inlining call to toft\.\(\*Index\[.*\]\)\.At`,
		line("toft.Grow(a, s, 1)") + `inlining call to toft\.Grow\[`,
		line("return toft.Put(a") + `inlining call to toft\.Put\[`,
		line("return toft.Sprintf") + `n does not escape`,
		line("return toft.Sprintf") + `s does not escape`,
		line("return toft.Sprintf") + `b does not escape`,
		line("return toft.Sprintf") + `\.\.\. argument does not escape`,
	} {
		if !regexp.MustCompile(want).MatchString(report) {
			t.Errorf("the compiler's report lacks %s", want)
		}
	}
	if regexp.MustCompile(line("return toft.Put(a") + `.*(escapes|moved to) `).MatchString(report) {
		t.Errorf("what is put escapes")
	}
	if t.Failed() {
		t.Logf("the report:\n%s", report)
	}
}

// New has no check of the stack's size, which would be a seventh of its time. It tests each of the two
// slabs of a place once: a test more for the second would be a sixth.
func TestNewIsShort(t *testing.T) {
	report, err := goCommand(t, hotProgram, "build", "-gcflags=-S", ".")
	if err != nil {
		t.Fatalf("%v\n%s", err, report)
	}
	begin := regexp.MustCompile(`(?m)^\S*toft/go\.New\[.*\] STEXT (.*)$`).FindStringSubmatchIndex(report)
	if begin == nil {
		t.Fatal("the compiler's listing has no New")
	}
	if flags := report[begin[2]:begin[3]]; !strings.Contains(flags, "nosplit") {
		t.Errorf("New isn't marked nosplit: %s", flags)
	}
	if runtime.GOARCH != "amd64" {
		return
	}
	listing, _, _ := strings.Cut(report[begin[1]:], " STEXT ")
	// No arena, two slabs of another type, and no free slot.
	branches := regexp.MustCompile(`\tJ[A-LN-Z][A-Z]+\t`).FindAllString(listing, -1)
	if len(branches) != 4 {
		t.Errorf("New has %d branches, %q, and needs 4:\n%s", len(branches), branches, listing)
	}
}

func itoa(n int) string {
	var a Arena
	return Sprintf(&a, "%d", n)
}

const racyProgram = `package main

import toft "github.com/toft-memory/toft/go"

func main() {
	var a toft.Arena
	done := make(chan bool)
	toft.New[int](&a)
	go func() {
		toft.New[int](&a)
		done <- true
	}()
	toft.New[int](&a)
	<-done
}
`

// nothingRaces is what comes of a program that does nothing under the race detector.
var nothingRaces struct {
	tried  sync.Once
	output string
	err    error
}

// mustRace runs a program of which the race detector has to say that it races. It skips the test where
// the race detector doesn't run.
func mustRace(t *testing.T, program string, flags ...string) {
	t.Helper()
	nothingRaces.tried.Do(func() {
		nothingRaces.output, nothingRaces.err =
			goCommand(t, "package main\n\nfunc main() {}\n", "run", "-race", ".")
	})
	if nothingRaces.err != nil {
		t.Skipf("the race detector doesn't run here: %v\n%s", nothingRaces.err, nothingRaces.output)
	}
	output, err := goCommand(t, program, append([]string{"run", "-race"}, append(flags, ".")...)...)
	if err == nil || !strings.Contains(output, "DATA RACE") {
		t.Errorf("no data race was reported, flags %q: %v\n%s", flags, err, output)
	}
}

// Two goroutines on one arena are reported; with a hand-over between them they aren't.
func TestRaceDetectorSeesSharedArena(t *testing.T) {
	mustRace(t, racyProgram)
	handedOver := strings.Replace(racyProgram,
		"\ttoft.New[int](&a)\n\t<-done\n", "\t<-done\n\ttoft.New[int](&a)\n", 1)
	if output, err := goCommand(t, handedOver, "run", "-race", "."); err != nil {
		t.Errorf("a hand-over is reported: %v\n%s", err, output)
	}
}

const keptPointerProgram = `package main

import toft "github.com/toft-memory/toft/go"

func main() {
	a := toft.Arena{Policy: toft.Reuse}
	kept := toft.New[[]int](&a)
	a.Reset()
	done := make(chan int)
	go func() { done <- len(*kept) }()
	*toft.New[[]int](&a) = []int{1, 2, 3}
	<-done
}
`

// A pointer kept beyond a Reset and used by another goroutine is a data race under Reuse, which is
// reported. Under Drop there is none.
func TestRaceDetectorSeesKeptPointers(t *testing.T) {
	mustRace(t, keptPointerProgram)
	dropped := strings.Replace(keptPointerProgram, "toft.Reuse", "toft.Drop", 1)
	if output, err := goCommand(t, dropped, "run", "-race", "."); err != nil {
		t.Errorf("a race under Drop: %v\n%s", err, output)
	}
}

const freedMemoryProgram = `package main

import toft "github.com/toft-memory/toft/go"

func main() {
	var a toft.Arena
	var slab toft.Slab[int]
	var pool toft.Pool
	pooled := pool.Get()
	mark := a.Save()
	kept := KEPT
	done := make(chan int)
	go func() { done <- *kept }()
	FREE
	<-done
	_, _, _ = pooled, mark, slab.Len()
}
`

// What frees memory writes to it, for the race detector too, in the checking build as well: so a pointer
// that another goroutine still uses is reported, though nothing is made in that memory afterwards.
func TestRaceDetectorSeesUseOfFreedMemory(t *testing.T) {
	for _, c := range []struct{ kept, free string }{
		{"toft.New[int](&a)", "a.Reset()"},
		{"&toft.Make[int](&a, 3, 3)[1]", "a.Reset()"},
		{"&toft.Make[int](&a, 10_000, 10_000)[7_000]", "a.Reset()"}, // in a block of its own
		{"toft.New[int](&a)", "a.Rewind(mark)"},
		{"toft.New[int](&a)", "a.Release()"},
		{"slab.New()", "slab.Reset()"},
		{"toft.New[int](pooled)", "pool.Put(pooled)"},
	} {
		program := strings.NewReplacer("KEPT", c.kept, "FREE", c.free).Replace(freedMemoryProgram)
		for _, tags := range []string{"-tags=", "-tags=toftcheck"} {
			t.Run(c.kept+" "+c.free+" "+tags, func(t *testing.T) { mustRace(t, program, tags) })
		}
	}
}

const badFormatProgram = `package main

import toft "github.com/toft-memory/toft/go"

func main() {
	var a toft.Arena
	println(toft.Sprintf(&a, "%d", "text"), a.Strings().Sprintf("%s"))
	a.Strings().Printf("%d %d", 1)
}
`

// Go vet knows that our formatting functions take what fmt's take.
func TestVetChecksFormats(t *testing.T) {
	report, err := goCommand(t, badFormatProgram, "vet", ".")
	if err == nil {
		t.Error("go vet finds nothing")
	}
	for _, want := range []string{
		"format %d has arg \"text\" of wrong type string",
		"format %s reads arg #1, but call has 0 args",
		"format %d reads arg #2, but call has 1 arg",
	} {
		if !strings.Contains(report, want) {
			t.Errorf("the report lacks %q:\n%s", want, report)
		}
	}
}
