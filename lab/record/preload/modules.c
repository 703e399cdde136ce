/* SPDX-License-Identifier: MIT */
#include "modules.h"

#include "module_file.h"
#include "output.h"

enum { known_most = 1024 };

static struct {
    uintptr_t begin, end;
    struct place place;
} known[known_most];
static size_t known_count;
static uint32_t next_module;

void forget_modules(void) { known_count = 0; }

void renew_modules(void) {
    known_count = 0;
    next_module = 0;
}

static void write_module(uint32_t module, const struct module_file *m) {
    const struct toft_module_payload payload = {module, (uint32_t)m->build_id_bytes,
                                                (uint32_t)strlen(m->path), 0};
    const struct part parts[] = {{&payload, sizeof payload},
                                 {m->build_id, m->build_id_bytes},
                                 {m->path, payload.path_bytes}};
    write_block(toft_block_module, 1, parts, 3);
}

struct place place_of(uintptr_t address) {
    static char room[2 * PATH_MAX];
    for (size_t i = known_count; i-- > 0;)
        if (address >= known[i].begin && address < known[i].end) return known[i].place;
    struct module_file m;
    if (!find_module_file(address, &m, room)) return (struct place){0, 0};
    const struct place place = {++next_module, m.bias};
    write_module(place.module, &m);
    if (known_count == known_most) known_count = 0; /* they are written once more, no harm */
    known[known_count].begin = m.begin;
    known[known_count].end = m.end;
    known[known_count].place = place;
    ++known_count;
    return place;
}
