/* SPDX-License-Identifier: MIT */
/* What is said of a broken rule, and of the object that the address lies in. */
#include "base/misuse.h"

#include "pool/any.h"

/* --- where an address lies --- */

static toft_place place_in_slot(const void *address) {
    const toft_span *span = toft_span_of(address);
    if (span == NULL || !toft_span_contains(span, address)) return (toft_place){.bytes = 0};
    size_t slot_bytes = toft_slot_bytes(span->size_class);
    size_t offset = (size_t)((const char *)address - span->start) % slot_bytes;
    return (toft_place){.offset_bytes = offset, .bytes = slot_bytes, .is_slot = true};
}

toft_place toft_place_of(const void *address) {
    if (toft_map_class(address) >= 0) return place_in_slot(address);
    const void *object = toft_map_find_large_down(address);
    if (object == NULL) return (toft_place){.bytes = 0};
    const toft_large *record = toft_large_record(object);
    size_t offset = (size_t)((const char *)address - (const char *)object);
    bool lies_in_it = offset < toft_large_usable_bytes(record);
    return (toft_place){.offset_bytes = offset, .bytes = lies_in_it ? record->size : 0};
}

/* --- what is said --- */

void toft_pool_misuse_by(const toft_pool *pool, const char *call, const void *object,
                         const char *message) {
    toft_misuse_of(&(toft_misused){.pool = call == NULL ? pool->name : NULL,
                                   .call = call,
                                   .subject = object,
                                   .message = message,
                                   .place = toft_place_of(object)});
}

void toft_pool_misuse(const toft_pool *pool, const void *object, const char *message) {
    toft_pool_misuse_by(pool, NULL, object, message);
}

static const char wrong_size[] = "freed with another size or alignment than it was allocated with";

void toft_pool_misuse_of_size(const toft_pool *pool, const void *object, toft_freed_as freed_as,
                              toft_place place) {
    toft_misuse_of(&(toft_misused){.pool = pool->name,
                                   .subject = object,
                                   .message = wrong_size,
                                   .freed_as = freed_as,
                                   .place = place});
}

/* Threads may note at once, each under the lock of another depot. The first wins, since the parts
   of two notes would tell what never was. Release: who sees the message sees what it is about. */
static void note(toft_pool *pool, const void *object, const char *message, unsigned size_class) {
    const void *none = NULL;
    if (!__atomic_compare_exchange_n(&pool->misused, &none, object, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
        return;
    __atomic_store_n(&pool->misused_class, (unsigned char)size_class, __ATOMIC_RELAXED);
    __atomic_store_n(&pool->misuse, message, __ATOMIC_RELEASE);
}

TOFT_COLD void toft_pool_note_misuse(toft_pool *pool, const void *object, const char *message) {
    note(pool, object, message, 0);
}

TOFT_COLD void toft_pool_note_wrong_size(toft_pool *pool, const void *slot, unsigned size_class) {
    note(pool, slot, wrong_size, size_class);
}

/* Once: a handler of SIGABRT comes here again. */
toft_misused toft_pool_take_misuse(toft_pool *pool) {
    toft_misused noted = {.pool = pool->name};
    noted.message = __atomic_exchange_n(&pool->misuse, NULL, __ATOMIC_ACQUIRE);
    if (noted.message == NULL) return noted;
    noted.subject = __atomic_load_n(&pool->misused, __ATOMIC_RELAXED);
    noted.place = toft_place_of(noted.subject);
    if (noted.message == wrong_size) {
        unsigned size_class = __atomic_load_n(&pool->misused_class, __ATOMIC_RELAXED);
        noted.freed_as = (toft_freed_as){TOFT_NAMED_CLASS, toft_slot_bytes(size_class), 0};
    }
    __atomic_store_n(&pool->misused, NULL, __ATOMIC_RELEASE); /* the next note may come */
    return noted;
}

TOFT_COLD void toft_pool_tell_misuse_slow(toft_pool *pool) {
    toft_misused noted = toft_pool_take_misuse(pool);
    if (noted.message != NULL) toft_misuse_of(&noted);
}
