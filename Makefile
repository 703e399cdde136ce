# SPDX-License-Identifier: MIT
# The two commands of the README, and what is seldom needed. CMake does the building: see CMakePresets.json.
.DEFAULT_GOAL := help
.PHONY: help toft bench bench-full bench-peers bench-mallocs bench-adapters test test-go-matrix test-long test-foreign fuzz install format clean
toft := build/release/bin/toft
# The report, where node was there to build it.
html = $(if $(wildcard build/release/lab/report/index.html),--html report.html)

help:
	@echo "make bench        measure Toft beside the allocators of this machine, in about 5 minutes;"
	@echo "                  tables here, every figure in results.json, and report.html to look at"
	@echo "make toft         the command alone: build/release/bin/toft"
	@echo "make test         build and run all the tests, plain and under the sanitizers"
	@echo "make bench-full   the same measurements at full size, with more repetitions"
	@echo "make bench-peers  as bench-full, beside other arenas too (LLVM's, APR's, bumpalo, ...) and"
	@echo "                  the newest mallocs (mimalloc 3, snmalloc, rpmalloc, jemalloc)"
	@echo "make bench-mallocs  real programs (lua, python, git, ...) under libtoft-malloc and other mallocs"
	@echo "make bench-adapters  what libraries (libxml2, SQLite, ...) gain by the hooks of docs/adopting.md"
	@echo "make test-long    longer property tests, the lab's reading under sanitizers, and Valgrind over two"
	@echo "make test-foreign other projects' tests of containers, with Toft's allocators"
	@echo "make test-go-matrix  the Go tests on every Go from 1.24 on, in half an hour"
	@echo "make fuzz         an hour of fuzzing; needs clang"
	@echo "make install      into /usr/local, or PREFIX"

bench: $(toft)
	$(toft) bench --json results.json $(html)
	@echo "$(if $(html),report.html is the same to look at,no report.html: it needs node 18 or newer and npm)"

bench-full: $(toft)
	$(toft) bench --full --json results.json $(html)

bench-peers:
	@scripts/setup peers
	@scripts/setup-go >/dev/null && scripts/setup-go-peers || true # it has said why; the rows are then left out by name
	@$(MAKE) --no-print-directory $(toft)
	$(toft) bench --full $$(scripts/peer-mallocs) --json results.json $(html)

bench-mallocs:
	@scripts/setup peers
	@$(MAKE) --no-print-directory $(toft)
	scripts/bench-mallocs $$(scripts/peer-mallocs)

bench-adapters:
	@scripts/setup test
	@scripts/setup peers
	cmake --preset release -DTOFT_TESTS=ON -DTOFT_LAB=OFF
	cmake --build --preset release --target toft_malloc adapters
	scripts/bench-adapters $$(scripts/peer-mallocs)

toft: $(toft)
	@echo "$(toft) and build/release/lib/libtoft-malloc.so are there"

$(toft): FORCE
	@scripts/setup bench
	@scripts/setup-go >/dev/null || true # it has said why; Go's rows are then left out by name
	@test -e $(toft) || echo "building toft and libtoft-malloc.so: some 5 minutes on 2 processors; see build/release.log"
	@scripts/build release -DTOFT_TESTS=OFF -DTOFT_LAB=ON

test:
	@scripts/setup test
	@scripts/setup-go >/dev/null || true # scripts/test-go says what is left out
	@scripts/setup-duckdb || true # the test that needs it is left out by name
	@scripts/test

test-go-matrix:
	@scripts/test-go --matrix

test-long:
	@scripts/setup test
	@scripts/setup-go >/dev/null || true
	@scripts/setup-duckdb || true
	@scripts/test --long

test-foreign:
	@scripts/setup foreign
	@scripts/test-foreign

fuzz:
	@scripts/setup test
	@scripts/fuzz

# The prefix may begin with ~, and have blanks.
install:
	scripts/build release -DTOFT_TESTS=OFF -DTOFT_LAB=OFF
	cmake --install build/release $(if $(PREFIX),--prefix "$(PREFIX:~/%=$(HOME)/%)")

format:
	git ls-files '*.[ch]' '*.[ch]pp' | xargs $(or $(shell command -v clang-format-19),clang-format) -i

clean:
	rm -rf build

FORCE:
