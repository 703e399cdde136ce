/* SPDX-License-Identifier: MIT */
#include "eh_frame.h"

#include <dlfcn.h>
#include <string.h>

enum { encoded_absolute = 0x00, encoded_relative = 0x10 };

uint64_t read_fixed(struct cursor *c, size_t bytes, bool is_signed) {
    uint64_t value = 0;
    if ((size_t)(c->end - c->at) < bytes) {
        c->at = c->end;
        return 0;
    }
    memcpy(&value, c->at, bytes);
    c->at += bytes;
    if (!is_signed || bytes == 8) return value;
    const uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    return (value ^ sign) - sign;
}

uint64_t read_uleb(struct cursor *c) {
    uint64_t value = 0;
    for (unsigned shift = 0; c->at < c->end; shift += 7) {
        const uint8_t byte = *c->at++;
        if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) break;
    }
    return value;
}

int64_t read_sleb(struct cursor *c) {
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte = 0;
    while (c->at < c->end) {
        byte = *c->at++;
        if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
        if (byte < 0x80) break;
    }
    if (shift < 64 && (byte & 0x40)) value |= ~UINT64_C(0) << shift;
    return (int64_t)value;
}

/* The low half of an encoding is the format, the high half what the number is relative to. */
static uint64_t read_encoded(struct cursor *c, uint8_t encoding) {
    const uint64_t base =
        (encoding & 0x70) == encoded_relative ? (uint64_t)(uintptr_t)c->at : encoded_absolute;
    switch (encoding & 0x0f) {
    case 0x01:
        return base + read_uleb(c);
    case 0x02:
        return base + read_fixed(c, 2, false);
    case 0x03:
        return base + read_fixed(c, 4, false);
    case 0x09:
        return base + (uint64_t)read_sleb(c);
    case 0x0a:
        return base + read_fixed(c, 2, true);
    case 0x0b:
        return base + read_fixed(c, 4, true);
    default:
        return base + read_fixed(c, 8, false);
    }
}

/* --- the entry of a function: its description and the instructions for its frame --- */

struct common_part {
    struct cursor instructions;
    uint64_t code_step;
    int64_t data_step;
    uint8_t address_encoding;
    bool has_augmentation, is_signal_frame;
};

/* A record begins with its length and ends where that says. */
static bool open_record(const uint8_t *at, struct cursor *c) {
    uint32_t length;
    memcpy(&length, at, sizeof length);
    if (length == 0 || length == UINT32_MAX) return false;
    c->at = at + sizeof length;
    c->end = c->at + length;
    return true;
}

static bool read_augmentation(struct cursor *c, const char *letters, struct common_part *part) {
    if (*letters == '\0') return true;
    if (*letters != 'z') return false;
    const uint64_t bytes = read_uleb(c);
    if (bytes > (uint64_t)(c->end - c->at)) return false;
    const uint8_t *behind = c->at + bytes;
    part->has_augmentation = true;
    for (const char *letter = letters + 1; *letter; ++letter) {
        if (*letter == 'R' && c->at < c->end) part->address_encoding = *c->at++;
        if (*letter == 'L') ++c->at;
        if (*letter == 'P' && c->at < c->end) {
            const uint8_t encoding = *c->at++;
            (void)read_encoded(c, encoding);
        }
        if (*letter == 'S') part->is_signal_frame = true;
    }
    c->at = behind;
    return true;
}

static bool read_common_part(const uint8_t *at, struct common_part *part) {
    struct cursor c;
    *part = (struct common_part){.address_encoding = encoded_absolute};
    if (!open_record(at, &c)) return false;
    c.at += 4; /* a zero, where another record has the distance of this one */
    const uint8_t version = (uint8_t)read_fixed(&c, 1, false);
    const char *letters = (const char *)c.at;
    while (c.at < c.end && *c.at) ++c.at;
    ++c.at;
    part->code_step = read_uleb(&c);
    part->data_step = read_sleb(&c);
    const uint64_t column = version == 1 ? read_fixed(&c, 1, false) : read_uleb(&c);
    if (column != dwarf_return_address || !read_augmentation(&c, letters, part)) return false;
    part->instructions = c;
    return true;
}

static bool read_entry(const uint8_t *at, struct entry *e) {
    struct cursor c;
    if (!open_record(at, &c)) return false;
    const uint8_t *distance_at = c.at;
    const uint64_t distance = read_fixed(&c, 4, false);
    struct common_part common;
    if (!read_common_part(distance_at - distance, &common)) return false;
    if ((common.address_encoding & 0x70) > encoded_relative) return false;
    e->begin = (uintptr_t)read_encoded(&c, common.address_encoding);
    e->end = e->begin + (uintptr_t)read_encoded(&c, common.address_encoding & 0x0f);
    if (common.has_augmentation) {
        const uint64_t bytes = read_uleb(&c);
        if (bytes > (uint64_t)(c.end - c.at)) return false;
        c.at += bytes;
    }
    e->common = common.instructions;
    e->own = c;
    e->code_step = common.code_step;
    e->data_step = common.data_step;
    e->is_signal_frame = common.is_signal_frame;
    return true;
}

/* The table at the head of .eh_frame_hdr: pairs of a function's begin and its entry, in order. */
bool find_entry(uintptr_t address, struct entry *e) {
    struct dl_find_object object;
    if (_dl_find_object((void *)address, &object) != 0) return false;
    const uint8_t *header = (const uint8_t *)object.dlfo_eh_frame;
    enum { usual_pointer = 0x1b, usual_count = 0x03, usual_table = 0x3b };
    if (!header || header[0] != 1 || header[1] != usual_pointer || header[2] != usual_count ||
        header[3] != usual_table)
        return false;
    uint32_t count;
    memcpy(&count, header + 8, sizeof count);
    const uint8_t *table = header + 12;
    const int64_t wanted = (int64_t)(address - (uintptr_t)header);
    uint32_t low = 0, high = count; /* the first whose begin lies beyond is in between */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        int32_t begin;
        memcpy(&begin, table + (size_t)middle * 8, sizeof begin);
        if (begin <= wanted)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0) return false;
    int32_t offset;
    memcpy(&offset, table + (size_t)(low - 1) * 8 + 4, sizeof offset);
    return read_entry(header + offset, e) && e->begin <= address && address < e->end;
}
