/* SPDX-License-Identifier: MIT */
/* Macros that other libraries and systems define, for which Toft's headers must leave room. The
   standard headers are included before them, since those take no care of all. */
#define min(a, b) ((a) < (b) ? (a) : (b)) /* <windows.h>, and many programs */
#define max(a, b) ((a) > (b) ? (a) : (b))
#define small char /* <windows.h> */
#define near
#define far
#define interface struct
#define IN
#define OUT
#define OPTIONAL
#define CONST const
#define TRUE 1
#define FALSE 0
#define ERROR 0
#define malloc(size) my_malloc(size) /* programs that count or replace their memory */
#define calloc(count, size) my_calloc(count, size)
#define realloc(object, size) my_realloc(object, size)
#define free(object) my_free(object)
#define Bool int /* X11 */
#define None 0L
#define Status int
#define Success 0
#define signals public /* Qt */
#define slots
#define emit
#define foreach(variable, container) for (variable : container)
#define forever for (;;)
#define check(condition) ((void)(condition)) /* macOS, and Linux's kernel */
#define verify(condition) ((void)(condition))
#define require(condition, label) ((void)(condition))
#define likely(condition) (condition)
#define unlikely(condition) (condition)
#define major(device) ((device) >> 8) /* <sys/sysmacros.h> */
#define minor(device) ((device) & 255)
#define I 1    /* <complex.h> */
#define unix 1 /* gcc with its extensions */
#define linux 1
