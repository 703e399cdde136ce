/* SPDX-License-Identifier: MIT */
#include "unwind_table.h"

#include "eh_frame.h"

/* Of DWARF's expressions, those that are understood. */
enum { op_breg0 = 0x70, op_deref = 0x06 };

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
