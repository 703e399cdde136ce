/* SPDX-License-Identifier: MIT */
#include "finding.h"

#include "nodes.h"
#include "plan_file.h"
#include "record/preload/module_file.h"
#include "regions.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The finding's module of an address; UINT32_MAX: it lies in no file, or there is no room. */
static uint32_t module_of(struct toft_verify_finding *f, const struct module_file *m) {
    for (uint32_t i = 0; i < f->module_count; ++i)
        if (strcmp(f->modules[i].path, m->path) == 0) return i;
    if (f->module_count == toft_verify_modules_most) return UINT32_MAX;
    struct toft_verify_module *to = &f->modules[f->module_count];
    strncpy(to->path, m->path, sizeof to->path - 1);
    memcpy(to->build_id, m->build_id, m->build_id_bytes);
    to->build_id_bytes = (uint32_t)m->build_id_bytes;
    return f->module_count++;
}

static void write_stack(struct toft_verify_finding *f, struct toft_verify_stack *s, uint32_t node) {
    static char room[2 * PATH_MAX];
    for (; node != 0; node = place_of_node(node)->parent) {
        if (s->count == toft_verify_frames_most) {
            s->is_cut = 1;
            return;
        }
        const uintptr_t address = place_of_node(node)->address;
        struct module_file m;
        struct toft_verify_frame *to = &s->frames[s->count++];
        *to = (struct toft_verify_frame){.module = UINT32_MAX, .address = address};
        if (!find_module_file(address - 1, &m, room)) continue;
        to->module = module_of(f, &m);
        to->address = address - m.bias;
    }
}

static void write_finding(struct toft_verify_finding *f, const struct placed_object *o,
                          uintptr_t address, uint32_t used_node) {
    const struct region *r = region_of_number(region_at(address));
    f->process = (uint32_t)getpid();
    f->is_late = r->is_late;
    if (o) {
        f->object_bytes = o->bytes;
        f->offset = address - o->at;
        f->was_freed = o->is_freed;
        write_stack(f, &f->made, o->node);
    }
    write_stack(f, &f->ended, r->end_node);
    write_stack(f, &f->used, used_node);
}

void end_with_finding(enum toft_verify_use use, const char *system_call, uintptr_t address,
                      uint32_t used_node) {
    const uint32_t number = __atomic_fetch_add(&plan->findings_begun, 1, __ATOMIC_RELAXED);
    if (number < toft_verify_findings_most) {
        struct toft_verify_finding *f = &plan->findings[number];
        f->use = use;
        if (system_call) strncpy(f->system_call, system_call, sizeof f->system_call - 1);
        write_finding(f, search_object(address), address, used_node);
        __atomic_store_n(&f->is_complete, 1, __ATOMIC_RELEASE);
    }
    for (;;) syscall(SYS_exit_group, toft_verify_exit_status);
}
