/* SPDX-License-Identifier: MIT */
/* How Toft's headers speak to the compiler: linkage, inlining, and promises about pointers.
   Everything here is spelled so that an unknown compiler simply sees less. */
#ifndef TOFT_CONFIG_H
#define TOFT_CONFIG_H

#define TOFT_VERSION_MAJOR 0
#define TOFT_VERSION_MINOR 1
#define TOFT_VERSION_PATCH 0
#define TOFT_VERSION "0.1.0"

/* What is inlined is C in C++ programs too. GCC knows that by the linkage, clang must be told. */
#if defined(__cplusplus) && defined(__clang__)
    #define TOFT_EXTERN_C_BEGIN                                                                    \
        _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wold-style-cast\"")  \
            _Pragma("clang diagnostic ignored \"-Wzero-as-null-pointer-constant\"") extern "C" {
    #define TOFT_EXTERN_C_END                                                                      \
        }                                                                                          \
        _Pragma("clang diagnostic pop")
#elif defined(__cplusplus)
    #define TOFT_EXTERN_C_BEGIN extern "C" {
    #define TOFT_EXTERN_C_END }
#elif defined(__GNUC__) || defined(__clang__)
    /* A program's own rule for where declarations stand isn't for what is inlined into it. */
    #define TOFT_EXTERN_C_BEGIN                                                                    \
        _Pragma("GCC diagnostic push")                                                             \
            _Pragma("GCC diagnostic ignored \"-Wdeclaration-after-statement\"")
    #define TOFT_EXTERN_C_END _Pragma("GCC diagnostic pop")
#else
    #define TOFT_EXTERN_C_BEGIN
    #define TOFT_EXTERN_C_END
#endif

#if defined(__cplusplus)
    #define TOFT_ALIGNOF(type) alignof(type)
#elif defined(__GNUC__) || defined(__clang__)
    #define TOFT_ALIGNOF(type) __extension__ _Alignof(type) /* in C99 too, without a warning */
#else
    #define TOFT_ALIGNOF(type) _Alignof(type)
#endif

/* A field that is zero unless named: C++ compilers warn of fields left out. In C++11 a struct with
   such a field couldn't be initialised by a list any more. */
#if defined(__cplusplus) && __cplusplus >= 201402L
    #define TOFT_ZEROED                                                                            \
        {}
#else
    #define TOFT_ZEROED
#endif

#if defined(__GNUC__) || defined(__clang__)
    /* In a static library nothing is shown: of two libraries in a process with a Toft of their own,
       each must keep to it. */
    #ifdef TOFT_SHARED
        #define TOFT_API __attribute__((visibility("default")))
    #else
        #define TOFT_API
    #endif
    #ifdef __cplusplus
        /* Not static: what a module has inlined is instantiated where the module is imported.
           Hidden, so that one whose address is taken stays its own library's. */
        #define TOFT_ALWAYS_INLINE inline __attribute__((always_inline, visibility("hidden")))
    #else
        #define TOFT_ALWAYS_INLINE static inline __attribute__((always_inline))
    #endif
    /* For member functions. */
    #define TOFT_MEMBER_INLINE __attribute__((always_inline)) inline
    #define TOFT_COLD __attribute__((cold, noinline))
    #define TOFT_NOINLINE __attribute__((noinline))
    #define TOFT_NODISCARD __attribute__((warn_unused_result))
    #define TOFT_LIKELY(condition) __builtin_expect(!!(condition), 1)
    #define TOFT_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
    /* The result's alignment is the numbered argument. We don't promise the compiler a size
       (alloc_size), because an object may grow in place later. We don't promise that nothing else
       points to the memory (malloc attribute), because a rewind frees objects without naming
       them. */
    #define TOFT_ALIGNED_BY(alignment) __attribute__((alloc_align(alignment)))
    #define TOFT_PRINTF_LIKE(text, first) __attribute__((__format__(__printf__, text, first)))
#else
    #define TOFT_API
    #define TOFT_ALWAYS_INLINE static inline
    #define TOFT_MEMBER_INLINE inline
    #define TOFT_COLD
    #define TOFT_NOINLINE
    #define TOFT_NODISCARD
    #define TOFT_LIKELY(condition) (condition)
    #define TOFT_UNLIKELY(condition) (condition)
    #define TOFT_ALIGNED_BY(alignment)
    #define TOFT_PRINTF_LIKE(text, first)
#endif

/* Around a class in C++ whose member is a struct that a function of C fills. -Weffc++ would have it
   in the list of members, and so written twice. */
#if defined(__cplusplus) && defined(__GNUC__) && !defined(__clang__)
    #define TOFT_FILLED_BY_C_BEGIN                                                                 \
        _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Weffc++\"")
    #define TOFT_FILLED_BY_C_END _Pragma("GCC diagnostic pop")
#else
    #define TOFT_FILLED_BY_C_BEGIN
    #define TOFT_FILLED_BY_C_END
#endif

/* The result of a member function must not outlive its object: clang warns when it does. */
#if defined(__clang__) && defined(__cplusplus)
    #define TOFT_LIFETIMEBOUND [[clang::lifetimebound]]
#else
    #define TOFT_LIFETIMEBOUND
#endif

#endif
