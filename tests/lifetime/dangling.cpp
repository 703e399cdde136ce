// SPDX-License-Identifier: MIT
// Clang knows that what an arena made dies with it: each line warns as it says.
#include <toft/toft.hpp>

struct node {
    int value = 0;
};

void temporaries() {
    // expected-warning@+1 {{temporary whose address is used as value of local variable}}
    node *made = toft::arena().make<node>();
    // expected-warning@+1 {{temporary whose address is used as value of local variable}}
    void *memory = toft::arena().allocate(8);
    // expected-warning@+1 {{temporary whose address is used as value of local variable}}
    void *tried = toft::arena().try_allocate(8);
    // expected-warning@+1 {{temporary whose address is used as value of local variable}}
    toft_arena *arena = toft::arena().c_arena();
    // expected-warning@+1 {{temporary whose address is used as value of local variable}}
    node *inside = toft::inline_arena<64>().make<node>();
    (void)made, (void)memory, (void)tried, (void)arena, (void)inside;
}

node *returned() {
    toft::arena arena;
    // expected-warning@+1 {{address of stack memory associated with local variable}}
    return arena.make<node>();
}

node *fine(toft::arena &arena) { return arena.make<node>(); }
