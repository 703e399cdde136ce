/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_RECORD_QUIET_WORDS_H
#define TOFT_LAB_RECORD_QUIET_WORDS_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/uio.h>

/* Writing from within somebody's program, who shall not notice. */

/* A write beyond the limit of files' sizes, or to a pipe that nobody reads, also raises a signal
 * for the thread that writes. The recorder's lock holds it back, but not for longer: it would end a
 * program that has written nothing. So it is taken away. Returns what writev does. */
long write_quietly(int file, const struct iovec *parts, int count);

bool is_file(int descriptor, dev_t, ino_t);

/* To be called at the start: a daemon may have files of its own under all numbers later, and those
 * aren't told anything. */
void know_standard_error(void);

/* "toft record: WHAT OF: its error; CONSEQUENCE", without the blank before OF. */
void tell_quietly(const char *what, const char *of, int error, const char *consequence);

#endif
