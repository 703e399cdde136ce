/* SPDX-License-Identifier: MIT */
/* A process is forked at the moment when another thread empties the recorder's tree of stacks: its
 * child finds what it adds. The moment is the system call that empties the table, so that one
 * thread is enough for both. */
#include "record/preload/modules.h"
#include "record/preload/output.h"
#include "record/preload/stack_tree.h"
#include "record/preload/unwind_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* What of the recorder isn't here. */
void write_block(enum toft_block_kind kind, uint32_t records, const struct part *parts,
                 size_t count) {
    (void)kind, (void)records, (void)parts, (void)count;
}
struct part compressed(const void *data, size_t bytes) { return (struct part){data, bytes}; }
void take_compressed(void) {}
struct place place_of(uintptr_t address) { return (struct place){0, address - address}; }
uintptr_t function_of(uintptr_t address) { return address; }

static struct tree_place place = {.address = 4096};
static bool forks;
static int status = -1;

static int go_on_in_child(void) {
    renew_stack_tree();
    const uint32_t node = add_node(place);
    return node == 1 && find_node(place) == node ? 0 : 1;
}

/* The C library's name, which stack_tree.c calls. */
int madvise(void *memory, size_t bytes, int advice) {
    const int result = (int)syscall(SYS_madvise, memory, bytes, advice);
    if (!forks) return result;
    forks = false;
    const pid_t child = fork();
    if (child == 0) _exit(go_on_in_child());
    waitpid(child, &status, 0);
    return result;
}

int main(void) {
    if (!prepare_stack_tree()) return 3;
    place.hash = hash_of_call(0, place.address);
    if (add_node(place) != 1 || find_node(place) != 1) return 2;
    forks = true;
    forget_nodes();
    return status == 0 ? 0 : 1;
}
