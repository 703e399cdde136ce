/* SPDX-License-Identifier: MIT */
#include "base/text.h"

#include <stdint.h>
#include <unistd.h>

static void add_byte(toft_text *text, char byte) {
    if (text->length < TOFT_TEXT_BYTES) text->bytes[text->length++] = byte;
}

void toft_text_add(toft_text *text, const char *added) {
    for (; *added != '\0'; added++) add_byte(text, *added);
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

void toft_text_write(const toft_text *text, int file) {
    for (size_t written = 0; written < text->length;) {
        ssize_t more = write(file, text->bytes + written, text->length - written);
        if (more <= 0) return; /* nobody listens */
        written += (size_t)more;
    }
}
