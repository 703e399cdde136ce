/* SPDX-License-Identifier: MIT */
#if __STDC_VERSION__ != 199901L || !defined(__STRICT_ANSI__)
    #error "Toft has changed the project's own C"
#endif
