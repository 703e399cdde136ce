/* SPDX-License-Identifier: MIT */
/* Which sanitizer this is compiled for, where that must be known. */
#ifndef TOFT_BASE_SANITIZERS_H
#define TOFT_BASE_SANITIZERS_H

#if defined(__SANITIZE_THREAD__)
    #define TOFT_THREAD_SANITIZER 1
#elif defined(__has_feature)
    #if __has_feature(thread_sanitizer)
        #define TOFT_THREAD_SANITIZER 1
    #endif
#endif

#endif
