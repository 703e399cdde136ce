/* SPDX-License-Identifier: MIT */
/* A system for tests: the real one, counted, and failing on demand. Any thread, at any time. */
#ifndef TOFT_OS_FAKE_FAKE_H
#define TOFT_OS_FAKE_FAKE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "os/os.h"

typedef struct toft_fake_counts {
    size_t calls;         /* so far, of what can fail: map, remap, key_create, key_set,
                             at_fork, at_exit, barrier_in_all_threads */
    size_t live_mappings; /* mapped and not unmapped */
    size_t live_bytes;    /* in them */
    size_t live_keys;
    size_t populations; /* calls of toft_os_populate */
} toft_fake_counts;

toft_fake_counts toft_fake_get_counts(void);

/* The nth call from now on that can fail does, 1 being the next; and all after it, if asked. */
void toft_fake_fail(size_t nth, bool from_then_on);
void toft_fake_work(void);

/* The clock is so much later from now on. */
void toft_fake_advance(int milliseconds);

/* From now on each lock that was taken, and each that is about to be released, is shown; NULL ends
   it. */
typedef void toft_fake_lock_watcher(toft_os_mutex *lock);
void toft_fake_watch_locks(toft_fake_lock_watcher *locked, toft_fake_lock_watcher *unlocks);

/* From now on each request of so many bytes that gives memory back, all of it or its contents, is
   shown before; NULL ends it. */
typedef void toft_fake_return_watcher(size_t bytes);
void toft_fake_watch_returns(toft_fake_return_watcher *returns);

/* From now on the system gives no physical memory back, as it doesn't for locked pages; or does. */
void toft_fake_refuse_discards(bool refuse);

/* The next mapping that gets another length moves there, whatever is mapped there. */
void toft_fake_move_next_remap(void *to);

/* The system's pages have so many bytes from now on; 0 for those that they really have. Before
   anything is mapped. */
void toft_fake_set_page_bytes(size_t bytes);

/* From now on the system gives huge pages to all mappings that have room for one; or doesn't. */
void toft_fake_give_huge_pages(bool give);

/* The system has so many processors from now on; 0 for those that it really has. */
void toft_fake_set_processors(unsigned count);

#ifdef __cplusplus
}
#endif

#endif
