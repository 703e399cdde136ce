// SPDX-License-Identifier: MIT

// Service is examples/server under load: it answers requests over HTTP, each with a JSON document of
// some 60 kB, with the sum of the document's numbers. Clients and service share the process, and
// speak over the loopback device. See package program.
//
//	service [-rounds N] [-live MB] naive|arena
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"

	toft "github.com/toft-memory/toft/go"
	"github.com/toft-memory/toft/go/examples/server/sums"
	"github.com/toft-memory/toft/go/programs/internal/program"
)

const (
	orders  = 400
	clients = 4
)

func main() { program.Main(1200, prepare) }

func prepare(arguments []string) (func(rounds int) (string, error), error) {
	handler, ok := handlers[strings.Join(arguments, " ")]
	if !ok {
		return nil, errors.New("service: say naive or arena")
	}
	return func(rounds int) (string, error) { return serve(handler, rounds) }, nil
}

// handlers differ only in whether a request has an arena.
var handlers = map[string]http.Handler{
	"naive": http.HandlerFunc(sums.Sum),
	"arena": sums.Handler(new(toft.Pool)),
}

// document is what each request sends.
func document() string {
	var b strings.Builder
	b.WriteString(`{"orders": [`)
	for i := range orders {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, "\n"+`{"id": %d, "customer": "customer %d", "paid": %t, "lines": [`+
			`{"article": "nut", "count": %d, "price": 0.25}, {"article": "bolt", "count": %d, "price": 1.5}]}`,
			i, i*7919%1000, i%3 == 0, i%10, i%7)
	}
	b.WriteString("\n]}")
	return b.String()
}

// serve has clients side by side send so many requests, and returns what they are all answered.
func serve(handler http.Handler, rounds int) (answer string, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	server := &http.Server{Handler: handler}
	defer server.Close()
	go server.Serve(listener) // it ends with Close, which is the only error
	body := document()
	request := fmt.Sprintf("POST / HTTP/1.1\r\nHost: service\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	var running sync.WaitGroup
	answers, errs := make([]string, clients), make([]error, clients)
	for c := range clients {
		running.Add(1)
		go func() {
			defer running.Done()
			answers[c], errs[c] = ask(listener.Addr().String(), request, rounds/clients)
		}()
	}
	running.Wait()
	for _, other := range answers {
		if other != answers[0] {
			errs = append(errs, fmt.Errorf("two answers: %q and %q", answers[0], other))
		}
	}
	return answers[0], errors.Join(errs...)
}

// ask sends a request again and again over one connection.
func ask(address, request string, times int) (answer string, err error) {
	connection, err := net.Dial("tcp", address)
	if err != nil {
		return "", err
	}
	defer connection.Close()
	reader := bufio.NewReader(connection)
	for range times {
		if _, err := io.WriteString(connection, request); err != nil {
			return "", err
		}
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			return "", err
		}
		text, err := io.ReadAll(response.Body)
		if err != nil {
			return "", err
		}
		if response.StatusCode != http.StatusOK || answer != "" && answer != string(text) {
			return "", fmt.Errorf("%s: %q", response.Status, text)
		}
		answer = string(text)
	}
	return answer, nil
}
