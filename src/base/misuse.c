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
    toft_text_add(text, misused->pool);
    toft_text_add(text, "': ");
}

static void add_place(toft_text *text, const toft_place *place) {
    if (place->offset_bytes == 0 || place->bytes == 0) return;
    toft_text_add(text, "; it lies ");
    toft_text_add_number(text, place->offset_bytes);
    toft_text_add(text, place->offset_bytes == 1 ? " byte" : " bytes");
    toft_text_add(text, " behind the beginning of ");
    toft_text_add(text, place->is_slot ? "a slot of " : "an object of ");
    toft_text_add_number(text, place->bytes);
    toft_text_add(text, " bytes");
}

void toft_misuse_of(const toft_misused *misused) {
    toft_text text = {.length = 0};
    add_speaker(&text);
    add_subject(&text, misused);
    toft_text_add(&text, misused->message);
    add_place(&text, &misused->place);
    toft_text_add(&text, "\n");
    toft_text_write(&text, 2);
    abort();
}

void toft_misuse(const void *subject, const char *message) {
    toft_misuse_of(&(toft_misused){.subject = subject, .message = message});
}
