/* SPDX-License-Identifier: MIT */
#include "unwind_table.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/* Numbers of DWARF's registers on x86-64, its call frame instructions and its expressions. */
enum { dwarf_bp = 6, dwarf_sp = 7, dwarf_return_address = 16 };
enum { op_breg0 = 0x70, op_deref = 0x06 };
enum { encoded_absolute = 0x00, encoded_relative = 0x10 };

struct cursor {
    const uint8_t *at;
    const uint8_t *end;
};

static uint64_t read_fixed(struct cursor *c, size_t bytes, bool is_signed) {
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

static uint64_t read_uleb(struct cursor *c) {
    uint64_t value = 0;
    for (unsigned shift = 0; c->at < c->end; shift += 7) {
        const uint8_t byte = *c->at++;
        if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) break;
    }
    return value;
}

static int64_t read_sleb(struct cursor *c) {
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

struct entry {
    uintptr_t begin, end;
    struct cursor common; /* instructions that hold for many functions */
    struct cursor own;
    uint64_t code_step;
    int64_t data_step;
    bool is_signal_frame;
};

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
static bool find_entry(uintptr_t address, struct entry *e) {
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

/* --- the instructions, up to an address --- */

struct row {
    struct unwind_rule rule;
    uint64_t frame_register;
    bool frame_by_expression, bp_is_lost, is_outermost;
};

enum { remembered_most = 8 };

struct machine {
    const struct entry *of;
    uintptr_t location, wanted;
    struct row now, initial, remembered[remembered_most];
    unsigned remembered_count;
    bool failed;
};

static void set_offset(struct machine *m, int64_t offset) {
    if (offset < INT32_MIN || offset > INT32_MAX) m->failed = true;
    m->now.rule.offset = (int32_t)offset;
}

static void set_frame(struct machine *m, uint64_t base) {
    m->now.frame_register = base;
    m->now.frame_by_expression = false;
}

static void save_register(struct machine *m, uint64_t which, uint8_t how, int64_t offset) {
    if (which == dwarf_return_address && (how != bp_at_frame || offset != -8)) m->failed = true;
    if (which != dwarf_bp) return;
    m->now.bp_is_lost = offset < INT16_MIN || offset > INT16_MAX;
    m->now.rule.saved_bp = how;
    m->now.rule.bp_offset = (int16_t)offset;
}

/* The only expressions that compilers write: bp + offset, and what lies there. */
static bool read_bp_expression(struct machine *m, struct cursor *c, int64_t *offset,
                               bool *through) {
    const uint64_t bytes = read_uleb(c);
    if (bytes > (uint64_t)(c->end - c->at)) {
        m->failed = true;
        return false;
    }
    struct cursor inside = {c->at, c->at + bytes};
    c->at += bytes;
    if (read_fixed(&inside, 1, false) != op_breg0 + dwarf_bp) return false;
    *offset = read_sleb(&inside);
    *through = inside.at < inside.end && *inside.at == op_deref;
    inside.at += *through;
    return inside.at == inside.end;
}

static void frame_expression(struct machine *m, struct cursor *c) {
    int64_t offset = 0;
    bool through = false;
    m->now.frame_by_expression = true;
    if (read_bp_expression(m, c, &offset, &through) && through)
        m->now.frame_register = dwarf_bp;
    else
        m->now.frame_register = UINT64_MAX;
    set_offset(m, offset);
}

static void register_expression(struct machine *m, struct cursor *c, uint64_t which) {
    int64_t offset = 0;
    bool through = false;
    const bool known = read_bp_expression(m, c, &offset, &through) && !through;
    if (known)
        save_register(m, which, bp_at_bp, offset);
    else if (which == dwarf_bp)
        m->now.bp_is_lost = true;
    else if (which == dwarf_return_address)
        m->failed = true;
}

static void restore_register(struct machine *m, uint64_t which) {
    if (which != dwarf_bp) return;
    m->now.rule.saved_bp = m->initial.rule.saved_bp;
    m->now.rule.bp_offset = m->initial.rule.bp_offset;
    m->now.bp_is_lost = m->initial.bp_is_lost;
}

static void remember(struct machine *m) {
    if (m->remembered_count == remembered_most)
        m->failed = true;
    else
        m->remembered[m->remembered_count++] = m->now;
}

static void recall(struct machine *m) {
    if (m->remembered_count == 0)
        m->failed = true;
    else
        m->now = m->remembered[--m->remembered_count];
}

static void lose_register(struct machine *m, uint64_t which, bool undefined) {
    if (which == dwarf_bp) m->now.bp_is_lost = true;
    if (which == dwarf_return_address) {
        if (undefined)
            m->now.is_outermost = true;
        else
            m->failed = true;
    }
}

/* Instructions that say where the frame is, or how far the others have come. */
static bool run_for_frame(struct machine *m, struct cursor *c, uint8_t instruction) {
    const int64_t step = m->of->data_step;
    switch (instruction) {
    case 0x00:
        break;
    case 0x02:
        m->location += read_fixed(c, 1, false) * m->of->code_step;
        break;
    case 0x03:
        m->location += read_fixed(c, 2, false) * m->of->code_step;
        break;
    case 0x04:
        m->location += read_fixed(c, 4, false) * m->of->code_step;
        break;
    case 0x0a:
        remember(m);
        break;
    case 0x0b:
        recall(m);
        break;
    case 0x0c:
        set_frame(m, read_uleb(c));
        set_offset(m, (int64_t)read_uleb(c));
        break;
    case 0x0d:
        set_frame(m, read_uleb(c));
        break;
    case 0x0e:
        set_offset(m, (int64_t)read_uleb(c));
        break;
    case 0x0f:
        frame_expression(m, c);
        break;
    case 0x12:
        set_frame(m, read_uleb(c));
        set_offset(m, read_sleb(c) * step);
        break;
    case 0x13:
        set_offset(m, read_sleb(c) * step);
        break;
    case 0x2e:
        (void)read_uleb(c);
        break; /* the size of the arguments */
    default:
        return false;
    }
    return true;
}

/* Instructions that say where a register was saved. */
static void run_for_register(struct machine *m, struct cursor *c, uint8_t instruction) {
    const int64_t step = m->of->data_step;
    const uint64_t which = read_uleb(c);
    switch (instruction) {
    case 0x05:
        save_register(m, which, bp_at_frame, (int64_t)read_uleb(c) * step);
        break;
    case 0x06:
        restore_register(m, which);
        break;
    case 0x07:
        lose_register(m, which, true);
        break;
    case 0x08:
        if (which == dwarf_bp) m->now.rule.saved_bp = bp_kept;
        break;
    case 0x09:
    case 0x14:
    case 0x15: /* in another register, or a value: nothing that a frame pointer ever is */
        lose_register(m, which, false);
        (void)read_uleb(c);
        break;
    case 0x10:
        register_expression(m, c, which);
        break;
    case 0x11:
        save_register(m, which, bp_at_frame, read_sleb(c) * step);
        break;
    default:
        m->failed = true;
    }
}

static void run(struct machine *m, struct cursor c) {
    while (c.at < c.end && m->location <= m->wanted && !m->failed) {
        const uint8_t instruction = *c.at++;
        const uint8_t operand = instruction & 0x3f;
        switch (instruction >> 6) {
        case 1:
            m->location += operand * m->of->code_step;
            break;
        case 2:
            save_register(m, operand, bp_at_frame, (int64_t)read_uleb(&c) * m->of->data_step);
            break;
        case 3:
            restore_register(m, operand);
            break;
        default:
            if (!run_for_frame(m, &c, instruction)) run_for_register(m, &c, instruction);
        }
    }
}

static struct unwind_rule only_kind(enum frame_kind kind) {
    return (struct unwind_rule){.kind = (uint8_t)kind};
}

/* `next` becomes where the row ends that holds at the address. */
static struct unwind_rule rule_within(const struct entry *e, uintptr_t address, uintptr_t *next) {
    struct machine m = {.of = e, .location = e->begin, .wanted = address};
    m.now.frame_register = UINT64_MAX;
    run(&m, e->common);
    m.initial = m.now;
    run(&m, e->own);
    *next = m.location > address ? m.location : e->end;
    if (m.now.is_outermost) return only_kind(frame_outermost);
    const bool from_sp = m.now.frame_register == dwarf_sp && !m.now.frame_by_expression;
    if (m.failed || (!from_sp && m.now.frame_register != dwarf_bp)) return only_kind(frame_unknown);
    /* Without the caller's bp, what hangs on it can't be found: a value that leads nowhere. */
    if (m.now.bp_is_lost) return only_kind(frame_unknown);
    m.now.rule.kind = from_sp                     ? frame_from_sp
                      : m.now.frame_by_expression ? frame_through_bp
                                                  : frame_from_bp;
    return m.now.rule;
}

struct unwind_rule find_unwind_rule(uintptr_t address) {
    struct entry e;
    uintptr_t next;
    if (!find_entry(address, &e)) return only_kind(frame_chained);
    if (e.is_signal_frame) return only_kind(frame_of_signal);
    return rule_within(&e, address, &next);
}

bool next_unwind_rule(uintptr_t *address, struct unwind_rule *rule) {
    struct entry e;
    uintptr_t next, behind;
    if (!find_entry(*address, &e) || e.is_signal_frame) return false;
    (void)rule_within(&e, *address, &next);
    if (next >= e.end) return false;
    *address = next;
    *rule = rule_within(&e, next, &behind);
    return true;
}

uintptr_t function_of(uintptr_t address) {
    struct entry e;
    return find_entry(address, &e) ? e.begin : address;
}
