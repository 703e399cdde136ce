/* SPDX-License-Identifier: MIT */
#include "exits.h"

#include "record/preload/unwind_table.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { exits_most = 256, halt = 0xf4 };

struct exit {
    uintptr_t at;
    uintptr_t target; /* of a jump; 0: it is a return */
};

static struct exit exits[exits_most];
static atomic_size_t exit_count;

static const struct exit *exit_at(uintptr_t address) {
    const size_t n = atomic_load_explicit(&exit_count, memory_order_acquire);
    for (size_t i = 0; i < n; ++i)
        if (exits[i].at == address) return &exits[i];
    return NULL;
}

/* --- finding them --- */

/* The length of an operand in a register or in memory, by the byte behind the opcode. */
static size_t operand_bytes(const unsigned char *operand) {
    const unsigned mode = operand[0] >> 6, base = operand[0] & 7;
    const bool is_scaled = mode != 3 && base == 4;
    const bool has_no_base = mode == 0 && (is_scaled ? operand[1] & 7 : base) == 5;
    const size_t distance_bytes = mode == 1 ? 1 : mode == 2 || has_no_base ? 4 : 0;
    return 1 + (size_t)is_scaled + distance_bytes;
}

/* The length of an instruction that computes or moves values, in registers or memory: compilers put
 * some between the last pop and the return. 0: it is another one, behind which nothing is read: it
 * may be the last of its page. */
static size_t harmless_bytes(const unsigned char *code) {
    static const unsigned char with_operand[] = {0x01, 0x03, 0x09, 0x0b, 0x21, 0x23, 0x29, 0x2b,
                                                 0x31, 0x33, 0x63, 0x88, 0x89, 0x8a, 0x8b, 0x8d};
    const size_t prefix = (code[0] & 0xf0) == 0x40;
    const unsigned char *op = code + prefix;
    if (memchr(with_operand, op[0], sizeof with_operand)) return prefix + 1 + operand_bytes(op + 1);
    if (op[0] == 0x83 || op[0] == 0xc6) /* with a number of a byte */
        return prefix + 1 + operand_bytes(op + 1) + 1;
    if (op[0] == 0x81 || op[0] == 0xc7) return prefix + 1 + operand_bytes(op + 1) + 4;
    if (op[0] >= 0xb8 && op[0] <= 0xbf && (prefix == 0 || !(code[0] & 8))) return prefix + 5;
    if (op[0] == 0x0f && (op[1] == 0x1f || (op[1] & 0xf6) == 0xb6)) /* nop; to a wider register */
        return prefix + 2 + operand_bytes(op + 2);
    if (code[0] == 0xc5 && code[1] == 0xf8 && code[2] == 0x77) return 3; /* vzeroupper */
    return 0;
}

static bool is_return(const unsigned char *code) {
    return code[0] == 0xc3 || ((code[0] == 0xf2 || code[0] == 0xf3) && code[1] == 0xc3);
}

/* The instruction that leaves, from where the frame is gone. A jump may lead to a return that
 * several paths share. */
static bool find_exit(uintptr_t function, uintptr_t at, struct exit *found) {
    for (int jumps = 0; jumps < 2;) {
        const unsigned char *code = (const unsigned char *)at;
        const size_t harmless = harmless_bytes(code);
        if (harmless) {
            at += harmless;
            continue;
        }
        *found = (struct exit){.at = at};
        if (is_return(code) || exit_at(at)) return true;
        if (code[0] != 0xe9 && code[0] != 0xeb) return false;
        int32_t distance = (int8_t)code[1];
        if (code[0] == 0xe9) memcpy(&distance, code + 1, sizeof distance);
        const uintptr_t target = at + (code[0] == 0xe9 ? 5 : 2) + (uintptr_t)(intptr_t)distance;
        found->target = target;
        if (function_of(target) != function) return true;
        at = target;
        ++jumps;
    }
    return false;
}

/* --- watching them --- */

static bool write_halt(uintptr_t at) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *start = (void *)(at & ~(page - 1));
    if (mprotect(start, page, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
    __atomic_store_n((unsigned char *)at, (unsigned char)halt, __ATOMIC_SEQ_CST);
    return mprotect(start, page, PROT_READ | PROT_EXEC) == 0;
}

/* It is in the table before anyone can come to it. */
static bool watch(const struct exit *e) {
    if (exit_at(e->at)) return *(const unsigned char *)e->at == halt || write_halt(e->at);
    const size_t n = atomic_load_explicit(&exit_count, memory_order_relaxed);
    if (n == exits_most) return false;
    exits[n] = *e;
    atomic_store_explicit(&exit_count, n + 1, memory_order_release);
    return write_halt(e->at);
}

/* With a shadow stack, a return that the handler does would be one too few there. */
static bool has_shadow_stack(void) {
    enum { shadow_stack_status = 0x5005 };
    unsigned long features = 0;
    return syscall(SYS_arch_prctl, shadow_stack_status, &features) == 0 && (features & 1);
}

static bool is_frameless(struct unwind_rule rule) {
    return rule.kind == frame_from_sp && rule.offset == sizeof(uintptr_t);
}

unsigned watch_exits(uintptr_t function) {
    unsigned others = 0;
    const bool can_watch = !has_shadow_stack();
    struct unwind_rule rule;
    bool had_frame = false;
    for (uintptr_t at = function; next_unwind_rule(&at, &rule); had_frame = !is_frameless(rule)) {
        struct exit found;
        if (!had_frame || !is_frameless(rule)) continue;
        if (!can_watch || !find_exit(function, at, &found) || !watch(&found)) ++others;
    }
    return others;
}

/* --- when they come --- */

bool is_at_exit(const ucontext_t *context, uintptr_t *frame_end, uintptr_t *target) {
    const struct exit *e = exit_at((uintptr_t)context->uc_mcontext.gregs[REG_RIP]);
    if (!e) return false;
    *target = e->target;
    *frame_end = (uintptr_t)context->uc_mcontext.gregs[REG_RSP] + sizeof(uintptr_t);
    return true;
}

void leave_function(ucontext_t *context) {
    greg_t *registers = context->uc_mcontext.gregs;
    const struct exit *e = exit_at((uintptr_t)registers[REG_RIP]);
    if (e->target) {
        registers[REG_RIP] = (greg_t)e->target;
        return;
    }
    registers[REG_RIP] = *(const greg_t *)registers[REG_RSP];
    registers[REG_RSP] += (greg_t)sizeof(greg_t);
}
