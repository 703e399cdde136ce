/* SPDX-License-Identifier: MIT */
#include "plan_file.h"

#include "record/preload/module_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct toft_verify_plan *plan;

bool open_plan(void) {
    const char *path = getenv(TOFT_VERIFY_FILE);
    const int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return false;
    struct stat status;
    void *memory = MAP_FAILED;
    if (fstat(file, &status) == 0 && (size_t)status.st_size >= sizeof *plan)
        memory = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (memory == MAP_FAILED) return false;
    struct toft_verify_plan *found = memory;
    if (found->version == toft_verify_version) plan = found;
    return plan != NULL;
}

/* --- modules --- */

enum { known_most = 256, not_planned = INT32_MAX };

static struct {
    uintptr_t begin, end, bias;
    uint32_t module;
} known[known_most];
static size_t known_count;

void forget_planned_modules(void) { known_count = 0; }

static uint32_t number_of(const struct module_file *m) {
    const struct toft_verify_module *modules = toft_verify_modules(plan);
    for (uint32_t i = 0; i < plan->module_count; ++i) {
        if (modules[i].build_id_bytes != m->build_id_bytes) continue;
        if (m->build_id_bytes ? memcmp(modules[i].build_id, m->build_id, m->build_id_bytes) == 0
                              : strcmp(modules[i].path, m->path) == 0)
            return i;
    }
    return not_planned;
}

bool find_planned_module(uintptr_t address, uint32_t *module, uint64_t *in_file) {
    static char room[2 * PATH_MAX];
    size_t i = 0;
    while (i < known_count && (address < known[i].begin || address >= known[i].end)) ++i;
    if (i == known_count) {
        struct module_file m;
        if (!find_module_file(address, &m, room)) return false;
        if (known_count == known_most) known_count = 0;
        i = known_count++;
        known[i].begin = m.begin;
        known[i].end = m.end;
        known[i].bias = m.bias;
        known[i].module = number_of(&m);
    }
    *module = known[i].module;
    *in_file = address - known[i].bias;
    return *module != not_planned;
}
