/* SPDX-License-Identifier: MIT */
#include "base/text.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* The last place is for the end of a line. */
static void add_byte(toft_text *text, char byte) {
    size_t room_bytes = byte == '\n' ? TOFT_TEXT_BYTES : TOFT_TEXT_BYTES - 1;
    if (text->length < room_bytes) text->bytes[text->length++] = byte;
}

void toft_text_add(toft_text *text, const char *added) {
    for (; *added != '\0'; added++) add_byte(text, *added);
}

void toft_text_add_clipped(toft_text *text, const char *added) {
    enum { dots = 3 };
    if (strlen(added) <= TOFT_TEXT_CLIPPED_BYTES) {
        toft_text_add(text, added);
        return;
    }
    for (size_t i = 0; i < TOFT_TEXT_CLIPPED_BYTES - dots; i++) add_byte(text, added[i]);
    for (unsigned i = 0; i < dots; i++) add_byte(text, '.');
}

static void add_digits(toft_text *text, uintptr_t number, unsigned base) {
    char digits[24];
    unsigned count = 0;
    do {
        digits[count++] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number != 0);
    while (count != 0) add_byte(text, digits[--count]);
}

void toft_text_add_number(toft_text *text, size_t number) { add_digits(text, number, 10); }

void toft_text_add_address(toft_text *text, const void *address) {
    toft_text_add(text, "0x");
    add_digits(text, (uintptr_t)address, 16);
}

static void write_all(const toft_text *text, int file) {
    for (size_t written = 0; written < text->length;) {
        ssize_t more = write(file, text->bytes + written, text->length - written);
        if (more < 0 && errno == EINTR) continue; /* by a signal, while the reader was slow */
        if (more <= 0) return;                    /* nobody listens */
        written += (size_t)more;
    }
}

void toft_text_write(const toft_text *text, int file) {
    int before = errno;
    write_all(text, file);
    errno = before;
}
