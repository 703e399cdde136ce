// SPDX-License-Identifier: MIT

package toft

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
)

func TestPoolReusesAndBounds(t *testing.T) {
	p := Pool{MaxIdle: 2, RetainBytes: 50_000, LimitBytes: 1 << 20}
	a, b, c := p.Get(), p.Get(), p.Get()
	New[int](a)
	for range 100_000 / 16 {
		New[pair](b)
	}
	p.Put(a)
	p.Put(b)
	p.Put(c)
	if st := p.Stats(); st.Idle != 2 || st.Made != 3 || st.IdleBytes > 50_000 {
		t.Errorf("%+v", st)
	}
	got := p.Get()
	if !checking && got != a && got != b || got.Len() != 0 || got.LimitBytes != 1<<20 {
		t.Error("Get gives no arena that was put back, empty")
	}
	if p.Get() == got || p.Stats().Made != 3 {
		t.Error("Get gives one arena twice, or makes one although there is another")
	}
	p.Put(got)
	p.Release()
	if st := p.Stats(); st.Idle != 0 {
		t.Errorf("after Release: %+v", st)
	}
}

// In a large pool, not every slot is looked at each time. Its bound holds nevertheless.
func TestLargePool(t *testing.T) {
	p := Pool{MaxIdle: 3 * mostLooks}
	var arenas []*Arena
	for range 2 * p.MaxIdle {
		arenas = append(arenas, p.Get())
	}
	for _, a := range arenas {
		p.Put(a)
	}
	idle := p.Stats().Idle
	if idle < mostLooks || idle > p.MaxIdle {
		t.Errorf("%d arenas idle of at most %d", idle, p.MaxIdle)
	}
	seen := map[*Arena]bool{}
	for range idle {
		if a := p.Get(); seen[a] {
			t.Fatal("one arena was handed out twice")
		} else {
			seen[a] = true
		}
	}
}

func TestPoolMisuse(t *testing.T) {
	var p Pool
	a := p.Get()
	New[int](a)
	p.Put(a)
	mustPanic(t, "put back into a Pool twice", func() { p.Put(a) })
	mustPanic(t, "after it was put back", func() { New[int](a) })
	mustPanic(t, "after it was put back", func() { New[pair](a) })
	mustPanic(t, "after it was put back", func() { Make[byte](a, 100_000, 100_000) })
	mustPanic(t, "after it was put back", func() { p.Abandon(a) })
	mustPanic(t, "Put of a nil Arena", func() { p.Put(nil) })
	mustPanic(t, "Abandon of a nil Arena", func() { p.Abandon(nil) })
}

// An owner that has put its arena back may free nothing in it: the values are the next owner's soon.
func TestFreeingAfterPut(t *testing.T) {
	var p Pool
	for _, policy := range []Policy{Reuse, Drop} {
		p.Policy = policy
		a := p.Get()
		New[int](a)
		m := a.Save()
		p.Put(a)
		for _, free := range []func(){
			a.Reset, a.Release,
			func() { a.Trim(0) },
			func() { a.Escapes() },
		} {
			mustPanic(t, "after it was put back", free)
		}
		mustPanic(t, "used up", func() { a.Rewind(m) })
		mustPanic(t, "used up", func() { a.EscapesSince(m) })
		if st := p.Stats(); st.Idle != 1 {
			t.Errorf("%+v", st)
		}
		p.Release()
	}
}

// The checking build finds what the ordinary one can't tell from the new owner's use.
func TestPoolMisuseAfterAnotherGet(t *testing.T) {
	if !checking {
		t.Skip("the ordinary build hands the arena out again")
	}
	p := Pool{MaxIdle: 1}
	a := p.Get()
	New[int](a)
	String(a, []byte("text"))
	p.Put(a)
	b := p.Get()
	*New[int](b) = 42
	mustPanic(t, "put back into a Pool twice", func() { p.Put(a) })
	mustPanic(t, "after it was put back", a.Reset)
	mustPanic(t, "after it was put back", func() { New[int](a) })
	mustPanic(t, "after it was put back", func() { String(a, []byte("text")) })
	if st := p.Stats(); b == a || b.Len() != 1 || st.Made != 1 || st.Idle != 0 {
		t.Errorf("the arena that was put back is its successor, or %+v", st)
	}
}

// MaxIdle says how many are kept, not how much memory the first Get takes.
func TestPoolWithoutBound(t *testing.T) {
	for _, most := range []int{1_000_000, maxBytes} {
		p := Pool{MaxIdle: most}
		before := heapAfter()
		p.Put(p.Get())
		if held := int64(heapAfter()) - int64(before); held > 5<<20 {
			t.Errorf("%d bytes are alive for one arena", held)
		}
		if st := p.Stats(); st.Idle != 1 {
			t.Errorf("%+v", st)
		}
	}
}

func TestPoolConcurrently(t *testing.T) {
	p := Pool{MaxIdle: 4}
	var workers sync.WaitGroup
	for w := range 8 {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for i := range 300 {
				a := p.Get()
				s := Make[int](a, 0, 0)
				for j := range 200 {
					s = Append(a, s, w+i+j)
				}
				for j, v := range s {
					if v != w+i+j {
						t.Errorf("value %d is %d", j, v)
					}
				}
				p.Put(a)
			}
		}()
	}
	workers.Wait()
	if st := p.Stats(); st.Idle > 4 || !checking && st.Made > 300 {
		t.Errorf("%+v", st)
	}
}

// eventually collects until done holds. What never comes is found by the time limit of go test.
func eventually(done func() bool) {
	for !done() {
		runtime.GC()
		runtime.Gosched()
	}
}

func TestPoolGivesMemoryBackUnderPressure(t *testing.T) {
	var p Pool
	p.RetainBytes = 64 << 20
	fill := func() {
		a := p.Get()
		Make[byte](a, 8<<20, 8<<20)
		p.Put(a)
	}
	idle := func() int { return p.Stats().Idle }
	fill()
	runtime.GC()
	if p.setTight(memoryIsScarce()); idle() != 1 {
		t.Fatal("an idle arena went without pressure")
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 20))
	eventually(func() bool { return idle() == 0 })
	if fill(); idle() != 0 {
		t.Error("an arena is kept while memory is scarce")
	}
	debug.SetMemoryLimit(1 << 40)
	eventually(func() bool { fill(); return idle() == 1 })
}

// A pool that nothing uses any more goes, although it watches the collections.
func TestPoolIsCollected(t *testing.T) {
	var gone atomic.Bool
	func() {
		p := new(Pool)
		p.Put(p.Get())
		runtime.AddCleanup(p, func(gone *atomic.Bool) { gone.Store(true) }, &gone)
	}()
	eventually(gone.Load)
}

// Else its bytes would be the next owner's.
func TestTextAfterPut(t *testing.T) {
	var p Pool
	a := p.Get()
	String(a, []byte("warm"))
	a.Strings().WriteString("warm")
	p.Put(a)
	held := a.held
	mustPanic(t, "after it was put back", func() { String(a, []byte("stale")) })
	mustPanic(t, "after it was put back", func() { a.Strings().WriteString("stale") })
	mustPanic(t, "after it was put back", func() { a.Strings().Printf("stale") })
	mustPanic(t, "after it was put back", func() { a.Save() })
	if b := p.Get(); b == a && !checking {
		String(b, []byte("warm again"))
		b.Strings().WriteString("warm again")
		if b.held != held {
			t.Errorf("%d bytes held, not %d: the rest of the chunk is lost", b.held, held)
		}
	}
}
