/* SPDX-License-Identifier: MIT */
#include "module_file.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

/* Among the notes of a module whose headers are mapped at its beginning. */
static void find_build_id(struct module_file *m) {
    const char *begin = (const char *)m->begin;
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)(const void *)begin;
    m->build_id = "";
    m->build_id_bytes = 0;
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return;
    const ElfW(Phdr) *segments = (const ElfW(Phdr) *)(const void *)(begin + header->e_phoff);
    for (size_t i = 0; i < header->e_phnum; ++i) {
        if (segments[i].p_type != PT_NOTE) continue;
        const char *at = (const char *)(m->bias + segments[i].p_vaddr);
        const char *end = at + segments[i].p_memsz;
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

/* The loader's name of the executable is empty, and a library's may be relative. */
static const char *path_of(const struct link_map *map, char room[static 2 * PATH_MAX]) {
    const char *name = map->l_name ? map->l_name : "";
    if (*name == '/') return name;
    if (*name == '\0') {
        const ssize_t n = readlink("/proc/self/exe", room, PATH_MAX - 1);
        room[n < 0 ? 0 : n] = '\0';
        return room;
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
    find_build_id(m);
    return true;
}
