// SPDX-License-Identifier: MIT
// A suite in one file: a list of words is built, counted and dropped. Once with malloc, under each
// malloc that the machine has, and once in an arena.
#include "subject/registry.hpp"

#include <cstdlib>
#include <cstring>
#include <toft/arena.hpp>

namespace {

using namespace toft::lab;

struct word {
    word *next;
    char text[24];
};

word *push(word *list, void *place, std::uint64_t i) {
    auto *w = static_cast<word *>(place);
    w->next = list;
    std::memcpy(w->text, "word", 5);
    w->text[i % 4] = 'x';
    return w;
}

// Whoever reads what was built keeps the optimiser from removing it.
void check_list(session &run, const word *list) {
    std::uint64_t count = 0;
    for (const word *w = list; w; w = w->next) count += std::strlen(w->text) == 4 ? 1 : 0;
    run.check(count == run.size(), "words are missing");
}

constexpr unsigned rounds = 3; // the first finds cold memory

void on_malloc(session &run) {
    run.expect_heap_allocations(rounds * run.size());
    for (unsigned round = 1; round <= rounds; ++round) {
        word *list = nullptr;
        run.timed("build", round, allocations(run.size()), [&] {
            for (std::uint64_t i = 0; i != run.size(); ++i)
                list = push(list, std::malloc(sizeof(word)), i);
        });
        check_list(run, list);
        run.timed("drop", round, operations(run.size()), [&] {
            while (list) std::free(std::exchange(list, list->next));
        });
    }
}

void in_arena(session &run) {
    toft::arena arena;
    for (unsigned round = 1; round <= rounds; ++round) {
        word *list = nullptr;
        run.timed("build", round, allocations(run.size()), [&] {
            for (std::uint64_t i = 0; i != run.size(); ++i)
                list = push(list, arena.allocate(sizeof(word), alignof(word)), i);
        });
        check_list(run, list);
        run.timed("drop", round, operations(run.size()), [&] { arena.reset(); });
    }
}

const added_suite words([] {
    return suite{
        .name = "words",
        .summary = "build, count and drop a list of words",
        .size = {"words", 1'000, 100'000'000, 10'000'000, 1'000'000},
        .cases = {{"list", "a list of words"}},
        .subjects = {{.name = "malloc", .by_allocator = true, .run = on_malloc},
                     {.name = "toft::arena", .is_toft = true, .run = in_arena}},
    };
});

} // namespace
