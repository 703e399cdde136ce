/* SPDX-License-Identifier: MIT */
#include "module_file.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

struct headers {
    const ElfW(Phdr) * first;
    size_t count;
};

/* A module's program headers may lie anywhere in its file, in no memory even. The kernel says where
 * the executable's are; those of a library are taken from its first page alone, which is where
 * linkers put them. (dl_iterate_phdr() knows them all, and takes the loader's lock.) */
static struct headers find_headers(const struct module_file *m, const struct link_map *map) {
    const struct headers none = {NULL, 0};
    if (!map->l_prev && map->l_name && *map->l_name == '\0')
        return (struct headers){(const ElfW(Phdr) *)getauxval(AT_PHDR), getauxval(AT_PHNUM)};
    const ElfW(Ehdr) *file = (const ElfW(Ehdr) *)m->begin;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (memcmp(file->e_ident, ELFMAG, SELFMAG) != 0 || file->e_phoff > page ||
        file->e_phnum * sizeof(ElfW(Phdr)) > page - file->e_phoff)
        return none;
    return (struct headers){(const ElfW(Phdr) *)(m->begin + file->e_phoff), file->e_phnum};
}

/* Whether a segment, such as that of notes, lies in memory that can be read. */
static bool is_loaded(struct headers all, const ElfW(Phdr) * segment) {
    for (size_t i = 0; i < all.count; ++i) {
        const ElfW(Phdr) *l = &all.first[i];
        if (l->p_type == PT_LOAD && (l->p_flags & PF_R) && segment->p_vaddr >= l->p_vaddr &&
            segment->p_vaddr - l->p_vaddr <= l->p_memsz &&
            segment->p_memsz <= l->p_memsz - (segment->p_vaddr - l->p_vaddr))
            return true;
    }
    return false;
}

static void find_build_id(struct module_file *m, const struct link_map *map) {
    m->build_id = "";
    m->build_id_bytes = 0;
    const struct headers all = find_headers(m, map);
    for (size_t i = 0; i < all.count; ++i) {
        if (all.first[i].p_type != PT_NOTE || !is_loaded(all, &all.first[i])) continue;
        const char *at = (const char *)(m->bias + all.first[i].p_vaddr);
        const char *end = at + all.first[i].p_memsz;
        while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
            const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(const void *)at;
            const char *name = at + sizeof *note;
            const char *content = name + ((note->n_namesz + 3u) & ~3u);
            const char *next = content + ((note->n_descsz + 3u) & ~3u);
            if (next > end || next <= at) break;
            if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
                memcmp(name, "GNU", 4) == 0 && note->n_descsz <= build_id_most) {
                m->build_id = content;
                m->build_id_bytes = note->n_descsz;
                return;
            }
            at = next;
        }
    }
}

/* A program that has changed its root can't ask any longer. */
static char executable[PATH_MAX];

static __attribute__((constructor(101))) void find_executable(void) {
    const ssize_t n = readlink("/proc/self/exe", executable, sizeof executable - 1);
    executable[n < 0 ? 0 : n] = '\0';
}

/* The loader's name of the executable is empty, and a library's may be relative. */
static const char *path_of(const struct link_map *map, char room[static 2 * PATH_MAX]) {
    const char *name = map->l_name ? map->l_name : "";
    if (*name == '/') return name;
    if (*name == '\0') {
        if (*executable == '\0') find_executable(); /* it is loaded only now */
        return executable;
    }
    if (!getcwd(room, PATH_MAX)) return name;
    const size_t length = strlen(room);
    room[length] = '/';
    strncpy(room + length + 1, name, PATH_MAX - 1);
    room[length + PATH_MAX] = '\0';
    return room;
}

bool find_module_file(uintptr_t address, struct module_file *m, char room[static 2 * PATH_MAX]) {
    struct dl_find_object object;
    if (_dl_find_object((void *)address, &object) != 0 || !object.dlfo_link_map) return false;
    m->begin = (uintptr_t)object.dlfo_map_start;
    m->end = (uintptr_t)object.dlfo_map_end;
    m->bias = object.dlfo_link_map->l_addr;
    m->path = path_of(object.dlfo_link_map, room);
    find_build_id(m, object.dlfo_link_map);
    return true;
}
