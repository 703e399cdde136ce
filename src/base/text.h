/* SPDX-License-Identifier: MIT */
/* A few lines of text, put together and written without stdio, which might allocate. What doesn't
 * fit is left out, but for the end of the last line. */
#ifndef TOFT_BASE_TEXT_H
#define TOFT_BASE_TEXT_H

#include <stddef.h>

#define TOFT_TEXT_BYTES 1024
#define TOFT_TEXT_CLIPPED_BYTES 64

typedef struct toft_text {
    size_t length;
    char bytes[TOFT_TEXT_BYTES];
} toft_text;

void toft_text_add(toft_text *text, const char *added);
/* For what the user has chosen, such as a name. Of a longer one TOFT_TEXT_CLIPPED_BYTES are added,
   the last of them dots, so that what comes behind it fits. */
void toft_text_add_clipped(toft_text *text, const char *added);
/* In decimal digits; for an address in hexadecimal ones, as printf's %p. */
void toft_text_add_number(toft_text *text, size_t number);
void toft_text_add_address(toft_text *text, const void *address);
/* To a file descriptor. Waits for who reads slowly; one that is set not to wait may lose the rest.
   errno stays. */
void toft_text_write(const toft_text *text, int file);

#endif
