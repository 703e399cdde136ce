/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_RECORD_FORMAT_H
#define TOFT_LAB_RECORD_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* How a recording lies in its file; docs/recording-format.md describes it for readers.
 *
 *     file header | block | block | ... | end block
 *     block: block header | payload
 *
 * A block is written by one call, says how long it is, and has checksums, so that what was written
 * before a crash can be read. All numbers are little-endian. */

#define TOFT_RECORDING_MAGIC "toftrec\n"
enum { toft_recording_version = 3 };

struct toft_recording_header {
    char magic[8];
    uint32_t version;
    uint32_t run; /* chosen at random for all files of one run; 0: nobody has chosen it */
};

enum toft_block_kind {
    toft_block_process = 1,
    toft_block_module = 2,
    toft_block_stacks = 3,
    toft_block_thread = 4,
    toft_block_events = 5,
    toft_block_end = 6,
    toft_block_failure =
        7, /* nothing more could be written: the last one, in the place of an end */
    toft_block_time = 8,
    toft_block_operators = 9, /* the path of a heap that brings C++'s new and delete with it */
};

enum { toft_block_mark = 0x4b4c4254 }; /* "TBLK" */

struct toft_block_header {
    uint32_t mark;
    uint32_t kind;
    uint32_t payload_bytes; /* that follow this header */
    uint32_t records;
    uint64_t ticks; /* the clock of the events, and CLOCK_MONOTONIC, when the block was written */
    uint64_t nanoseconds;
    uint64_t payload_checksum;
    uint64_t header_checksum; /* what comes before it */
};

struct toft_process_payload { /* then the command line, each word with a zero byte behind it */
    uint64_t process_id;
    uint64_t sampled_bytes;
    uint64_t start_ticks; /* as in a block's header, when the recording began */
    uint64_t start_nanoseconds;
    uint64_t command_line_bytes;
};

struct toft_module_payload { /* then the build id's bytes and those of the path */
    uint32_t module;
    uint32_t build_id_bytes;
    uint32_t path_bytes;
    uint32_t reserved;
};

/* A reader has a table of them. */
enum { toft_threads_most = 1 << 22 };

struct toft_thread_payload {
    uint32_t thread;
    uint32_t reserved;
    uint64_t system_id;
    char name[16];
};

/* Nodes of the tree of stacks, numbered on from the first: for each its parent's distance, its
 * function where callee_guesses.h is wrong, and how far behind the function's beginning its address
 * is, as numbers of varying length in one column. */
struct toft_stacks_payload {
    uint32_t first_node;
    uint32_t plain_bytes;
};

enum {
    toft_column_kinds,
    toft_column_times,
    toft_column_addresses,
    toft_column_sizes,
    toft_column_stacks,
    toft_column_count,
};

enum toft_event_kind {
    toft_event_free,
    toft_event_allocate,
    toft_event_zeroed,
    toft_event_aligned, /* its size is followed by the binary logarithm of its alignment */
    toft_event_resize,  /* its old address goes, as by a free, then the new one comes */
    toft_event_kinds,
};

struct toft_events_payload { /* then the columns, each compressed by zstd where that is shorter */
    uint32_t thread;
    uint32_t time_shift; /* times are in units of so many bits' worth of ticks */
    uint32_t capacity;   /* of the block in events, a power of two: how large guesses.h is */
    uint32_t reserved;
    uint64_t first_time;
    uint64_t last_time;
    uint64_t requested_bytes;                     /* of all objects, for a summary */
    uint32_t counts[8];                           /* of each toft_event_kind */
    uint32_t plain_bytes[toft_column_count];      /* of each column, when decompressed */
    uint32_t compressed_bytes[toft_column_count]; /* the same as above: it isn't compressed */
};

enum toft_end_reason {
    toft_end_exit,
    toft_end_exec, /* the process became another program; if that failed, events follow */
    toft_end_abort,
    toft_end_signal, /* if it didn't end the process, events follow */
};

struct toft_end_payload {
    uint32_t reason;
    uint32_t reserved;
    uint64_t missed_events;   /* in signal handlers, a failed exec, for want of memory or files */
    uint64_t cut_stacks;      /* walks that didn't come to a stack's outermost frame */
    uint64_t switched_events; /* on stacks that their thread wasn't begun with; may be left out */
};

/* What the process took of the CPU since the recording began; the last such block counts. */
struct toft_time_payload {
    uint64_t processor_ns; /* with what the recorder took */
    uint64_t writing_ns;   /* of it: to write blocks, and to forget what libraries were unloaded */
    uint64_t event_ticks;  /* of it: to record events, most of them estimated from some */
};

struct toft_failure_payload {
    uint32_t error; /* as errno has it */
    uint32_t reserved;
};

/* Any change of one word changes it for sure, since each step can be undone. */
static inline uint64_t toft_recording_checksum(const void *data, size_t size) {
    const unsigned char *bytes = (const unsigned char *)data;
    uint64_t sum = 0x9e3779b97f4a7c15u ^ size;
    for (size_t done = 0; done < size; done += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + done, size - done < 8 ? size - done : 8);
        sum = (sum ^ word) * 0xff51afd7ed558ccdu;
        sum ^= sum >> 32;
    }
    return sum;
}

static inline uint64_t toft_header_checksum(const struct toft_block_header *h) {
    return toft_recording_checksum(h, offsetof(struct toft_block_header, header_checksum));
}

/* Small differences of either sign become small numbers. */
static inline uint64_t toft_folded(uint64_t difference) {
    return difference << 1 ^ (0 - (difference >> 63));
}

static inline uint64_t toft_unfolded(uint64_t folded) { return folded >> 1 ^ (0 - (folded & 1)); }

/* Addresses are multiples of 16 nearly always: the low bits go where they cost nothing. */
static inline uint64_t toft_rotated(uint64_t address) { return address >> 4 | address << 60; }

static inline uint64_t toft_unrotated(uint64_t rotated) { return rotated << 4 | rotated >> 60; }

#endif
