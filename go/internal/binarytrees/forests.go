// SPDX-License-Identifier: MIT

package binarytrees

import (
	"sync"

	toft "github.com/toft-memory/toft/go"
)

// A Node of a tree linked by pointers.
type Node struct{ left, right *Node }

func walk(n *Node) int64 {
	if n.left == nil {
		return 1
	}
	return 1 + walk(n.left) + walk(n.right)
}

// naive is the program as anyone would write it.
type naive struct{ root *Node }

// NewNaive allocates each node with the built-in new.
func NewNaive() Forest { return &naive{} }

func (f *naive) Plant(depth int) { f.root = plantNaive(depth) }
func (f *naive) Walk() int64     { return walk(f.root) }
func (f *naive) Fell()           { f.root = nil }

func plantNaive(depth int) *Node {
	if depth == 0 {
		return &Node{}
	}
	return &Node{plantNaive(depth - 1), plantNaive(depth - 1)}
}

// buffered makes the exact number of nodes at once for each tree.
type buffered struct {
	root  *Node
	nodes []Node
}

// NewBuffered allocates one buffer for each tree.
func NewBuffered() Forest { return &buffered{} }

func (f *buffered) Plant(depth int) {
	f.nodes = make([]Node, 2<<depth-1)
	f.root = f.plant(depth)
}
func (f *buffered) Walk() int64 { return walk(f.root) }
func (f *buffered) Fell()       { *f = buffered{} }

func (f *buffered) plant(depth int) *Node {
	n := &f.nodes[0]
	f.nodes = f.nodes[1:]
	if depth > 0 {
		n.left = f.plant(depth - 1)
		n.right = f.plant(depth - 1)
	}
	return n
}

// pooled returns each node to a sync.Pool.
type pooled struct{ root *Node }

var nodePool = sync.Pool{New: func() any { return new(Node) }}

// NewPooled allocates each node from one sync.Pool and returns it there.
func NewPooled() Forest { return &pooled{} }

func (f *pooled) Plant(depth int) { f.root = plantPooled(depth) }
func (f *pooled) Walk() int64     { return walk(f.root) }
func (f *pooled) Fell()           { fellPooled(f.root); f.root = nil }

func plantPooled(depth int) *Node {
	n := nodePool.Get().(*Node)
	if depth > 0 {
		n.left = plantPooled(depth - 1)
		n.right = plantPooled(depth - 1)
	}
	return n
}

func fellPooled(n *Node) {
	if n.left != nil {
		fellPooled(n.left)
		fellPooled(n.right)
		*n = Node{}
	}
	nodePool.Put(n)
}

// slab resets one toft.Slab after each tree.
type slab struct {
	root  *Node
	nodes toft.Slab[Node]
}

// NewSlab allocates from a toft.Slab that is reset after each tree.
func NewSlab() Forest { return &slab{} }

// NewDrop is NewSlab with the policy toft.Drop.
func NewDrop() Forest { return &slab{nodes: toft.Slab[Node]{Policy: toft.Drop}} }

func (f *slab) Plant(depth int) { f.root = plantSlab(&f.nodes, depth) }
func (f *slab) Walk() int64     { return walk(f.root) }
func (f *slab) Fell()           { f.root = nil; f.nodes.Reset() }

func plantSlab(s *toft.Slab[Node], depth int) *Node {
	n := s.New()
	if depth > 0 {
		n.left = plantSlab(s, depth-1)
		n.right = plantSlab(s, depth-1)
	}
	return n
}

// arena resets one toft.Arena after each tree.
type arena struct {
	root  *Node
	nodes toft.Arena
}

// NewArena allocates from a toft.Arena, looking up the type for each node.
func NewArena() Forest { return &arena{} }

func (f *arena) Plant(depth int) { f.root = plantArena(&f.nodes, depth) }
func (f *arena) Walk() int64     { return walk(f.root) }
func (f *arena) Fell()           { f.root = nil; f.nodes.Reset() }

func plantArena(a *toft.Arena, depth int) *Node {
	n := toft.New[Node](a)
	if depth > 0 {
		n.left = plantArena(a, depth-1)
		n.right = plantArena(a, depth-1)
	}
	return n
}

// index links its nodes by generation-checked references.
type index struct {
	root  toft.Ref[refNode]
	nodes toft.Index[refNode]
}

type refNode struct{ left, right toft.Ref[refNode] }

// NewIndex allocates from a toft.Index that is reset after each tree.
func NewIndex() Forest { return &index{} }

func (f *index) Plant(depth int) { f.root = plantIndex(&f.nodes, depth) }
func (f *index) Walk() int64     { return walkIndex(&f.nodes, f.root) }
func (f *index) Fell()           { f.nodes.Reset() }

func plantIndex(x *toft.Index[refNode], depth int) toft.Ref[refNode] {
	r := x.New()
	if depth > 0 {
		left, right := plantIndex(x, depth-1), plantIndex(x, depth-1)
		*x.At(r) = refNode{left, right}
	}
	return r
}

func walkIndex(x *toft.Index[refNode], r toft.Ref[refNode]) int64 {
	n := x.At(r)
	if n.left.IsZero() {
		return 1
	}
	return 1 + walkIndex(x, n.left) + walkIndex(x, n.right)
}

// An Allocator is a way to allocate the trees, by name.
type Allocator struct {
	Name   string
	Alias  string // in the program that this one grew out of
	Forest func() Forest
	About  string
}

// Allocators are those of the binary-trees command, in the order of its help.
var Allocators = []Allocator{
	{"naive", "0", NewNaive, "each node by the built-in new"},
	{"buffered", "1", NewBuffered, "one buffer of the exact size for each tree"},
	{"pool", "", NewPooled, "each node from a sync.Pool and back"},
	{"slab", "", NewSlab, "toft.Slab, reset after each tree"},
	{"arena", "", NewArena, "toft.Arena by New[T](a), reset after each tree"},
	{"drop", "", NewDrop, "toft.Slab with the policy Drop"},
	{"index", "", NewIndex, "toft.Index, nodes linked by generation-checked references"},
}
