/* SPDX-License-Identifier: MIT */
#include "chunk/spare.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "os/tracking.h"

static_assert(sizeof(toft_spare) <= TOFT_SPARE_GRANULE_BYTES, "the least piece holds its note");

/* While a tool tracks memory, a piece is poisoned, except for its note. */
static void write_note(void *piece, toft_spare note) {
    if (toft_tracking()) toft_track_allocated(piece, sizeof note);
    *(toft_spare *)piece = note;
}

static char *end_of(const toft_spare *piece) { return (char *)(uintptr_t)piece + piece->bytes; }

/* Pieces lie by address, and those that touch each other are joined. */
static bool is_sound(const toft_spare *list) {
    for (; list != NULL; list = list->next) {
        if (list->bytes == 0 || list->bytes % TOFT_SPARE_GRANULE_BYTES != 0) return false;
        if (list->next != NULL && (uintptr_t)end_of(list) >= (uintptr_t)list->next) return false;
    }
    return true;
}

void *toft_spare_take(toft_spare **list, size_t bytes) {
    TOFT_ASSERT(bytes != 0 && bytes % TOFT_SPARE_GRANULE_BYTES == 0);
    TOFT_ASSERT(is_sound(*list));
    toft_spare **best = NULL;
    for (toft_spare **link = list; *link != NULL; link = &(*link)->next)
        if ((*link)->bytes >= bytes && (best == NULL || (*link)->bytes < (*best)->bytes))
            best = link;
    if (best == NULL) return NULL;
    toft_spare *taken = *best;
    toft_spare *rest = taken->next;
    if (taken->bytes != bytes) {
        rest = (toft_spare *)(void *)((char *)taken + bytes);
        write_note(rest, (toft_spare){taken->next, taken->bytes - bytes});
    }
    *best = rest;
    if (toft_tracking()) toft_track_allocated(taken, bytes);
    return taken;
}

size_t toft_spare_largest(const toft_spare *list) {
    size_t largest = 0;
    for (; list != NULL; list = list->next)
        if (list->bytes > largest) largest = list->bytes;
    return largest;
}

void toft_spare_give(toft_spare **list, void *memory, size_t bytes) {
    TOFT_ASSERT(bytes != 0 && bytes % TOFT_SPARE_GRANULE_BYTES == 0);
    toft_spare *before = NULL, *behind = *list;
    while (behind != NULL && (uintptr_t)behind < (uintptr_t)memory) {
        before = behind;
        behind = behind->next;
    }
    if (toft_tracking()) toft_track_free(memory, bytes);
    toft_spare *given = memory;
    write_note(given, (toft_spare){behind, bytes});
    if (before == NULL)
        *list = given;
    else
        before->next = given;
    if (behind != NULL && end_of(given) == (char *)behind) {
        given->next = behind->next;
        given->bytes += behind->bytes;
    }
    if (before != NULL && end_of(before) == (char *)given) {
        before->next = given->next;
        before->bytes += given->bytes;
    }
    TOFT_ASSERT(is_sound(*list));
}

void toft_spare_forget(const toft_spare *list) {
    for (; list != NULL; list = list->next) toft_track_readable(list, list->bytes);
}
