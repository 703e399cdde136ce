/* SPDX-License-Identifier: MIT */
/* Libraries go and come again, at other addresses: it is the same process that calls the region's
 * function there, and the same exits that can't be watched. */
#include "record/preload/unwind_table.h"
#include "verify/preload/nodes.h"
#include "verify/preload/plan_file.h"

#include <stdio.h>

enum { function_in_file = 0x100, call_in_file = 0x108, library_bytes = 0x1000 };

static struct toft_verify_plan all;
struct toft_verify_plan *plan = &all;
static uintptr_t library = 0x10000;
static unsigned unwatched = 2;

/* What of the verifier isn't here. */
bool find_planned_module(uintptr_t address, uint32_t *module, uint64_t *in_file) {
    *module = 0;
    *in_file = address - library;
    return *in_file < library_bytes;
}
void forget_planned_modules(void) {}
uintptr_t function_of(uintptr_t address) {
    return address - library < library_bytes ? library + function_in_file : 0;
}
unsigned watch_exits(uintptr_t function) { return function ? unwatched : 0; }

static void call_function(void) {
    if (add_node(place_below(0, library + call_in_file)) == 0) plan->processes = 99;
}

static bool has_counted(const char *when, uint64_t processes, uint64_t exits) {
    if (plan->processes == processes && plan->other_exits == exits) return true;
    printf("%s: %llu processes and %llu exits were counted, not %llu and %llu\n", when,
           (unsigned long long)plan->processes, (unsigned long long)plan->other_exits,
           (unsigned long long)processes, (unsigned long long)exits);
    return false;
}

int main(void) {
    all.part_count = 1;
    all.region_parts[0] = function_in_file;
    if (!prepare_nodes()) return 3;
    call_function();
    bool right = has_counted("at first", 1, 2);
    for (int times = 0; times < 3; ++times) {
        forget_nodes();
        library += library_bytes;
        call_function();
        right &= has_counted("when the library has come again", 1, 2);
    }
    forget_nodes();
    unwatched = 3; /* there is no more room to watch as many */
    call_function();
    right &= has_counted("when fewer exits can be watched", 1, 3);
    renew_nodes();
    call_function();
    right &= has_counted("in a forked child", 2, 3);
    return right ? 0 : 1;
}
