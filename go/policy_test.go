// SPDX-License-Identifier: MIT

package toft

import "testing"

// A slab of an arena can't be reset alone, and so can't be looked at alone for escapes.
func TestEscapesOfAnArenasSlab(t *testing.T) {
	var a Arena
	kept := New[pair](&a)
	m := a.Save()
	New[pair](&a)
	mustPanic(t, "call the Arena's Escapes", func() { SlabOf[pair](&a).Escapes() })
	a.Rewind(m)
	if a.Len() != 1 {
		t.Errorf("%d values", a.Len())
	}
	kept.left = kept
	kept = nil
	a.Reset()
	if a.Len() != 0 {
		t.Errorf("%d values after Reset", a.Len())
	}
}

// A Policy may change at any time. What was freed under Drop is never handed out, whatever the
// policy is by then, and what lives is left alone.
func TestPolicyChangesBetweenMarks(t *testing.T) {
	for _, between := range []int{0, 1, 50, 1000, 5000} {
		a := Arena{Policy: Drop}
		const alive = 10
		var lives []*[3]int
		for i := range alive {
			p := New[[3]int](&a)
			p[0] = i + 1
			lives = append(lives, p)
		}
		outer := a.Save()
		New[[3]int](&a)
		inner := a.Save()
		var dropped []*[3]int
		for i := range between {
			p := New[[3]int](&a)
			p[0] = -i
			dropped = append(dropped, p)
		}
		a.Rewind(inner)
		a.Policy = Reuse
		for round := range 3 {
			for range 40 {
				if p := New[[3]int](&a); p[0] != 0 {
					t.Fatalf("%d between: New gave %v", between, *p)
				} else {
					p[0] = 1 << 20
				}
			}
			if round == 0 {
				a.Rewind(outer)
			} else if round == 1 {
				outer = a.Save()
				New[[3]int](&a)[0] = 7
				a.Rewind(outer)
				outer = a.Save()
			}
			for i, p := range lives {
				if p[0] != i+1 {
					t.Fatalf("%d between: the living value %d became %v", between, i, *p)
				}
			}
		}
		if !checking {
			clear(lives)
			a.Reset()
			for range 6000 {
				New[[3]int](&a)[0] = 1 << 20
			}
			for i, p := range dropped {
				if p[0] != -i {
					t.Fatalf("%d between: what was dropped became %v", between, *p)
				}
			}
		}
	}
}
