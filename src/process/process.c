/* SPDX-License-Identifier: MIT */
#include "process/process.h"

#include "base/check.h"
#include "base/decay.h"

static const toft_listener *listeners[toft_room_count];

uintptr_t toft_forking_thread;

/* --- unloading --- */

/* A loaded library's destructors run before what it registered for the exit when it is unloaded,
   and after that when the process exits: so the two are told apart. Where this code is part of the
   program, it is never unloaded. */
static enum { running, unloading, exiting } stage;

static void stop_noticing_ends(void);

static void unload(void) {
    stop_noticing_ends();
    for (unsigned room = toft_room_count; room-- > 0;)
        if (listeners[room] != NULL) listeners[room]->unload();
}

static void at_exit_or_unload(void) {
    if (stage == unloading) unload();
    stage = exiting;
}

#if defined(__GNUC__) || defined(__clang__)
__attribute__((destructor)) static void at_destruction(void) {
    if (stage == running) stage = unloading;
}
#endif

/* The drop-in is part of the program, though a library: it is loaded before the program starts, so
   that at the exit its destructors come first. */
static bool may_be_unloaded(void) {
#if defined(TOFT_DROPIN)
    return false;
#else
    return true;
#endif
}

static void expect_exit(void) {
    if (!may_be_unloaded() || !toft_os_at_exit(at_exit_or_unload)) stage = exiting;
}

/* Called when the first thread uses the library, although the load has done the same. What is
   registered before the program starts, as by a library that the program is linked to, comes after
   the destructors at the exit too: it would take that for an unloading, while threads still run. */
static void expect_exit_in_use(void) {
    static bool expected;
    if (!__atomic_exchange_n(&expected, true, __ATOMIC_RELAXED)) expect_exit();
}

/* --- threads --- */

/* Records come by the page, which goes back only when the library is unloaded. The first lies in
   the library: most processes have one thread, and many are short. */
static toft_thread first_record;

typedef struct record_page {
    struct record_page *next;
    toft_thread records[];
} record_page;

static struct {
    toft_os_mutex lock;
    toft_thread *open;
    toft_thread *free;
    record_page *pages;
    /* Whether we are called when a thread ends; a key may not be created before the first use. */
    enum { ends_unasked, ends_noticed, ends_unnoticed } ends;
    toft_os_key key;
    int ending; /* threads that are in at_thread_end */
} threads = {.free = &first_record};

/* Neither is ever written. Threads that must not get a record again have the second one. */
static toft_thread without_record, ended;
_Thread_local toft_thread *toft_this_thread = &without_record;

static void at_thread_end(void *value) {
    /* Acquire: what is unloaded is so after this, or waits. */
    __atomic_fetch_add(&threads.ending, 1, __ATOMIC_ACQUIRE);
    toft_this_thread = &ended;
    for (unsigned room = toft_room_count; room-- > 0;)
        if (listeners[room] != NULL) listeners[room]->thread_ends(value);
    /* Release: who sees it sees all that was given back. */
    __atomic_fetch_sub(&threads.ending, 1, __ATOMIC_RELEASE);
}

/* A thread that ends later must not run code that is unloaded. One that is ending has left the
   library's callers, so that nobody but us can wait for it; a few instructions at its way in and
   out remain, in which it can't be seen. */
static void stop_noticing_ends(void) {
    if (threads.ends == ends_noticed) toft_os_key_delete(threads.key);
    threads.ends = ends_unnoticed;
    for (unsigned looks = 0; __atomic_load_n(&threads.ending, __ATOMIC_ACQUIRE) > 0; looks++)
        toft_os_yield(looks);
}

/* The lock is held. */
static void close_record(toft_thread *thread) {
    TOFT_ASSERT(thread->open && *thread->link == thread);
    TOFT_ASSERT(thread->shelf.bytes == 0); /* the room above has taken it */
    *thread->link = thread->next;
    if (thread->next != NULL) thread->next->link = thread->link;
    *thread = (toft_thread){.next = threads.free};
    threads.free = thread;
}

/* The lock is held. */
static bool add_records(void) {
    size_t bytes = toft_os_page_bytes();
    record_page *page = toft_os_map(bytes, bytes);
    if (page == NULL) return false;
    page->next = threads.pages;
    threads.pages = page;
    size_t count = (bytes - sizeof *page) / sizeof *page->records;
    for (size_t i = 0; i < count; i++) {
        page->records[i].next = threads.free;
        threads.free = &page->records[i];
    }
    return true;
}

static bool notices_ends(void) {
    if (threads.ends == ends_unasked) {
        bool created = toft_os_key_create(&threads.key, at_thread_end);
        threads.ends = created ? ends_noticed : ends_unnoticed;
    }
    return threads.ends == ends_noticed;
}

TOFT_COLD toft_thread *toft_thread_open_slow(void) {
    if (toft_this_thread != &without_record) return toft_this_thread;
    toft_thread *thread = NULL;
    toft_lock(&threads.lock);
    bool noticed = notices_ends();
    if (noticed && (threads.free != NULL || add_records())) {
        thread = threads.free;
        threads.free = thread->next;
        *thread = (toft_thread){.open = true, .next = threads.open, .link = &threads.open};
        if (thread->next != NULL) thread->next->link = &thread->next;
        threads.open = thread;
    }
    toft_os_key key = threads.key;
    toft_unlock(&threads.lock);
    if (thread == NULL && noticed) return &without_record; /* out of memory, for now */
    if (thread == NULL) return toft_this_thread = &ended;
    toft_this_thread = thread;
    expect_exit_in_use();
    /* Not under the lock: the system may allocate for it. */
    if (!toft_os_key_set(key, thread)) {
        at_thread_end(thread);
        toft_this_thread = &without_record; /* out of memory, for now */
    }
    return toft_this_thread;
}

toft_thread *toft_upstream_enter(void) {
    toft_thread *before = toft_this_thread;
    if (before->open)
        before->in_upstream++;
    else
        toft_this_thread = &ended;
    return before;
}

void toft_upstream_leave(toft_thread *before) {
    TOFT_ASSERT(!before->open || (before == toft_this_thread && before->in_upstream != 0));
    if (before->open)
        before->in_upstream--;
    else
        toft_this_thread = before;
}

void toft_threads_visit(void (*visit)(toft_thread *thread)) {
    toft_lock(&threads.lock);
    for (toft_thread *thread = threads.open; thread != NULL; thread = thread->next) visit(thread);
    toft_unlock(&threads.lock);
}

/* The lock is held from the first of these two calls to the second: a thread that opened its record
   meanwhile would be stolen from without having been asked. */
static bool begin_stealing(void) {
    for (toft_thread *thread = threads.open; thread != NULL; thread = thread->next)
        toft_steal_ask(&thread->shelf_lock);
    if (!toft_steal_begin()) return false;
    for (toft_thread *thread = threads.open; thread != NULL; thread = thread->next)
        toft_steal_wait(&thread->shelf_lock);
    return true;
}

static void end_stealing(void) {
    for (toft_thread *thread = threads.open; thread != NULL; thread = thread->next)
        toft_steal_end(&thread->shelf_lock);
}

void toft_threads_steal(void (*visit)(toft_thread *thread)) {
    toft_lock(&threads.lock);
    if (begin_stealing())
        for (toft_thread *one = threads.open; one != NULL; one = one->next) visit(one);
    end_stealing();
    toft_unlock(&threads.lock);
}

/* --- forks --- */

static bool fork_stole; /* written while all locks are held */

static bool threads_before_fork(void) {
    toft_os_lock(&threads.lock);
    return begin_stealing();
}

/* Frees the records of the threads that don't exist in the child. The room above has taken what
   they kept already, or, where nothing was stolen, it is lost. */
static void threads_in_child(bool stolen) {
    for (toft_thread *thread = threads.open, *next; thread != NULL; thread = next) {
        next = thread->next;
        if (thread == toft_this_thread) continue;
        if (!stolen) thread->shelf = (toft_shelf){.bytes = 0};
        close_record(thread);
    }
    threads.ending = 0;
}

static void threads_after_fork(void) {
    end_stealing();
    toft_os_unlock(&threads.lock);
}

/* A signal's handler may fork while the thread that it interrupts forks and has all locks. */
static unsigned inner_forks;

/* A process of one thread forks without locks, even from a signal's handler that interrupts an
   allocation: nobody else can change anything, and the child has nobody's caches to take over. */
static void before_fork(void) {
    if (toft_this_thread_forks()) {
        inner_forks++;
        return;
    }
    if (toft_os_is_single_threaded()) return;
    bool stole = true;
    for (unsigned room = toft_room_count; room-- > 0;)
        if (listeners[room] != NULL && !listeners[room]->before_fork()) stole = false;
    fork_stole = stole;
    __atomic_store_n(&toft_forking_thread, toft_os_thread_id(), __ATOMIC_RELAXED);
}

static void after_fork(void) {
    if (!toft_this_thread_forks()) return; /* it took no locks */
    if (inner_forks != 0) {
        inner_forks--;
        return;
    }
    __atomic_store_n(&toft_forking_thread, 0, __ATOMIC_RELAXED);
    for (unsigned room = 0; room < toft_room_count; room++)
        if (listeners[room] != NULL) listeners[room]->after_fork();
}

static void after_fork_in_child(void) {
    if (!toft_this_thread_forks()) return;
    for (unsigned room = toft_room_count; room-- > 0;)
        if (listeners[room] != NULL) listeners[room]->in_child(fork_stole);
    after_fork();
}

static void threads_unload(void) {
    toft_this_thread = &ended;
    threads.open = NULL;
    threads.free = NULL;
    for (record_page *page = threads.pages, *next; page != NULL; page = next) {
        next = page->next;
        toft_os_unmap(page, toft_os_page_bytes());
    }
    threads.pages = NULL;
}

/* --- the rooms --- */

static void threads_end(toft_thread *thread) {
    toft_lock(&threads.lock);
    close_record(thread);
    toft_unlock(&threads.lock);
}

static void nothing(void) {}
static bool no_decay(uint64_t now_ms) {
    (void)now_ms;
    return false;
}

static const toft_listener threads_listener = {
    .before_fork = threads_before_fork,
    .in_child = threads_in_child,
    .after_fork = threads_after_fork,
    .thread_ends = threads_end,
    .reclaim = nothing,
    .decay = no_decay,
    .unload = threads_unload,
};

/* Where the system refuses the handlers, a fork is unsafe while other threads use the library; all
   else works. */
void toft_expect_forks(void) {
    static bool expected;
    if (__atomic_exchange_n(&expected, true, __ATOMIC_RELAXED)) return;
    listeners[toft_room_threads] = &threads_listener;
    (void)toft_os_at_fork(before_fork, after_fork, after_fork_in_child);
}

TOFT_AT_LOAD static void at_load(void) {
    toft_expect_forks();
    expect_exit();
}

void toft_listen(toft_room room, const toft_listener *listener) { listeners[room] = listener; }

bool toft_reclaim_everything(void) {
    if (!toft_thread_may_steal()) return false;
    for (unsigned room = toft_room_count; room-- > 0;)
        if (listeners[room] != NULL) listeners[room]->reclaim();
    return true;
}

bool toft_decay_has_more;

/* Takes on what there is more to do, where no other thread has. */
static bool go_on(void) {
    return toft_decay_goes_on() &&
           __atomic_exchange_n(&toft_decay_has_more, false, __ATOMIC_RELAXED);
}

void toft_decay_everything(uint64_t now_ms) {
    static uint64_t decayed_at_ms;
    uint64_t then_ms;
    if (!toft_thread_may_steal()) return;
    if (!go_on() && !toft_decay_begin_step(&decayed_at_ms, now_ms, &then_ms)) return;
    bool has_more = false;
    for (unsigned room = toft_room_count; room-- > 0;)
        if (listeners[room] != NULL && listeners[room]->decay(now_ms)) has_more = true;
    if (has_more) __atomic_store_n(&toft_decay_has_more, true, __ATOMIC_RELAXED);
}
