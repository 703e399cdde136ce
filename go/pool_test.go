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

// A pool makes no more arenas than are in use at a time, however large MaxIdle is and whichever goroutines
// use it.
func TestPoolMakesWhatIsUsedAtATime(t *testing.T) {
	for _, most := range []int{2, 64, 1024, 65536} {
		p := Pool{MaxIdle: most, Policy: Drop} // Drop, since the checking build collects at each Put else
		var one sync.Mutex
		var done sync.WaitGroup
		one.Lock() // until there are as many stacks as goroutines
		for range 2000 {
			done.Add(1)
			go func() {
				defer done.Done()
				for range 20 {
					one.Lock()
					p.Put(p.Get())
					one.Unlock()
				}
			}()
		}
		one.Unlock()
		done.Wait()
		if st := p.Stats(); st.Made != 1 || st.Idle != 1 {
			t.Errorf("with MaxIdle %d, one arena in use at a time: %+v", most, st)
		}
	}
}

// So it is where many are in use at a time, those of one goroutine or of many, which take them in turn.
func TestPoolOfMany(t *testing.T) {
	const many, rounds = 1000, 5
	for name, run := range map[string]func(f func()){
		"one goroutine": func(f func()) { f() },
		"many": func(f func()) {
			done := make(chan bool)
			go func() { f(); done <- true }()
			<-done
		},
	} {
		p := Pool{MaxIdle: many, Policy: Drop}
		for range rounds {
			var arenas []*Arena
			for range many {
				run(func() { arenas = append(arenas, p.Get()) })
			}
			for _, a := range arenas {
				run(func() { p.Put(a) })
			}
		}
		if st := p.Stats(); st.Made != many || st.Idle != many {
			t.Errorf("%s with %d arenas in use at a time: %+v", name, many, st)
		}
	}
}

// A large pool is filled up to its bound, which holds.
func TestLargePool(t *testing.T) {
	p := Pool{MaxIdle: 3 * mostSlots, Policy: Drop} // as above
	var arenas []*Arena
	for range 2 * p.MaxIdle {
		arenas = append(arenas, p.Get())
	}
	for _, a := range arenas {
		p.Put(a)
	}
	if idle := p.Stats().Idle; idle != p.MaxIdle {
		t.Errorf("%d arenas idle, with MaxIdle %d", idle, p.MaxIdle)
	}
	seen := map[*Arena]bool{}
	for range p.MaxIdle {
		a := p.Get()
		if seen[a] {
			t.Fatal("one arena was handed out twice")
		}
		seen[a] = true
	}
	for range 2 { // what Release lets go of leaves its room to others
		for range p.MaxIdle {
			p.Put(&Arena{Policy: Drop})
		}
		if idle := p.Stats().Idle; idle != p.MaxIdle {
			t.Errorf("%d arenas idle after a Release, with MaxIdle %d", idle, p.MaxIdle)
		}
		if p.Release(); p.Stats().Idle != 0 {
			t.Errorf("after Release: %+v", p.Stats())
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

// Arenas that find no slot free are in no two hands at a time either, also while the pool lets go of some.
func TestSparesConcurrently(t *testing.T) {
	const workers, each, rounds = 8, 20, 300
	p := Pool{MaxIdle: workers * each, Policy: Drop}
	p.begin.Do(p.start)
	done := make(chan bool)
	for w := range workers {
		go func() {
			var arenas [each]*Arena
			for range rounds {
				for i := range arenas {
					arenas[i] = p.Get()
					*New[int](arenas[i]) = w
				}
				for _, a := range arenas {
					if a.Len() != 1 {
						t.Errorf("%d values in an arena with one", a.Len())
					}
					p.Put(a)
				}
			}
			done <- true
		}()
	}
	for finished := 0; finished < workers; {
		select {
		case <-done:
			finished++
		default:
			p.dropUnused()
			if p.Stats(); finished%2 == 1 {
				p.Release()
			}
			runtime.Gosched()
		}
	}
	listed := 0
	for s := p.newest.Load(); s != nil; s = s.next.Load() {
		if s.arena.Load() != nil {
			listed++
		}
	}
	if spares := int(p.spares.Load()); spares != listed || spares > workers*each {
		t.Errorf("%d spares are counted, %d are in the list", spares, listed)
	}
	if st := p.Stats(); st.Idle > p.MaxIdle {
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
