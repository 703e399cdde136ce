/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_RECORD_RECORDER_H
#define TOFT_LAB_RECORD_RECORDER_H

#include "stack.h"

#include "record/format.h"

/* What happens between a call of the heap and the file: from all threads, at any time. */

/* Called at the first event, or when the loader comes to it. The environment says what is
 * wanted. */
void start_recorder(void);

/* An object is there, or a resized one; or is about to go. The call is the program's.
 * None changes errno. */
void record_allocation(enum toft_event_kind, void *object, size_t bytes, unsigned alignment_log2,
                       struct call_site);
void record_resize(void *object, void *former, size_t bytes, struct call_site);
void record_free(void *object, struct call_site);
/* It was about to go at that moment. */
void record_free_at(uint64_t ticks, void *object, struct call_site);

/* An event can't be recorded. The file says how many there were. */
void count_missed(void);

/* The program may be about to lose the right to open files: what is to be written has its file, and
 * that is open. */
void keep_recording_writable(void);

/* This process ends: all that is known is written, and nothing is recorded any longer. */
void finish_recording(enum toft_end_reason);

/* It is about to end, and may crash before it does: all that is known so far is written. */
void write_what_is_known(void);

/* It may be gone at the next moment: all that is known is written. When the call that should have
 * done that has failed, it goes on. */
void save_recording(enum toft_end_reason);
void go_on_recording(void);

#endif
