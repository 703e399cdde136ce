/* SPDX-License-Identifier: MIT */
#include "recorder.h"

#include "lock.h"
#include "modules.h"
#include "output.h"
#include "own_time.h"
#include "sampling.h"
#include "signals.h"
#include "stack_tree.h"
#include "thread_records.h"
#include "unloading.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

/* The thread's own, and where its stack was when it came into the recorder; 0: it isn't there. */
static __thread struct recorded_thread *self __attribute__((tls_model("initial-exec")));
static __thread uintptr_t inside __attribute__((tls_model("initial-exec")));
/* When the thread has ended but for what comes late: 1 more than its index. */
static __thread uint32_t ended __attribute__((tls_model("initial-exec")));

/* A page that a fork's child finds zeroed. The count grows when something happens that each thread
 * must look at before its next event; it is never 0 while this process is recorded. */
struct shared_page {
    atomic_uint changes;
    atomic_bool is_renewed; /* or is about to be: set by the first thread that finds it zeroed */
};
static struct shared_page *page;

static struct {
    atomic_bool is_on;
    atomic_uint writings; /* of all threads' events at once */
    atomic_ulong missed;  /* events */
    pthread_key_t at_thread_end;
} recorder;

void count_missed(void) { atomic_fetch_add_explicit(&recorder.missed, 1, memory_order_relaxed); }

static void announce(void) { atomic_fetch_add(&page->changes, 1); }

/* Some frees of the C library's come when their thread has ended. Of more, as of destructors that
 * run when the first thread has ended and another ends the process, the thread keeps its record. */
enum { late_events_most = 16 };
static __thread uint32_t late_events __attribute__((tls_model("initial-exec")));

static bool leaves_after_event(void) { return ended && late_events < late_events_most; }

/* --- threads --- */

static uint32_t events_until_timed(void) { return leaves_after_event() ? 1 : timed_of_events; }

static void begin_events(struct recorded_thread *t) {
    t->seen_written = atomic_load(&recorder.writings);
    t->until_timed = events_until_timed();
}

/* In a fork's child, at its first event: nothing of the parent's is written here, and the other
 * threads aren't there; but new ones may be, and wait. */
static void renew_after_fork(void) {
    if (atomic_exchange(&page->is_renewed, true)) {
        while (atomic_load(&page->changes) == 0) sched_yield();
        return;
    }
    renew_recorder_lock();
    renew_output();
    renew_stack_tree();
    renew_modules();
    renew_own_time();
    atomic_store(&recorder.missed, 0);
    atomic_store(&recorder.is_on, true); /* the parent may have been at its end */
    ended = 0;
    renew_thread_records(self);
    if (self) begin_events(self);
    atomic_store(&page->changes, 1);
}

/* The first event of a thread may be that of a child which it has forked. NULL: it is missed. */
static struct recorded_thread *attach(void) {
    if (atomic_load(&page->changes) == 0) renew_after_fork();
    struct held_lock held;
    lock_recorder(&held);
    if (!output_has_file()) make_output();
    struct recorded_thread *t = output_is_refused() ? NULL : take_thread_record(ended);
    if (t) begin_events(t);
    unlock_recorder(&held);
    if (!t) count_missed();
    if (t && !ended) pthread_setspecific(recorder.at_thread_end, t);
    return t;
}

/* The name may have been set since the thread's first block: only its own thread can ask. */
static void announce_thread(struct recorded_thread *t, bool is_own) {
    if (t->is_announced && !is_own) return;
    struct toft_thread_payload payload = {.thread = t->index, .system_id = t->system_id};
    if (is_own) prctl(PR_GET_NAME, payload.name);
    if (t->is_announced && memcmp(t->announced_name, payload.name, sizeof payload.name) == 0)
        return;
    memcpy(t->announced_name, payload.name, sizeof payload.name);
    const struct part part = {&payload, sizeof payload};
    write_block(toft_block_thread, 1, &part, 1);
    t->is_announced = true;
}

static void write_thread(struct recorded_thread *t, bool is_own) {
    t->written = 0;
    if (count_events(&t->events) == 0) return;
    const uint64_t begin = thread_nanoseconds();
    announce_thread(t, is_own);
    t->written = write_events(&t->events, t->index);
    count_writing_since(begin);
}

/* Another thread has written this one's events. The last may have come too late for that. */
static void drop_written(struct recorded_thread *t) {
    atomic_fetch_add(&recorder.missed, count_events(&t->events) - t->written);
    drop_events(&t->events);
    t->written = 0;
}

static void flush(struct recorded_thread *t) {
    struct held_lock held;
    lock_recorder(&held);
    const unsigned written = atomic_load(&recorder.writings);
    if (t->seen_written == written) { /* else another thread has, just now */
        write_thread(t, true);
        write_time_now_and_then();
    }
    drop_written(t);
    t->seen_written = written;
    unlock_recorder(&held);
    t->until_timed = events_until_timed(); /* not the event that found the block full */
}

static void leave(struct recorded_thread *t) {
    flush(t);
    self = NULL;
    ended = t->index + 1;
    struct held_lock held;
    lock_recorder(&held);
    give_back_thread_record(t);
    unlock_recorder(&held);
}

/* Other destructors of the thread still allocate and free, so this one waits for the last round of
 * them. The C library frees some of its own after that: each such event takes a record, and leaves
 * it again. */
static void end_thread(void *record) {
    struct recorded_thread *t = record;
    if (t != self) return;
    if (++t->end_rounds < PTHREAD_DESTRUCTOR_ITERATIONS &&
        pthread_setspecific(recorder.at_thread_end, t) == 0)
        return;
    const int error = errno;
    inside = (uintptr_t)__builtin_frame_address(0);
    if (atomic_load(&page->changes) == 0) renew_after_fork();
    leave(t);
    inside = 0;
    errno = error;
}

/* --- what happens beside events --- */

/* False: this event isn't recorded. */
static bool catch_up(struct recorded_thread *t) {
    if (atomic_load(&page->changes) == 0) renew_after_fork();
    if (!atomic_load(&recorder.is_on)) return false;
    t->stack.count = 0;
    struct held_lock held;
    lock_recorder(&held); /* until who writes all threads' events has done it */
    if (!output_has_file()) make_output();
    const bool is_refused = output_is_refused();
    if (!is_refused) t->seen_change = atomic_load(&page->changes);
    const unsigned written = atomic_load(&recorder.writings);
    if (t->seen_written != written) drop_written(t);
    t->seen_written = written;
    unlock_recorder(&held);
    if (is_refused) count_missed();
    return !is_refused;
}

void forget_addresses(void) {
    if (!page) return;
    if (atomic_load(&page->changes) == 0) renew_after_fork();
    const uint64_t begin = thread_nanoseconds();
    struct held_lock held;
    lock_recorder(&held);
    write_new_nodes();
    forget_nodes();
    forget_modules();
    forget_unwind_rules();
    count_writing_since(begin);
    unlock_recorder(&held);
    announce();
}

static void write_end(enum toft_end_reason reason) {
    if (!output_needs_file()) return;
    write_time();
    struct toft_end_payload payload = {.reason = reason,
                                       .missed_events = atomic_load(&recorder.missed)};
    for (struct recorded_thread *t = all_thread_records(); t; t = t->next) {
        payload.cut_stacks += t->stack.cut;
        payload.switched_events += t->stack.switched;
    }
    const struct part part = {&payload, sizeof payload};
    write_block(toft_block_end, 1, &part, 1);
}

/* A vfork's child has all this in common with its parent, whose recording goes on. A fork's child
 * that has had no event has nothing to save, and may be the parent of such a one. */
static bool is_recorded_here(void) {
    return page && atomic_load(&page->changes) != 0 && output_is_of_this_process();
}

/* Other threads wait at their next event. One that is in the middle of it may lose that one. Two
 * may end the process at once: the second waits until the first has written all. */
static void write_all(const enum toft_end_reason *reason, bool may_go_on) {
    if (!is_recorded_here()) return;
    const int error = errno;
    const uintptr_t was_inside = inside;
    inside = (uintptr_t)__builtin_frame_address(0);
    struct held_lock held;
    lock_recorder(&held);
    if (atomic_load(&recorder.is_on)) {
        atomic_store(&recorder.is_on, !reason || may_go_on);
        announce();
        const unsigned written = atomic_load(&recorder.writings);
        for (struct recorded_thread *t = all_thread_records(); t; t = t->next)
            if (t->seen_written == written) write_thread(t, t == self);
        if (reason) write_end(*reason);
        if (may_go_on) hold_output();
        atomic_fetch_add(&recorder.writings, 1);
    }
    unlock_recorder(&held);
    inside = was_inside;
    errno = error;
}

void finish_recording(enum toft_end_reason reason) { write_all(&reason, false); }

void save_recording(enum toft_end_reason reason) { write_all(&reason, true); }

void write_what_is_known(void) { write_all(NULL, false); }

/* Only the program that was asked for has a file whatever it does: a child has one from its first
 * event on. */
void keep_recording_writable(void) {
    if (!is_recorded_here() || !atomic_load(&recorder.is_on)) return;
    const int error = errno;
    struct held_lock held;
    lock_recorder(&held);
    if (output_needs_file()) make_output();
    unlock_recorder(&held);
    errno = error;
}

/* The file's last block says whether it is whole. The end that was written before would, after an
 * exec that failed and a crash. */
void go_on_recording(void) {
    if (!is_recorded_here()) return;
    release_output();
    if (!atomic_load(&recorder.is_on)) return;
    struct held_lock held;
    lock_recorder(&held);
    if (output_has_file()) write_time();
    unlock_recorder(&held);
}

/* --- events --- */

static bool is_on_stack_of(const struct recorded_thread *t, uintptr_t sp) {
    return !t || sp - t->stack.low < t->stack.high - t->stack.low;
}

/* Whether this event comes from a handler that interrupted the recorder. When a handler has jumped
 * out of it, nobody is inside, and the stack is shorter than it was then. */
static bool is_nested(uintptr_t sp) { return inside && (sp < inside || !is_on_stack_of(self, sp)); }

/* It is timed by itself, whichever events are. */
static void look_at_new_stack(struct recorded_thread *t, uint64_t begin_ticks) {
    time_new_stack(t, begin_ticks);
    if (!leaves_after_event()) ++t->until_timed;
}

static void add(struct recorded_thread *t, struct event *event, struct frame innermost) {
    event->stack = walk(&t->stack, innermost);
    if (t->stack.in_signal_handler) {
        count_missed();
        return;
    }
    if (t->stack.is_new) look_at_new_stack(t, event->ticks);
    t->stack.switched += !t->stack.is_own && t->stack.high != 0; /* 0: nobody knows */
    if (events_are_full(&t->events)) flush(t);
    add_event(&t->events, event);
}

static void look_at_event(struct recorded_thread *t, uint64_t begin_ticks) {
    if (leaves_after_event()) {
        ++late_events;
        leave(t);
    } else
        time_event(t, begin_ticks);
}

static void record(struct event *event, struct frame innermost) {
    if (!page) return;
    if (is_nested(innermost.sp)) {
        count_missed();
        return;
    }
    const bool was_left = inside != 0; /* by a jump, in the middle of an event */
    inside = innermost.sp;
    const int error = errno;
    struct recorded_thread *t = self;
    if (!t && (atomic_load(&recorder.is_on) || atomic_load(&page->changes) == 0))
        t = self = attach();
    if (t && (t->seen_change == atomic_load_explicit(&page->changes, memory_order_acquire) ||
              catch_up(t))) {
        if (was_left) {
            flush(t);
            t->stack.count = 0;
        }
        add(t, event, innermost);
        if (--t->until_timed == 0) look_at_event(t, event->ticks);
    }
    inside = 0;
    errno = error;
}

void record_allocation(enum toft_event_kind kind, void *object, size_t bytes,
                       unsigned alignment_log2, struct call_site call) {
    struct event event = {.kind = kind,
                          .ticks = ticks_now(),
                          .address = (uintptr_t)object,
                          .bytes = bytes,
                          .alignment_log2 = alignment_log2};
    record(&event, callers_frame(call));
}

void record_resize(void *object, void *former, size_t bytes, struct call_site call) {
    struct event event = {.kind = toft_event_resize,
                          .ticks = ticks_now(),
                          .address = (uintptr_t)object,
                          .old_address = (uintptr_t)former,
                          .bytes = bytes};
    record(&event, callers_frame(call));
}

void record_free_at(uint64_t ticks, void *object, struct call_site call) {
    struct event event = {.kind = toft_event_free, .ticks = ticks, .address = (uintptr_t)object};
    record(&event, callers_frame(call));
}

void record_free(void *object, struct call_site call) { record_free_at(ticks_now(), object, call); }

/* False: that can't be, and is told. */
static bool prepare_all_but_output(void) {
    if (!prepare_stack_tree()) {
        tell_no_recording("memory for stacks", ENOMEM);
        return false;
    }
    const int error = pthread_key_create(&recorder.at_thread_end, end_thread);
    if (error != 0) {
        tell_no_recording("a key for the ends of threads", error);
        return false;
    }
    void *memory = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || madvise(memory, sizeof *page, MADV_WIPEONFORK) != 0) {
        tell_no_recording("memory that is zeroed in a fork (MADV_WIPEONFORK)", errno);
        return false;
    }
    page = memory;
    return true;
}

void start_recorder(void) {
    static bool tried;
    if (tried || !environ) return; /* the loader hasn't come so far yet */
    tried = true;
    const bool is_wanted = prepare_output() && prepare_all_but_output();
    start_sampling(is_wanted ? output_sampled_bytes() : 0);
    if (!is_wanted) return;
    atomic_store(&page->is_renewed, true);
    atomic_store(&page->changes, 1);
    atomic_store(&recorder.is_on, true);
    save_at_signals();
}
