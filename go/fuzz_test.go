// SPDX-License-Identifier: MIT

package toft

import (
	"bytes"
	"fmt"
	"testing"
)

// A shadow keeps beside an arena what each value must hold, and checks all of it now and then.
type shadow struct {
	t      *testing.T
	arena  Arena
	ints   []*int
	wants  []int
	nodes  []*pair
	lists  [][]byte
	copies [][]byte // what lists must hold
	texts  []string
	saved  []savedShadow
}

// A savedShadow is how much there was at a mark; the texts stay.
type savedShadow struct {
	mark               Mark
	ints, nodes, lists int
}

func (s *shadow) step(op, arg byte) {
	n := len(s.wants)
	switch op % 10 {
	case 0, 1:
		p := New[int](&s.arena)
		if *p != 0 {
			s.t.Fatalf("New gave %d", *p)
		}
		*p = n
		s.ints, s.wants = append(s.ints, p), append(s.wants, n)
	case 2:
		p := New[pair](&s.arena)
		if p.left != nil || p.right != nil {
			s.t.Fatal("New gave a used pair")
		}
		p.left, p.right = p, &pair{}
		s.nodes = append(s.nodes, p)
	case 3:
		size := int(arg) * int(arg) // up to 65025, above bigBytes too
		m := Make[byte](&s.arena, size/2, size)
		for _, b := range m[:size] {
			if b != 0 {
				s.t.Fatal("Make gave used bytes")
			}
		}
		s.add(m, make([]byte, size/2))
	case 4: // grow one
		if len(s.lists) > 0 && len(s.saved) == 0 {
			i := int(arg) % len(s.lists)
			s.lists[i] = Append(&s.arena, s.lists[i], bytes.Repeat([]byte{arg}, int(arg))...)
			s.copies[i] = append(s.copies[i], bytes.Repeat([]byte{arg}, int(arg))...)
		}
	case 5: // clone one and write to it
		if len(s.lists) > 0 {
			i := int(arg) % len(s.lists)
			c := Clone(&s.arena, s.lists[i])
			for j := range c {
				c[j] ^= arg
			}
			s.add(c, bytes.Clone(c))
		}
	case 6:
		s.texts = append(s.texts, Sprintf(&s.arena, "%d", len(s.texts)))
	case 7:
		m := s.arena.Save()
		s.saved = append(s.saved, savedShadow{m, len(s.ints), len(s.nodes), len(s.lists)})
	case 8:
		if len(s.saved) > 0 {
			i := int(arg) % len(s.saved)
			s.forget(s.saved[i]) // before, or the checking build would take it for an escape
			s.arena.Rewind(s.saved[i].mark)
			s.saved = s.saved[:i]
		}
	case 9:
		switch arg % 16 {
		case 0:
			s.forget(savedShadow{})
			s.saved = nil
			s.arena.Reset()
		case 1:
			s.forget(savedShadow{})
			s.saved = nil
			s.arena.Release()
		case 2:
			s.arena.Policy = 1 - s.arena.Policy
		default:
			s.check()
		}
	}
}

func (s *shadow) add(list, want []byte) {
	s.lists, s.copies = append(s.lists, list), append(s.copies, want)
}

func (s *shadow) forget(to savedShadow) {
	clear(s.ints[to.ints:])
	clear(s.nodes[to.nodes:])
	clear(s.lists[to.lists:])
	s.ints, s.wants, s.nodes = s.ints[:to.ints], s.wants[:to.ints], s.nodes[:to.nodes]
	s.lists, s.copies = s.lists[:to.lists], s.copies[:to.lists]
}

func (s *shadow) check() {
	for i, p := range s.ints {
		if *p != s.wants[i] {
			s.t.Fatalf("int %d is %d, want %d", i, *p, s.wants[i])
		}
	}
	for i, p := range s.nodes {
		if p.left != p || p.right == nil {
			s.t.Fatalf("pair %d is %v", i, *p)
		}
	}
	for i := range s.lists {
		if !bytes.Equal(s.lists[i], s.copies[i]) {
			s.t.Fatalf("list %d of %d bytes differs", i, len(s.copies[i]))
		}
	}
	for i, text := range s.texts {
		if text != fmt.Sprint(i) {
			s.t.Fatalf("text %d is %q", i, text)
		}
	}
	want := s.arena.Stats().HeldBytes + s.arena.Strings().Stats().HeldBytes
	if s.arena.held != want {
		s.t.Fatalf("%d bytes counted, %d held", s.arena.held, want)
	}
	if got := SlabOf[int](&s.arena).Len(); got != len(s.ints) {
		s.t.Fatalf("Len is %d, want %d", got, len(s.ints))
	}
}

func FuzzArena(f *testing.F) {
	f.Add([]byte{0, 0, 7, 0, 0, 0, 2, 0, 8, 0, 0, 0, 9, 3, 9, 0, 0, 0, 9, 3})
	f.Add([]byte{3, 255, 3, 140, 4, 1, 4, 0, 5, 1, 7, 0, 3, 200, 8, 0, 9, 3, 9, 1, 3, 255, 9, 3})
	f.Add([]byte{9, 2, 0, 0, 7, 0, 0, 0, 3, 250, 8, 0, 0, 0, 9, 0, 6, 0, 9, 2, 0, 0, 9, 0, 9, 3})
	f.Add(bytes.Repeat([]byte{0, 0, 2, 0, 3, 20, 4, 3, 7, 0, 0, 0, 3, 99, 8, 0, 6, 0}, 25))
	f.Fuzz(func(t *testing.T, ops []byte) {
		if len(ops) > 500 {
			return
		}
		s := shadow{t: t}
		for i := 0; i+1 < len(ops); i += 2 {
			s.step(ops[i], ops[i+1])
		}
		s.check()
	})
}

func FuzzIndex(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 200, 255, 254, 0})
	f.Fuzz(func(t *testing.T, ops []byte) {
		var x Index[int]
		var live, stale []Ref[int]
		for _, op := range ops {
			switch {
			case op == 255:
				x.Release()
				live, stale = nil, append(stale, live...)
			case op >= 252:
				x.Policy = Policy(op % 2)
				x.Reset()
				live, stale = nil, append(stale, live...)
			default:
				for range int(op) + 1 {
					r := x.New()
					if *x.At(r) != 0 {
						t.Fatal("New gave a used value")
					}
					*x.At(r) = len(live) + 1
					live = append(live, r)
				}
			}
			if x.Len() != len(live) {
				t.Fatalf("Len is %d, want %d", x.Len(), len(live))
			}
		}
		for i, r := range live {
			if *x.At(r) != i+1 {
				t.Fatalf("value %d is %d", i, *x.At(r))
			}
		}
		for _, r := range stale {
			if x.Has(r) {
				t.Fatal("a reference survived")
			}
		}
	})
}

func FuzzStrings(f *testing.F) {
	f.Add([]byte("some words and some more, reset\x00and again\x00\x00some"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var s Strings
		var kept, want []string
		for line := range bytes.SplitSeq(text, []byte{0}) {
			for word := range bytes.SplitSeq(line, []byte(" ")) {
				plain := string(word)
				kept = append(kept, s.Intern(word), s.Copy(word))
				kept = append(kept, s.Concat(plain, "!"), s.Sprintf("%s|", word))
				want = append(want, plain, plain, plain+"!", plain+"|")
				clear(word) // what is handed in may change
			}
			s.Reset()
		}
		for i := range kept {
			if kept[i] != want[i] {
				t.Fatalf("string %d is %q, want %q", i, kept[i], want[i])
			}
		}
	})
}
