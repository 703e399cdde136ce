/* SPDX-License-Identifier: MIT */
/* What concerns the whole process, not one arena, reap or pool. */
#ifndef TOFT_PROCESS_H
#define TOFT_PROCESS_H

#include <toft/config.h>

TOFT_EXTERN_C_BEGIN

/* Gives all idle memory of the process back to the system: released chunks, those that other
   threads keep, what pools without an upstream hold idle (see toft_pool_trim), and what destroyed
   ones left. What mlockall() has locked stays, but for whole mappings. Any thread, at any time.
   Within a call of a pool's upstream, in the handlers of a fork and while the calling thread ends,
   it gives back only released chunks that no thread keeps. Linear in the idle memory. */
TOFT_API void toft_trim(void);

/* The version of the library, such as "0.1.0". TOFT_VERSION is that of the headers that a program
   was compiled with. Much is inlined from them, and so the two should be equal: where the library
   is a shared one, compare them by strcmp at the program's start. Never NULL. The text is the
   library's, and stays. Any thread, at any time. */
TOFT_API const char *toft_version(void);

TOFT_EXTERN_C_END

#endif
