/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "os/fake/fake.h"

#include <stdatomic.h>
#include <sys/mman.h>

/* The real system's file, compiled with these names: see tests/CMakeLists.txt. */
size_t toft_real_page_bytes(void);
size_t toft_real_mapping_max_bytes(void);
void *toft_real_map(size_t bytes, size_t alignment);
void *toft_real_map_ordinary(size_t bytes, size_t alignment);
void toft_real_prefer_huge(void *memory, size_t bytes);
void toft_real_prefer_ordinary(void *memory, size_t bytes);
void toft_real_touch_huge_page(void *memory);
void toft_real_populate(void *memory, size_t bytes);
unsigned toft_real_resident_pages(void *memory, size_t bytes, unsigned looked_at);
void toft_real_unmap(void *memory, size_t bytes);
void *toft_real_remap(void *memory, size_t bytes, size_t new_bytes);
void toft_real_discard(void *memory, size_t bytes);
void toft_real_lock(toft_os_mutex *mutex);
void toft_real_unlock(toft_os_mutex *mutex);
bool toft_real_key_create(toft_os_key *key, void (*at_thread_exit)(void *value));
void toft_real_key_delete(toft_os_key key);
bool toft_real_key_set(toft_os_key key, void *value);
bool toft_real_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void));
bool toft_real_at_exit(void (*function)(void));
uintptr_t toft_real_thread_id(void);
unsigned toft_real_processors(void);
void toft_real_yield(unsigned looks);
bool toft_real_barrier_in_all_threads(void);

static atomic_size_t calls, live_mappings, live_bytes, live_keys, populations;
static atomic_size_t failing_call; /* 0 for none */
static atomic_bool from_then_on;
static atomic_size_t advanced_ms;
static atomic_uint processors;
static atomic_bool refuses_discards;
static atomic_bool gives_huge_pages;
static atomic_size_t page_bytes; /* 0: the real ones */
static _Atomic(void *) next_remap_to;
static _Atomic(toft_fake_lock_watcher *) locked_watcher, unlocks_watcher;
static _Atomic(toft_fake_return_watcher *) return_watcher;

toft_fake_counts toft_fake_get_counts(void) {
    return (toft_fake_counts){calls, live_mappings, live_bytes, live_keys, populations};
}

void toft_fake_fail(size_t nth, bool on) {
    from_then_on = on;
    failing_call = calls + nth;
}

void toft_fake_work(void) { failing_call = 0; }

void toft_fake_advance(int milliseconds) { advanced_ms += (size_t)milliseconds; }

void toft_fake_watch_locks(toft_fake_lock_watcher *locked, toft_fake_lock_watcher *unlocks) {
    locked_watcher = locked;
    unlocks_watcher = unlocks;
}

void toft_fake_watch_returns(toft_fake_return_watcher *returns) { return_watcher = returns; }

static void show_return(size_t bytes) {
    toft_fake_return_watcher *watcher = return_watcher;
    if (watcher != NULL) watcher(bytes);
}

void toft_fake_refuse_discards(bool refuse) { refuses_discards = refuse; }

void toft_fake_give_huge_pages(bool give) { gives_huge_pages = give; }

void toft_fake_set_page_bytes(size_t bytes) { page_bytes = bytes; }

void toft_fake_set_processors(unsigned count) { processors = count; }

/* To be asked once in each call that can fail. */
static bool fails(void) {
    size_t call = ++calls, failing = failing_call;
    return failing != 0 && (call == failing || (from_then_on && call > failing));
}

static void *counted(void *memory, size_t bytes) {
    if (memory == NULL) return NULL;
    live_mappings++;
    live_bytes += bytes;
    return memory;
}

void *toft_os_map(size_t bytes, size_t alignment) {
    size_t wanted = alignment;
    if (gives_huge_pages && bytes >= TOFT_HUGE_PAGE_BYTES && alignment < TOFT_HUGE_PAGE_BYTES)
        wanted = TOFT_HUGE_PAGE_BYTES; /* real_map prefers them there */
    return counted(fails() ? NULL : toft_real_map(bytes, wanted), bytes);
}

void *toft_os_map_ordinary(size_t bytes, size_t alignment) {
    return counted(fails() ? NULL : toft_real_map_ordinary(bytes, alignment), bytes);
}

void toft_os_unmap(void *memory, size_t bytes) {
    show_return(bytes);
    toft_real_unmap(memory, bytes);
    live_mappings--;
    live_bytes -= bytes;
}

void toft_fake_move_next_remap(void *to) { next_remap_to = to; }

static void *remap(void *memory, size_t bytes, size_t new_bytes) {
    void *to = atomic_exchange(&next_remap_to, NULL);
    if (to == NULL) return toft_real_remap(memory, bytes, new_bytes);
    void *moved = mremap(memory, bytes, new_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to);
    return moved == MAP_FAILED ? NULL : moved;
}

void *toft_os_remap(void *memory, size_t bytes, size_t new_bytes) {
    void *moved = fails() ? NULL : remap(memory, bytes, new_bytes);
    if (moved != NULL) live_bytes += new_bytes - bytes;
    return moved;
}

bool toft_os_key_create(toft_os_key *key, void (*at_thread_exit)(void *value)) {
    if (fails() || !toft_real_key_create(key, at_thread_exit)) return false;
    live_keys++;
    return true;
}

void toft_os_key_delete(toft_os_key key) {
    toft_real_key_delete(key);
    live_keys--;
}

bool toft_os_key_set(toft_os_key key, void *value) {
    return !fails() && toft_real_key_set(key, value);
}

bool toft_os_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void)) {
    return !fails() && toft_real_at_fork(before, in_parent, in_child);
}

bool toft_os_at_exit(void (*function)(void)) { return !fails() && toft_real_at_exit(function); }

bool toft_os_barrier_in_all_threads(void) { return !fails() && toft_real_barrier_in_all_threads(); }

size_t toft_os_page_bytes(void) { return page_bytes != 0 ? page_bytes : toft_real_page_bytes(); }
size_t toft_os_mapping_max_bytes(void) { return toft_real_mapping_max_bytes(); }
/* As Linux does it: nothing where no page starts, and whole pages. */
void toft_os_discard(void *memory, size_t bytes) {
    show_return(bytes);
    size_t page = toft_os_page_bytes();
    if (refuses_discards || (uintptr_t)memory % page != 0) return;
    toft_real_discard(memory, (bytes + page - 1) / page * page);
}
void toft_os_prefer_huge(void *memory, size_t bytes) { toft_real_prefer_huge(memory, bytes); }
void toft_os_prefer_ordinary(void *memory, size_t bytes) {
    toft_real_prefer_ordinary(memory, bytes);
}

void toft_os_touch_huge_page(void *memory) { toft_real_touch_huge_page(memory); }

void toft_os_populate(void *memory, size_t bytes) {
    populations++;
    toft_real_populate(memory, bytes);
}
unsigned toft_os_resident_pages(void *memory, size_t bytes, unsigned looked_at) {
    return toft_real_resident_pages(memory, bytes, looked_at);
}
void toft_os_lock(toft_os_mutex *mutex) {
    toft_real_lock(mutex);
    toft_fake_lock_watcher *watcher = locked_watcher;
    if (watcher != NULL) watcher(mutex);
}
void toft_os_unlock(toft_os_mutex *mutex) {
    toft_fake_lock_watcher *watcher = unlocks_watcher;
    if (watcher != NULL) watcher(mutex);
    toft_real_unlock(mutex);
}
/* Time stands still but for the test, so that nothing depends on how fast the machine is. */
uint64_t toft_os_milliseconds(void) { return advanced_ms; }
uintptr_t toft_os_thread_id(void) { return toft_real_thread_id(); }
unsigned toft_os_processors(void) {
    unsigned count = processors;
    return count != 0 ? count : toft_real_processors();
}
void toft_os_yield(unsigned looks) { toft_real_yield(looks); }
