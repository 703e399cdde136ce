/* SPDX-License-Identifier: MIT */
/* What Toft needs of an operating system: pages, locks, a clock, and to be called at forks, at the
 * end of threads and at the end of the process.
 *
 * One file per system implements all of it, and is empty for other systems, so that all of them can
 * be given to the compiler everywhere. The compiler checks the file against this header, the linker
 * that nothing is missing, and tests/unit/os.cpp that it does what is said here. fake/fake.c wraps
 * it for tests, and fails on demand. docs/porting.md walks through a port.
 *
 * Every function may be called by any thread at any time, unless it says otherwise. None may
 * allocate by malloc, which may be Toft itself. */
#ifndef TOFT_OS_OS_H
#define TOFT_OS_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"

/* The size of a huge page, where the system has them: the unit in which mapping large memory is
   cheap. Where it has none, or others, this is only an alignment. */
#define TOFT_HUGE_PAGE_BYTES ((size_t)2 << 20)

/* The system's page size, a power of two. Constant time. */
size_t toft_os_page_bytes(void);

/* No mapping can be longer, whatever the process gives back before. Takes a system call. A system
   that can't tell returns SIZE_MAX. */
size_t toft_os_mapping_max_bytes(void);

/* Zeroed, private memory: bytes is a multiple of the page, alignment is any power of two. Physical
   memory is spent at first touch. Memory aligned to TOFT_HUGE_PAGE_BYTES is backed by huge pages
   where the system allows it, and by ordinary ones where it doesn't. NULL when there is no
   memory. */
void *toft_os_map(size_t bytes, size_t alignment);

/* The same in ordinary pages, whatever the alignment: for memory of which part may stay unused. */
void *toft_os_map_ordinary(size_t bytes, size_t alignment);

/* Backs what lies in whole huge pages of the memory by them at its first touch, where the system
   allows it. A system that can't may do nothing, here and in the two below. */
void toft_os_prefer_huge(void *memory, size_t bytes);
/* The reverse: the system leaves its pages as they are. */
void toft_os_prefer_ordinary(void *memory, size_t bytes);

/* The first touch of the huge page that begins here, if it is one: where the processor likes it
   best, its first byte or its last. What is no huge page loses nothing but a page that is touched
   early. */
void toft_os_touch_huge_page(void *memory);

/* Spends the physical memory of whole pages now: one call costs less than a page fault for each.
   Contents stay as they are. A system that can't may do nothing. */
void toft_os_populate(void *memory, size_t bytes);

/* Looks at so many pages of the memory, which lie all over it, and says how many have physical
   memory, as all of a huge page has when some of it was touched. 0: the system can't tell;
   an emulator may say all. The others are then backed by the page of zeros that all processes
   share, and count when they are looked at again. */
unsigned toft_os_resident_pages(void *memory, size_t bytes, unsigned looked_at);

/* Gives a whole mapping back: memory and bytes are those of one toft_os_map. It can't fail: where
   the system refuses, the physical memory goes back, and the addresses stay in use. */
void toft_os_unmap(void *memory, size_t bytes);

/* Gives a whole mapping another length, and moves it where its addresses don't suffice; bytes and
   new_bytes are multiples of the page. The contents stay, and the new bytes are zero. Returns where
   it is now; NULL where it can't be done, and nothing has changed. A system that can't at all
   returns NULL always. */
void *toft_os_remap(void *memory, size_t bytes, size_t new_bytes);

/* Keeps the addresses and gives the physical memory of whole pages back; the bytes read as zero
   afterwards. A system that can't do it at once may do nothing: Toft doesn't rely on the zeros. */
void toft_os_discard(void *memory, size_t bytes);

/* The same for a range that may begin and end within pages, which may be larger than what it is
   made of: a page that lies partly outside stays. */
static inline void toft_os_discard_within(void *memory, size_t bytes) {
    size_t page_bytes = toft_os_page_bytes();
    uintptr_t from = toft_align_up((uintptr_t)memory, page_bytes);
    uintptr_t to = ((uintptr_t)memory + bytes) & ~(uintptr_t)(page_bytes - 1);
    if (from < to) toft_os_discard((void *)from, to - from);
}

/* A lock that isn't recursive. All bytes zero is an unlocked one: there is no call that initialises
   or destroys it, since the library's locks are global variables and lie in zeroed memory. A system
   whose own mutex isn't ready when it is zero uses another lock here, such as macOS's
   os_unfair_lock or Windows's SRWLOCK. It must be possible to unlock it in the child of a fork,
   when the parent's thread locked it. */
typedef struct toft_os_mutex {
    void *storage[8]; /* room for the system's own; checked by an assertion in its file */
} toft_os_mutex;
void toft_os_lock(toft_os_mutex *mutex);
void toft_os_unlock(toft_os_mutex *mutex);

/* A number that no other running thread of the process has, and never 0. In the child of a fork,
   the thread that forked keeps its number. Costs no system call. */
uintptr_t toft_os_thread_id(void);

/* Milliseconds since some moment in the past; it never goes back. A call takes some nanoseconds,
   and the answer may be some milliseconds old. */
uint64_t toft_os_milliseconds(void);

/* How many processors may run the process's threads: at least 1. */
unsigned toft_os_processors(void);

/* Lets other threads run: for the wait for one, which has looked so many times in vain. After many
   it sleeps, so that a thread of lower priority runs too. */
void toft_os_yield(unsigned looks);

/* Every running thread of the process executes a full memory barrier between the call and the
   return. False where the system has no such call: no thread has then executed anything. */
bool toft_os_barrier_in_all_threads(void);

/* A value per thread. Where it isn't NULL at the thread's exit, at_thread_exit(value) is called by
   that thread, once for each time that the value was set, before the thread's memory goes. It may
   set the value again. False where the system has no key left, or no memory for the value. A key
   must be deleted before the code of at_thread_exit is unloaded; from then on it isn't called.
   The type is a number that holds the system's own key, whatever its type is: pthread_key_t is
   unsigned on Linux and unsigned long on macOS, and Windows's FlsAlloc returns a DWORD. */
typedef uintptr_t toft_os_key;
bool toft_os_key_create(toft_os_key *key, void (*at_thread_exit)(void *value));
void toft_os_key_delete(toft_os_key key);
bool toft_os_key_set(toft_os_key key, void *value);

/* Has `before` called before each fork, by the thread that forks, and after it in_parent or
   in_child. False where the system can't. A system without forks returns true and never calls. */
bool toft_os_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void));

/* True where the process surely has the calling thread alone. Safe in a signal's handler. */
bool toft_os_is_single_threaded(void);

/* Has function called when the process exits, before any destructor of a loaded library runs; or,
   where the code that calls this is unloaded earlier, then, after that code's destructors. */
bool toft_os_at_exit(void (*function)(void));

#endif
