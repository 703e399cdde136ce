/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_RECORD_OUTPUT_H
#define TOFT_LAB_RECORD_OUTPUT_H

#include "record/format.h"

/* The file of this process. All calls need the recorder's lock. */

/* Variables of the environment, in which `toft record` says what it wants. */
#define TOFT_RECORD_FILE "TOFT_RECORD_FILE"
#define TOFT_RECORD_ROOT "TOFT_RECORD_ROOT"
#define TOFT_RECORD_RUN "TOFT_RECORD_RUN"
#define TOFT_RECORD_SAMPLE "TOFT_RECORD_SAMPLE"

/* Takes the name from the environment, before the program can change that. False: nobody wants a
 * recording, or there can be none, and that is told. */
bool prepare_output(void);

/* Tells on standard error that there is no recording, if the program is the one that was asked
 * for. */
void tell_no_recording(const char *why, int error);

/* Makes the file if there is none, and finds it again if the program has closed its descriptor:
 * before there is anything to write, since a program may give up the right to open files. */
void make_output(void);

/* Just now no more files can be open; a moment later there may be one for what comes then. */
bool output_is_refused(void);

/* One object in so many bytes is wanted; 0: all. */
uint64_t output_sampled_bytes(void);

/* The file is to say that the heap of this path brings C++'s operators; NULL: it doesn't. */
void output_tell_operators(const char *path);

/* Forgets the parent's file: this process, a fork, gets another. */
void renew_output(void);

/* Whether this process has a file, and whether it needs one though it has nothing to write. */
bool output_has_file(void);
bool output_needs_file(void);

/* False in a child that shares this process's memory, between vfork and exec. */
bool output_is_of_this_process(void);

/* A part of a payload, in the order in which parts are written. */
struct part {
    const void *data;
    size_t bytes;
};

/* Writes a block. What can't be written is told once on standard error, and nothing more is
 * written. */
void write_block(enum toft_block_kind, uint32_t records, const struct part *parts, size_t count);

/* What has been written may be all: who writes more waits until that is released, which needs no
 * lock. */
void hold_output(void);
void release_output(void);

/* Compresses into memory of the output's own, which keeps what was compressed until the next
 * take_compressed(). Returns the data as they are when that is no longer. */
struct part compressed(const void *data, size_t bytes);
void take_compressed(void);

/* The clock of the events. */
extern bool ticks_of_processor;
uint64_t clock_nanoseconds(void);

/* CPU time: the calling thread's, and the process's since the recording began. */
uint64_t thread_nanoseconds(void);
uint64_t process_nanoseconds(void);

static inline uint64_t ticks_now(void) {
#if defined(__x86_64__)
    if (ticks_of_processor) {
        unsigned ignored;
        return __builtin_ia32_rdtscp(&ignored); /* waits until what comes before it has been done */
    }
#endif
    return clock_nanoseconds();
}

#endif
