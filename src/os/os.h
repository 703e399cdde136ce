/* SPDX-License-Identifier: MIT */
/* What Toft needs of an operating system: pages, locks, and word of forks, of threads that end and
 * of the process's own end.
 *
 * One file per system implements all of it (linux.c); the compiler checks it against this header,
 * the linker that nothing is missing, and tests/unit/os.cpp what it does. fake/fake.c wraps it
 * for tests, and fails on demand. To port Toft, write a file of the system's name. */
#ifndef TOFT_OS_OS_H
#define TOFT_OS_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A huge page, where the system has them: the unit in which mapping large memory is cheap. */
#define TOFT_HUGE_PAGE_BYTES ((size_t)2 << 20)

/* The system's page size, a power of two. Constant time. */
size_t toft_os_page_bytes(void);

/* Zeroed, private memory: bytes is a multiple of the page, alignment a power of two, any. Physical
   memory is spent at first touch. Memory aligned to TOFT_HUGE_PAGE_BYTES is backed by huge pages
   where the system allows it, and by ordinary ones where it doesn't. NULL when there is none. */
void *toft_os_map(size_t bytes, size_t alignment);

/* The same in ordinary pages, whatever the alignment: for memory of which part may stay unused. */
void *toft_os_map_ordinary(size_t bytes, size_t alignment);

/* Backs what lies in whole huge pages of the memory by them at its first touch, where the system
   allows it. */
void toft_os_prefer_huge(void *memory, size_t bytes);

/* Gives a whole mapping back. */
void toft_os_unmap(void *memory, size_t bytes);

/* Makes a whole mapping longer, and moves it where its addresses don't suffice. The contents stay,
   and the new bytes are zero. Returns where it is now; NULL where it can't be done, and nothing has
   changed. */
void *toft_os_remap(void *memory, size_t bytes, size_t new_bytes);

/* Keeps the addresses, gives the physical memory back; the bytes read as zero afterwards. */
void toft_os_discard(void *memory, size_t bytes);

/* A mutual exclusion that needs no initialisation call and no destruction. It must not be locked
   twice by one thread. */
typedef struct toft_os_mutex {
    void *storage[8];
} toft_os_mutex;
void toft_os_lock(toft_os_mutex *mutex);
void toft_os_unlock(toft_os_mutex *mutex);

/* A number that no other running thread of the process has, never 0. In the child of a fork the
   thread that called it keeps its number. Costs no system call. */
uintptr_t toft_os_thread_id(void);

/* Milliseconds since some moment in the past; never goes back. Some nanoseconds; may lag behind by
   some milliseconds. */
uint64_t toft_os_milliseconds(void);

/* Lets other threads run. */
void toft_os_yield(void);

/* Every running thread of the process executes a full memory barrier between the call and the
   return. False where the system has no such call: no thread has then executed anything. */
bool toft_os_barrier_in_all_threads(void);

/* A value per thread. Where it isn't NULL at the thread's exit, at_thread_exit(value) is called,
   once for each time that the value was set. A key must be deleted before the code of
   at_thread_exit is unloaded. */
typedef unsigned toft_os_key;
bool toft_os_key_create(toft_os_key *key, void (*at_thread_exit)(void *value));
void toft_os_key_delete(toft_os_key key);
bool toft_os_key_set(toft_os_key key, void *value);

/* Has before called before each fork, and after it in_parent or in_child. */
bool toft_os_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void));

/* Has function called when the process exits, before any destructor of a loaded library runs; or,
   where the code that calls this is unloaded earlier, then, after that code's destructors. */
bool toft_os_at_exit(void (*function)(void));

#endif
