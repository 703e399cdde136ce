/* SPDX-License-Identifier: MIT */
#define ZSTD_STATIC_LINKING_ONLY
#include "output.h"

#include "lock.h"
#include "quiet_words.h"

#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

enum {
    compressed_room =
        2 << 20, /* the columns of the longest block, should nothing be compressible */
    compression_level = 2,
    descriptor_least = 500,
};

bool ticks_of_processor;

static struct {
    char path[PATH_MAX];        /* that was asked for */
    char opened[PATH_MAX + 64]; /* that the file got */
    const char *heap_with_operators;
    bool is_root, failed, is_refused;
    pid_t process;
    int descriptor; /* -1: there is no file yet */
    dev_t device;
    ino_t inode;
    uint32_t run;
    uint64_t sampled_bytes, start_ticks, start_nanoseconds, start_process_nanoseconds;
    ZSTD_CCtx *compressor;
    unsigned char *room;
    size_t room_used;
} output = {.descriptor = -1};

static struct {
    char words[64 << 10];
    size_t bytes;
} command_line;

static uint64_t nanoseconds_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t clock_nanoseconds(void) { return nanoseconds_of(CLOCK_MONOTONIC); }

uint64_t thread_nanoseconds(void) { return nanoseconds_of(CLOCK_THREAD_CPUTIME_ID); }

uint64_t process_nanoseconds(void) {
    return nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID) - output.start_process_nanoseconds;
}

/* Whether the processor's counter goes on evenly, whatever the frequency. */
static bool counter_is_even(void) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    enum { invariant_bit = 8 };
    return __get_cpuid(0x80000007u, &a, &b, &c, &d) && (d >> invariant_bit & 1) != 0;
}

static void start_clock(void) {
    output.start_ticks = ticks_now();
    output.start_nanoseconds = clock_nanoseconds();
    output.start_process_nanoseconds = nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

bool output_has_file(void) { return output.descriptor >= 0; }

bool output_needs_file(void) {
    return output.is_root || output.descriptor >= 0 || output.is_refused;
}

bool output_is_refused(void) { return output.is_refused; }

uint64_t output_sampled_bytes(void) { return output.sampled_bytes; }

bool output_is_of_this_process(void) { return getpid() == output.process; }

static uint64_t number_in_environment(const char *name) {
    const char *value = getenv(name);
    return value ? strtoull(value, NULL, 10) : 0;
}

static bool prepare_compression(void) {
    const size_t workspace = ZSTD_estimateCCtxSize(compression_level);
    unsigned char *memory = mmap(NULL, workspace + compressed_room, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return false;
    output.compressor = ZSTD_initStaticCCtx(memory, workspace);
    output.room = memory + workspace;
    return output.compressor != NULL;
}

/* A server writes a title over these words before it starts its workers, whose files come later. */
static void know_command_line(void) {
    const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    const ssize_t n = file < 0 ? 0 : read(file, command_line.words, sizeof command_line.words);
    if (file >= 0) close(file);
    command_line.bytes = n < 0 ? 0 : (size_t)n;
}

bool prepare_output(void) {
    const char *path = getenv(TOFT_RECORD_FILE);
    if (!path || !*path) return false;
    output.process = getpid();
    output.is_root = number_in_environment(TOFT_RECORD_ROOT) == (uint64_t)output.process;
    output.run = (uint32_t)number_in_environment(TOFT_RECORD_RUN);
    output.sampled_bytes = number_in_environment(TOFT_RECORD_SAMPLE);
    know_standard_error();
    know_command_line();
    const bool has_room = strlen(path) < sizeof output.path - 32;
    if (!has_room) tell_no_recording("the file's name", ENAMETOOLONG);
    if (!has_room) return false;
    strcpy(output.path, path);
    ticks_of_processor = counter_is_even();
    start_clock();
    const bool can_compress = prepare_compression();
    if (!can_compress) tell_no_recording("memory to compress", ENOMEM);
    return can_compress;
}

/* --- writing --- */

static void fail(const char *what, int error) {
    output.failed = true;
    tell_quietly(what, output.path, error, "recording ends here");
}

/* Each process that it starts would say the same. */
void tell_no_recording(const char *why, int error) {
    if (!output.is_root) return;
    struct held_lock held;
    lock_recorder(&held); /* which holds back a signal that the write may raise */
    tell_quietly(why, "", error, "nothing of this program is recorded");
    unlock_recorder(&held);
}

/* --- while a thread tries to make another program of this process --- */

static atomic_uint holds;

void hold_output(void) { atomic_fetch_add(&holds, 1); }

void release_output(void) {
    unsigned n = atomic_load(&holds);
    while (n != 0 && !atomic_compare_exchange_weak(&holds, &n, n - 1)) {}
}

/* A handler may have jumped out of the call that would have released it: nobody waits for ever. */
static void wait_for_release(void) {
    const uint64_t patience_ns = 1000 * 1000 * 1000;
    if (atomic_load(&holds) == 0) return;
    const uint64_t begin = clock_nanoseconds();
    while (atomic_load(&holds) != 0) {
        sched_yield();
        if (clock_nanoseconds() - begin > patience_ns) atomic_store(&holds, 0);
    }
}

/* --- the file --- */

/* Whether the file is a recording of this process, before it became another program. That of
 * another run is left where it is: in a container, its process may have had the same number. */
static bool is_of_former_program(const char *path) {
    struct {
        struct toft_recording_header file;
        struct toft_block_header block;
        struct toft_process_payload process;
    } first;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return false;
    const bool whole = pread(descriptor, &first, sizeof first, 0) == (ssize_t)sizeof first;
    close(descriptor);
    return whole && memcmp(first.file.magic, TOFT_RECORDING_MAGIC, sizeof first.file.magic) == 0 &&
           first.file.run == output.run && first.block.kind == toft_block_process &&
           first.process.process_id == (uint64_t)output.process;
}

/* The program that was asked for has the plain name; when it becomes another program, that one
 * gets the name. Every other process has its number in it. */
static int open_new_file(void) {
    char former[PATH_MAX + 64];
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC;
    const mode_t mode = S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH;
    enum { tries = 10000 };
    for (unsigned n = 1; output.is_root && n < tries; ++n) {
        strcpy(output.opened, output.path);
        const int descriptor = open(output.opened, flags, mode);
        if (descriptor >= 0 || errno != EEXIST) return descriptor;
        if (!is_of_former_program(output.path)) break;
        snprintf(former, sizeof former, "%s.exec-%u", output.path, n);
        if (access(former, F_OK) != 0) rename(output.path, former);
    }
    for (unsigned n = 0; n < tries; ++n) {
        snprintf(output.opened, sizeof output.opened, n ? "%s.%d.%u" : "%s.%d", output.path,
                 (int)output.process, n);
        const int descriptor = open(output.opened, flags, mode);
        if (descriptor >= 0 || errno != EEXIST) return descriptor;
    }
    return -1;
}

/* Out of the way of programs that use low numbers; of their standard files in any case. */
static int moved_up(int descriptor) {
    if (descriptor < 0) return descriptor;
    int high = fcntl(descriptor, F_DUPFD_CLOEXEC, descriptor_least);
    if (high < 0) high = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (high < 0) return descriptor;
    close(descriptor);
    return high;
}

static bool write_everything(struct iovec *parts, int count, size_t total) {
    for (size_t written = 0;;) {
        const long n = write_quietly(output.descriptor, parts, count);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        written += (size_t)n;
        if (written == total) return true;
        for (size_t left = (size_t)n; left > 0;) {
            const size_t taken = left < parts->iov_len ? left : parts->iov_len;
            parts->iov_base = (char *)parts->iov_base + taken;
            parts->iov_len -= taken;
            left -= taken;
            if (parts->iov_len == 0) ++parts, --count;
        }
    }
}

static void write_operators_block(void) {
    const struct part path = {output.heap_with_operators, strlen(output.heap_with_operators)};
    write_block(toft_block_operators, 1, &path, 1);
}

static void write_process_block(void) {
    const struct toft_process_payload process = {.process_id = (uint64_t)output.process,
                                                 .sampled_bytes = output.sampled_bytes,
                                                 .start_ticks = output.start_ticks,
                                                 .start_nanoseconds = output.start_nanoseconds,
                                                 .command_line_bytes = command_line.bytes};
    const struct part parts[] = {{&process, sizeof process},
                                 {command_line.words, command_line.bytes}};
    write_block(toft_block_process, 1, parts, 2);
    if (output.heap_with_operators) write_operators_block();
}

void output_tell_operators(const char *path) {
    output.heap_with_operators = path;
    if (path && output_has_file()) write_operators_block(); /* libraries have begun already */
}

static bool make_file(void) {
    const int descriptor = moved_up(open_new_file());
    struct stat status;
    if (descriptor < 0 || fstat(descriptor, &status) != 0) return false;
    output.descriptor = descriptor;
    output.device = status.st_dev;
    output.inode = status.st_ino;
    struct toft_recording_header header = {TOFT_RECORDING_MAGIC, toft_recording_version,
                                           output.run};
    struct iovec part = {&header, sizeof header};
    if (!write_everything(&part, 1, sizeof header)) return false;
    write_process_block();
    return !output.failed;
}

static bool has_or_makes_file(bool may_wait) {
    output.is_refused = false;
    if (output.descriptor >= 0 || make_file()) return true;
    output.is_refused = may_wait && output.descriptor < 0 && (errno == EMFILE || errno == ENFILE);
    if (output.failed || output.is_refused) return false; /* its first block has told it */
    fail("can't write ", errno);
    return false;
}

static bool is_our_file(int descriptor) { return is_file(descriptor, output.device, output.inode); }

/* A program may close descriptors that it doesn't know, and the number may be another file's now:
 * that one is left alone. */
static bool find_file_again(void) {
    if (is_our_file(output.descriptor)) return true;
    const int descriptor = moved_up(open(output.opened, O_WRONLY | O_APPEND | O_CLOEXEC));
    if (descriptor < 0) return false;
    if (is_our_file(descriptor)) {
        output.descriptor = descriptor;
        return true;
    }
    close(descriptor);
    errno = ENOENT;
    return false;
}

void make_output(void) {
    if (output.failed || !output_is_of_this_process()) return;
    if (has_or_makes_file(true)) (void)find_file_again(); /* who writes tells when it isn't found */
}

void renew_output(void) {
    atomic_store(&holds, 0);
    if (output.descriptor >= 0 && is_our_file(output.descriptor)) close(output.descriptor);
    output.descriptor = -1;
    output.process = getpid();
    output.is_root = false;
    output.failed = output.is_refused = false;
    start_clock();
}

/* At the end of the file. Returns 0, or the error; then nothing of the block is there. */
static int append_block(enum toft_block_kind kind, uint32_t records, const struct part *parts,
                        size_t count) {
    static unsigned char payload[compressed_room + (64 << 10)];
    size_t bytes = 0;
    for (size_t i = 0; i < count; ++i) {
        if (parts[i].bytes > sizeof payload - bytes) return 0;
        if (parts[i].bytes) memcpy(payload + bytes, parts[i].data, parts[i].bytes);
        bytes += parts[i].bytes;
    }
    struct toft_block_header header = {
        .mark = toft_block_mark,
        .kind = kind,
        .payload_bytes = (uint32_t)bytes,
        .records = records,
        .ticks = ticks_now(),
        .nanoseconds = clock_nanoseconds(),
        .payload_checksum = toft_recording_checksum(payload, bytes),
    };
    header.header_checksum = toft_header_checksum(&header);
    struct iovec both[] = {{&header, sizeof header}, {payload, bytes}};
    const off_t before = lseek(output.descriptor, 0, SEEK_END);
    if (write_everything(both, 2, sizeof header + bytes)) return 0;
    const int error = errno ? errno : EIO;
    if (before >= 0) (void)!ftruncate(output.descriptor, before);
    return error;
}

void write_block(enum toft_block_kind kind, uint32_t records, const struct part *parts,
                 size_t count) {
    if (output.failed) return;
    wait_for_release();
    if (!has_or_makes_file(false)) return;
    if (!find_file_again()) {
        fail("can't find again what the program has closed, ", errno);
        return;
    }
    const int error = append_block(kind, records, parts, count);
    if (error == 0) return;
    /* What was taken back of the block has made room for a few words. */
    const struct toft_failure_payload failure = {.error = (uint32_t)error};
    const struct part part = {&failure, sizeof failure};
    append_block(toft_block_failure, 1, &part, 1);
    fail("can't write ", error);
}

/* --- compression --- */

void take_compressed(void) { output.room_used = 0; }

struct part compressed(const void *data, size_t bytes) {
    const struct part plain = {data, bytes};
    if (bytes == 0) return plain;
    unsigned char *to = output.room + output.room_used;
    const size_t n = ZSTD_compressCCtx(output.compressor, to, compressed_room - output.room_used,
                                       data, bytes, compression_level);
    if (ZSTD_isError(n) || n >= bytes) return plain;
    output.room_used += n;
    return (struct part){to, n};
}
