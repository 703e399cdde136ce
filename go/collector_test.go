// SPDX-License-Identifier: MIT

package toft

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"unsafe"
	"weak"
)

// The tests here run collections without end and overwrite every cell they free. What an allocator
// hides from the collector is then lost, and shows.

// stress collects at every little growth, and churns small cells of all sizes, until the test ends. It
// counts how often it had others take the place of all its cells.
func stress(t *testing.T) (turns *atomic.Int64) {
	turns = new(atomic.Int64)
	old := debug.SetGCPercent(1)
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		var churn [64][]*[4]uint64
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			cells := make([]*[4]uint64, 64)
			for j := range cells {
				cells[j] = &[4]uint64{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}
			}
			churn[i%len(churn)] = cells
			if i%len(churn) == 0 {
				turns.Add(1)
			}
		}
	}()
	t.Cleanup(func() {
		close(stop)
		<-stopped
		debug.SetGCPercent(old)
	})
	return turns
}

// A holder lives in an arena, and is all that points to its parts on the heap.
type holder struct {
	next   *holder
	number *[4]uint64
	text   *string
	list   []*uint64
	any    any
	table  map[int]int
}

func fillHolder(h *holder, i int) {
	n := uint64(i)
	h.number = &[4]uint64{n, n, n, n}
	text := string(rune('a' + i%26))
	h.text = &text
	h.list = []*uint64{new(uint64), &h.number[1]}
	*h.list[0] = n
	h.any = [2]uint64{n, n}
	h.table = map[int]int{i: i}
}

func checkHolder(t *testing.T, h *holder, i int) {
	t.Helper()
	n := uint64(i)
	if *h.number != [4]uint64{n, n, n, n} || *h.text != string(rune('a'+i%26)) ||
		*h.list[0] != n || *h.list[1] != n || h.any != [2]uint64{n, n} || h.table[i] != i {
		t.Fatalf("holder %d was overwritten: %v %q", i, *h.number, *h.text)
	}
}

// checkList checks a list of holders, numbered from its head downwards, and returns its length.
func checkList(t *testing.T, head *holder, from int) (length int) {
	t.Helper()
	for h := head; h != nil; h = h.next {
		checkHolder(t, h, from-length)
		length++
	}
	return length
}

func TestHeapPointersHeldOnlyByTheArena(t *testing.T) {
	stress(t)
	for _, policy := range []Policy{Reuse, Drop} {
		a := Arena{Policy: policy}
		for range 20 {
			var head *holder
			for i := range 1000 {
				h := New[holder](&a)
				fillHolder(h, i)
				h.next, head = head, h
			}
			if n := checkList(t, head, 999); n != 1000 {
				t.Fatalf("%d of 1000 holders", n)
			}
			head = nil
			a.Reset()
		}
	}
}

// The same look at an arena that cuts values out of bytes, as many do, finds what it is for: the
// collector doesn't see the pointer, and frees its target.
func TestByteArenasLoseHeapPointers(t *testing.T) {
	memory := make([]uint64, 1024)
	var a Arena
	for _, c := range []struct {
		name  string
		new   func() *holder
		loses bool
	}{
		{"a byte arena", func() *holder { return (*holder)(unsafe.Pointer(&memory[0])) }, true},
		{"toft", func() *holder { return New[holder](&a) }, false},
	} {
		h := c.new()
		target := func() weak.Pointer[[4]uint64] {
			h.number = &[4]uint64{1}
			return weak.Make(h.number)
		}()
		runtime.GC()
		if lost := target.Value() == nil; lost != c.loses {
			t.Errorf("%s: the target is lost: %v", c.name, lost)
		}
		runtime.KeepAlive(h)
	}
}

// Values live on when the variables of what they came from are gone.
func TestValuesOutliveTheArena(t *testing.T) {
	turns := stress(t)
	list := func() (head *holder) {
		var a Arena
		for i := range 2000 {
			h := New[holder](&a)
			fillHolder(h, i)
			h.next, head = head, h
		}
		return head
	}()
	slice := func() []*[4]uint64 {
		var s Slab[*[4]uint64]
		m := s.Make(5000)
		for i := range m {
			m[i] = &[4]uint64{uint64(i)}
		}
		return m[100:4000]
	}()
	text := func() string {
		var s Strings
		return s.Copy([]byte("still here"))
	}()
	enough := turns.Load() + 10
	eventually(func() bool { return turns.Load() >= enough })
	if n := checkList(t, list, 1999); n != 2000 {
		t.Errorf("%d of 2000 holders", n)
	}
	for i, p := range slice {
		if *p != [4]uint64{uint64(i + 100)} {
			t.Fatalf("element %d is %v", i, *p)
		}
	}
	if text != "still here" {
		t.Errorf("the text became %q", text)
	}
}

// What a pointer kept beyond a Reset sees, in the goroutine that owns the arena, is a value of its own
// type, zero or newer; so is what that points to.
func TestStalePointersAreNeverForged(t *testing.T) {
	if checking {
		t.Skip("keeps pointers beyond a Reset on purpose")
	}
	stress(t)
	type numbers struct{ a, b, c, d, e, f, g, h, i, j, k, l uint64 } // of the size of holder
	var a Arena
	var stale []*holder
	for round := range 60 {
		for i := range 300 {
			h := New[holder](&a)
			fillHolder(h, i)
			if i%7 == 0 {
				stale = append(stale, h)
			}
			n := New[numbers](&a)
			n.a, n.f, n.l = ^uint64(0), ^uint64(0), ^uint64(0)
			Make[uint64](&a, 20, 20)[7] = ^uint64(0)
		}
		a.Reset()
		if round%10 == 9 {
			a.Release()
		}
		for _, h := range stale {
			if h.number == nil && h.text == nil && h.list == nil && h.any == nil {
				continue
			}
			checkHolder(t, h, int(h.number[0]))
		}
	}
}

// runFinalizers collects until the finalizers of all that was out of reach have run: the runtime runs
// those that it found in one collection before those of a later one.
func runFinalizers() {
	runtime.GC()
	for range 2 {
		var last atomic.Bool
		runtime.SetFinalizer(new([100]byte), func(*[100]byte) { last.Store(true) })
		eventually(last.Load)
	}
}

// Reset lets what the values pointed to go: finalizers run and weak pointers fade, not before.
func TestResetFreesWhatValuesPointTo(t *testing.T) {
	type resource struct{ _ [100]byte }
	for _, policy := range []Policy{Reuse, Drop} {
		a := Arena{Policy: policy}
		var finalized atomic.Bool
		faded := func() weak.Pointer[resource] {
			r := new(resource)
			runtime.SetFinalizer(r, func(*resource) { finalized.Store(true) })
			*New[*resource](&a) = r
			faded := new(resource)
			*New[*resource](&a) = faded
			return weak.Make(faded)
		}()
		runFinalizers()
		if finalized.Load() {
			t.Fatalf("%v: finalized while the arena held it", policy)
		}
		if faded.Value() == nil {
			t.Fatalf("%v: a weak pointer faded while the arena held its target", policy)
		}
		a.Reset()
		New[*resource](&a) // the arena is in use again
		runFinalizers()
		if !finalized.Load() {
			t.Fatalf("%v: not finalized after Reset", policy)
		}
		if faded.Value() != nil {
			t.Errorf("%v: a weak pointer stays after Reset", policy)
		}
	}
}

// A weak pointer into an arena, and a cleanup, act when the chunk goes.
func TestWeakPointersIntoTheArena(t *testing.T) {
	var cleaned atomic.Bool
	faded := func() weak.Pointer[pair] {
		var a Arena
		p := New[pair](&a)
		q := New[pair](&a)
		runtime.AddCleanup(q, func(c *atomic.Bool) { c.Store(true) }, &cleaned)
		runtime.GC()
		w := weak.Make(p)
		if w.Value() != p {
			t.Error("the weak pointer faded at once")
		}
		runtime.KeepAlive(q)
		return w
	}()
	runtime.GC()
	if faded.Value() != nil {
		t.Error("the weak pointer stays although the arena is gone")
	}
	eventually(cleaned.Load)
}
