/* SPDX-License-Identifier: MIT */
/* Objects with contents: zeroed, copied, printed, resized. */
#include <stdio.h>
#include <string.h>

#include "arena/arena.h"

void *toft_arena_calloc(toft_arena *arena, size_t count, size_t size, size_t alignment) {
    void *objects = toft_arena_alloc_array(arena, count, size, alignment);
    return objects == NULL ? NULL : memset(objects, 0, count * size);
}

void *toft_arena_memdup(toft_arena *arena, const void *bytes, size_t size, size_t alignment) {
    void *copy = toft_arena_alloc(arena, size, alignment);
    if (copy != NULL && size != 0) memcpy(copy, bytes, size);
    return copy;
}

static char *duplicate(toft_arena *arena, const char *string, size_t length) {
    char *copy = toft_arena_alloc(arena, length + 1, 1);
    if (copy == NULL) return NULL;
    memcpy(copy, string, length);
    copy[length] = '\0';
    return copy;
}

char *toft_arena_strdup(toft_arena *arena, const char *string) {
    return duplicate(arena, string, strlen(string));
}

char *toft_arena_strndup(toft_arena *arena, const char *string, size_t max_length) {
    const char *end = memchr(string, '\0', max_length);
    return duplicate(arena, string, end == NULL ? max_length : (size_t)(end - string));
}

/* Not into the arena at once: its free memory may be poisoned. */
char *toft_arena_vsprintf(toft_arena *arena, const char *format, va_list arguments) {
    char start[256];
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(start, sizeof start, format, arguments);
    char *text = length < 0 ? NULL : toft_arena_alloc(arena, (size_t)length + 1, 1);
    if (text != NULL && (size_t)length < sizeof start)
        memcpy(text, start, (size_t)length + 1);
    else if (text != NULL)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

char *toft_arena_sprintf(toft_arena *arena, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = toft_arena_vsprintf(arena, format, arguments);
    va_end(arguments);
    return text;
}

/* The poisoned bytes before the object are freed too: otherwise a loop that allocates and frees one
   object would use more memory with each round. */
void toft_arena_free_last_slow(toft_arena *arena, void *object) {
    bool tracking = toft_tracking();
    arena->high = toft_arena_high(arena);
    if (tracking) toft_track_free(object, (size_t)(arena->cur - (char *)object));
    arena->cur = (char *)object - (tracking ? TOFT_REDZONE_BYTES : 0);
}

static bool is_last(const toft_arena *arena, const void *object, size_t size) {
    return (uintptr_t)object + toft_arena_rounded(toft_max(size, 1)) == (uintptr_t)arena->cur;
}

/* Grows or shrinks the last object, if its chunk has room. */
static bool resize_last(toft_arena *arena, void *object, size_t old_size, size_t new_size) {
    if (new_size > (size_t)(toft_arena_current(arena)->end - (char *)object)) return false;
    arena->high = toft_arena_high(arena);
    arena->cur = (char *)object + toft_arena_rounded(toft_max(new_size, 1));
    if (toft_tracking() && new_size > old_size) toft_track_resized(object, old_size, new_size);
    TOFT_ASSERT(toft_arena_is_sound(arena));
    return true;
}

void *toft_arena_resize(toft_arena *arena, void *object, size_t old_size, size_t new_size,
                        size_t alignment) {
    if (object == NULL) return toft_arena_alloc(arena, new_size, alignment);
    toft_arena_enter(arena);
    if (!toft_is_power_of_two(alignment)) return NULL;
    if (((uintptr_t)object & (alignment - 1)) == 0) {
        bool in_place = is_last(arena, object, old_size)
                            ? resize_last(arena, object, old_size, new_size)
                            : new_size <= old_size;
        if (in_place) {
            if (toft_tracking() && new_size < old_size)
                toft_track_free((char *)object + new_size, old_size - new_size);
            return object;
        }
    }
    void *copy = toft_arena_alloc(arena, new_size, alignment);
    if (copy == NULL) return NULL;
    memcpy(copy, object, toft_min(old_size, new_size));
    if (toft_tracking()) toft_track_free(object, old_size);
    return copy;
}
