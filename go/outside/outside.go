// SPDX-License-Identifier: MIT

// Package outside uses toft as a program does that only imports it: from variables of its package,
// from goroutines, and with values that point everywhere.
package outside

import (
	"fmt"
	"sync"

	toft "github.com/toft-memory/toft/go"
)

// An Item is on the heap, in an arena, or both: its parts point from one to the other.
type Item struct {
	Name string
	Next *Item
	Tags []string
	On   *int
	By   map[string]*Item
}

// All kinds of allocators, outside the heap.
var (
	Slab    toft.Slab[Item]
	Arena   toft.Arena
	Index   toft.Index[Item]
	Strings toft.Strings
	Pool    toft.Pool
)

// List makes a list of items, from 0 on.
func List(a *toft.Arena, length int) (first *Item) {
	for i := length - 1; i >= 0; i-- {
		item := toft.New[Item](a)
		item.Name = toft.Sprintf(a, "item %d", i)
		item.Tags = toft.Append(a, item.Tags, "a", item.Name)
		item.On = new(int)
		*item.On = i
		item.By = map[string]*Item{"next": first}
		item.Next, first = first, item
	}
	return first
}

// Check tells what is wrong with a list that List made.
func Check(item *Item, length int) error {
	for i := range length {
		name := fmt.Sprintf("item %d", i)
		switch {
		case item == nil:
			return fmt.Errorf("the list ends after %d items", i)
		case item.Name != name || len(item.Tags) != 2 || item.Tags[1] != name:
			return fmt.Errorf("item %d is %q with %q", i, item.Name, item.Tags)
		case *item.On != i || item.By["next"] != item.Next:
			return fmt.Errorf("item %d points to others' memory", i)
		}
		item = item.Next
	}
	return nil
}

// Requests handles requests side by side, each in an arena of the pool.
func Requests(pool *toft.Pool, goroutines, rounds int) error {
	var running sync.WaitGroup
	errors := make([]error, goroutines)
	for g := range goroutines {
		running.Add(1)
		go func() {
			defer running.Done()
			for i := range rounds {
				a := pool.Get()
				if err := Check(List(a, 10+i), 10+i); err != nil {
					errors[g] = err
				}
				pool.Put(a)
			}
		}()
	}
	running.Wait()
	for _, err := range errors {
		if err != nil {
			return err
		}
	}
	return nil
}
