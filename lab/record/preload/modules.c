/* SPDX-License-Identifier: MIT */
#include "modules.h"

#include "output.h"

#include <dlfcn.h>
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <unistd.h>

enum { known_most = 1024, build_id_most = 64 };

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

/* Among the notes of a module whose headers are mapped at its beginning. */
static struct part build_id_at(const char *begin, uintptr_t bias) {
    const struct part none = {"", 0};
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)(const void *)begin;
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return none;
    const ElfW(Phdr) *segments = (const ElfW(Phdr) *)(const void *)(begin + header->e_phoff);
    for (size_t i = 0; i < header->e_phnum; ++i) {
        if (segments[i].p_type != PT_NOTE) continue;
        const char *at = (const char *)(bias + segments[i].p_vaddr);
        const char *end = at + segments[i].p_memsz;
        while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
            const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(const void *)at;
            const char *name = at + sizeof *note;
            const char *content = name + ((note->n_namesz + 3u) & ~3u);
            const char *next = content + ((note->n_descsz + 3u) & ~3u);
            if (next > end || next <= at) break;
            if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
                memcmp(name, "GNU", 4) == 0 && note->n_descsz <= build_id_most)
                return (struct part){content, note->n_descsz};
            at = next;
        }
    }
    return none;
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

static void write_module(uint32_t module, const struct dl_find_object *object) {
    static char room[2 * PATH_MAX];
    const struct link_map *map = object->dlfo_link_map;
    const struct part id = build_id_at(object->dlfo_map_start, map->l_addr);
    const char *path = path_of(map, room);
    const struct toft_module_payload payload = {module, (uint32_t)id.bytes, (uint32_t)strlen(path),
                                                0};
    const struct part parts[] = {{&payload, sizeof payload}, id, {path, payload.path_bytes}};
    write_block(toft_block_module, 1, parts, 3);
}

struct place place_of(uintptr_t address) {
    for (size_t i = known_count; i-- > 0;)
        if (address >= known[i].begin && address < known[i].end) return known[i].place;
    struct dl_find_object object;
    if (_dl_find_object((void *)address, &object) != 0 || !object.dlfo_link_map)
        return (struct place){0, 0};
    const struct place place = {++next_module, object.dlfo_link_map->l_addr};
    write_module(place.module, &object);
    if (known_count == known_most) known_count = 0; /* they are written once more, no harm */
    known[known_count].begin = (uintptr_t)object.dlfo_map_start;
    known[known_count].end = (uintptr_t)object.dlfo_map_end;
    known[known_count].place = place;
    ++known_count;
    return place;
}
