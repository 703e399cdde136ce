// SPDX-License-Identifier: MIT

package main

import (
	"sync"

	toft "github.com/toft-memory/toft/go"
)

// Requests build the objects of an order, of five types linked by pointers and slices, price it,
// and forget it: 131 objects each, or 7 in a small one. Meanwhile the program holds what a server
// holds, here the customers of 100,000 sessions, 8 MiB, which each collection has to mark.

var sessions = sync.OnceValue(func() (held []*customer) {
	for i := range uint64(100_000) {
		held = append(held, &customer{name: "Ada", credit: i})
	}
	return held
})

type order struct {
	customer *customer
	lines    []*line
	total    uint64
}

type customer struct {
	name    string
	address [3]string
	credit  uint64
}

type line struct {
	product  string
	count    uint64
	price    uint64
	discount *discount
	options  []option
}

type discount struct {
	percent uint64
	reason  string
	next    *discount
}

type option struct {
	name  string
	price uint64
}

const (
	linesPerOrder = 32
	linesOfSmall  = 1
)

func (o *order) priced() uint64 {
	for _, l := range o.lines {
		price := l.price
		for _, p := range l.options {
			price += p.price
		}
		for d := l.discount; d != nil; d = d.next {
			price = price * (100 - d.percent) / 100
		}
		o.total += price * l.count
	}
	return o.total + o.customer.credit
}

func requestsNaive(rounds int) uint64 { return ordersNaive(rounds, linesPerOrder) }
func requestsArena(rounds int) uint64 { return ordersArena(rounds, linesPerOrder) }
func smallNaive(rounds int) uint64    { return ordersNaive(rounds, linesOfSmall) }
func smallArena(rounds int) uint64    { return ordersArena(rounds, linesOfSmall) }

func ordersNaive(rounds, lines int) (sum uint64) {
	held := sessions()
	for i := range uint64(rounds) {
		sum += orderNaive(i, lines).priced() + held[i%uint64(len(held))].credit
	}
	return sum
}

func orderNaive(i uint64, lines int) *order {
	o := &order{customer: &customer{name: "Ada", credit: i}}
	o.lines = make([]*line, 0, lines)
	for j := range uint64(lines) {
		l := &line{product: "rope", count: j, price: 100 + i%7}
		l.discount = &discount{percent: j % 5, reason: "regular"}
		l.discount = &discount{percent: i % 3, reason: "season", next: l.discount}
		l.options = make([]option, 2)
		l.options[0] = option{"colour", 5}
		l.options[1] = option{"length", j}
		o.lines = append(o.lines, l)
	}
	return o
}

var requestPool toft.Pool

func ordersArena(rounds, lines int) (sum uint64) {
	held := sessions()
	for i := range uint64(rounds) {
		a := requestPool.Get()
		sum += orderArena(a, i, lines).priced() + held[i%uint64(len(held))].credit
		requestPool.Put(a)
	}
	return sum
}

func orderArena(a *toft.Arena, i uint64, lines int) *order {
	o := toft.New[order](a)
	o.customer = toft.New[customer](a)
	o.customer.name, o.customer.credit = "Ada", i
	o.lines = toft.Make[*line](a, 0, lines)
	for j := range uint64(lines) {
		l := toft.New[line](a)
		l.product, l.count, l.price = "rope", j, 100+i%7
		regular := toft.New[discount](a)
		regular.percent, regular.reason = j%5, "regular"
		l.discount = toft.New[discount](a)
		l.discount.percent, l.discount.reason, l.discount.next = i%3, "season", regular
		l.options = toft.Make[option](a, 2, 2)
		l.options[0] = option{"colour", 5}
		l.options[1] = option{"length", j}
		o.lines = append(o.lines, l)
	}
	return o
}
