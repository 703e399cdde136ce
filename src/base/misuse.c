/* SPDX-License-Identifier: MIT */
#include "base/misuse.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"

/* The log of a service has the lines of many processes that have the drop-in. A program that has
   Toft itself is known to whoever reads its lines. */
static void add_speaker(toft_text *text) {
#if defined(TOFT_DROPIN)
    toft_text_add(text, "toft-malloc[");
    toft_text_add_number(text, (size_t)getpid());
    toft_text_add(text, "]: ");
#else
    toft_text_add(text, "toft: ");
#endif
}

static void add_subject(toft_text *text, const toft_misused *misused) {
    if (misused->call != NULL) {
        toft_text_add(text, misused->call);
        toft_text_add(text, "(");
    }
    toft_text_add_address(text, misused->subject);
    toft_text_add(text, misused->call != NULL ? "): " : ": ");
    if (misused->pool == NULL) return;
    toft_text_add(text, "pool '");
    toft_text_add_clipped(text, misused->pool);
    toft_text_add(text, "': ");
}

static void add_bytes(toft_text *text, size_t bytes) {
    toft_text_add_number(text, bytes);
    toft_text_add(text, bytes == 1 ? " byte" : " bytes");
}

static void add_freed_as(toft_text *text, const toft_freed_as *freed_as) {
    toft_text_add(text, freed_as->named == TOFT_NAMED_CLASS ? ": as up to " : ": as ");
    add_bytes(text, freed_as->bytes);
    if (freed_as->named != TOFT_NAMED_BOTH) return;
    toft_text_add(text, " (aligned to ");
    toft_text_add_number(text, freed_as->alignment);
    toft_text_add(text, ")");
}

/* The size was right, and the alignment alone wrong. */
static bool is_misaligned(const toft_misused *misused) {
    return misused->freed_as.named == TOFT_NAMED_BOTH && misused->place.offset_bytes == 0 &&
           !misused->place.is_slot && misused->freed_as.bytes == misused->place.bytes;
}

/* What was freed by a wrong size is told with its own; else an object's own address needs no more
   words. */
static void add_place(toft_text *text, const toft_misused *misused) {
    const toft_place *place = &misused->place;
    bool is_wrong = misused->freed_as.named != TOFT_NAMED_RIGHT;
    if (is_wrong) add_freed_as(text, &misused->freed_as);
    if (place->bytes == 0 || (place->offset_bytes == 0 && !is_wrong)) return;
    if (is_misaligned(misused)) {
        toft_text_add(text, ", but it is an object of this size with another alignment");
        return;
    }
    toft_text_add(text, is_wrong ? ", but it " : "; it ");
    if (place->offset_bytes != 0) {
        toft_text_add(text, "lies ");
        add_bytes(text, place->offset_bytes);
        toft_text_add(text, " behind the beginning of ");
    } else {
        toft_text_add(text, place->is_slot ? "lies in " : "is ");
    }
    toft_text_add(text, place->is_slot ? "a slot of " : "an object of ");
    add_bytes(text, place->bytes);
}

void toft_misuse_of(const toft_misused *misused) {
    toft_text text = {.length = 0};
    add_speaker(&text);
    add_subject(&text, misused);
    toft_text_add(&text, misused->message);
    add_place(&text, misused);
    toft_text_add(&text, "\n");
    toft_text_write(&text, 2);
    abort();
}

void toft_misuse(const void *subject, const char *message) {
    toft_misuse_of(&(toft_misused){.subject = subject, .message = message});
}

void toft_misuse_of_size(const void *subject, const char *message, toft_freed_as freed_as,
                         size_t allocated_bytes) {
    toft_misuse_of(&(toft_misused){.subject = subject,
                                   .message = message,
                                   .freed_as = freed_as,
                                   .place = {.bytes = allocated_bytes}});
}
