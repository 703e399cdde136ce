/* SPDX-License-Identifier: MIT */
#include "regions.h"

#include "plan_file.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <sys/mman.h>

enum { page_bytes = 4096, largest_chunk = 1 << 20, header_bytes = 16 };

/* What is reserved at most; a process that may not have as much address space gets less. */
static const size_t area_most = (size_t)1 << 40;
enum { objects_most = 1 << 26, regions_most = 1 << 24, chunks_most = 1 << 25 };

struct chunk {
    uintptr_t at;
    size_t bytes;
    uint32_t former; /* of the same region */
};

/* Objects that are alive, and one while the region may still place more in it: then, when nothing
 * lives there, its memory is given back. */
struct page {
    atomic_uint region;
    atomic_uint users;
};

static struct {
    uintptr_t begin;
    size_t bytes;
    atomic_size_t used;
    struct page *pages;
    struct placed_object *objects;
    struct region *regions;
    struct chunk *chunks;
    size_t objects_room, regions_room, chunks_room;
    atomic_size_t object_count, region_count, chunk_count; /* from 1 */
} area;

static void *reserve(size_t bytes, int protection) {
    void *memory =
        mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* The area and its tables, all of them smaller by so many bits. */
static bool reserve_all(unsigned smaller) {
    area.bytes = area_most >> smaller;
    area.objects_room = (size_t)objects_most >> smaller;
    area.regions_room = (size_t)regions_most >> smaller;
    area.chunks_room = (size_t)chunks_most >> smaller;
    const size_t sizes[] = {
        area.bytes / page_bytes * sizeof *area.pages, area.objects_room * sizeof *area.objects,
        area.regions_room * sizeof *area.regions, area.chunks_room * sizeof *area.chunks};
    const size_t tables = sizes[0] + sizes[1] + sizes[2] + sizes[3];
    void *memory = reserve(area.bytes, PROT_NONE);
    if (!memory) return false;
    char *table = reserve(tables, PROT_READ | PROT_WRITE);
    if (!table) return munmap(memory, area.bytes), false;
    area.begin = (uintptr_t)memory;
    area.pages = (struct page *)(void *)table;
    area.objects = (struct placed_object *)(void *)(table + sizes[0]);
    area.regions = (struct region *)(void *)(table + sizes[0] + sizes[1]);
    area.chunks = (struct chunk *)(void *)(table + sizes[0] + sizes[1] + sizes[2]);
    return true;
}

bool prepare_regions(void) {
    enum { smallest = 12 };
    for (unsigned smaller = 0; smaller <= smallest; ++smaller)
        if (reserve_all(smaller)) return true;
    return false;
}

bool is_placed(const void *p) { return (uintptr_t)p - area.begin < area.bytes; }

/* The next number of a table; 0: it is full. */
static uint32_t next_number(atomic_size_t *used, size_t room) {
    if (atomic_load_explicit(used, memory_order_relaxed) + 1 >= room) return 0;
    const size_t number = atomic_fetch_add(used, 1) + 1;
    return number < room ? (uint32_t)number : 0;
}

static struct page *page_at(uintptr_t address) {
    return &area.pages[(address - area.begin) / page_bytes];
}

uint32_t region_at(uintptr_t address) {
    return address - area.begin < area.bytes
               ? atomic_load_explicit(&page_at(address)->region, memory_order_relaxed)
               : 0;
}

/* --- regions --- */

uint32_t begin_region(struct region r) {
    const uint32_t number = next_number(&area.region_count, area.regions_room);
    if (number == 0) return 0;
    area.regions[number] = r;
    count(&plan->begun, 1);
    return number;
}

struct region *region_of_number(uint32_t number) { return &area.regions[number]; }

/* A new mapping rather than a protection: the memory goes, and the kernel joins it with the
 * unreadable ones beside it. A process that has as many mappings as it may gets none, but where the
 * chunk has one to itself, that one can still be protected. */
static bool hide(const struct chunk *c) {
    void *at = (void *)c->at;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    if (mmap(at, c->bytes, PROT_NONE, flags, -1, 0) != MAP_FAILED) return true;
    if (mprotect(at, c->bytes, PROT_NONE) != 0) return false;
    madvise(at, c->bytes, MADV_DONTNEED);
    return true;
}

void end_region(uint32_t number, uint32_t end_node, bool is_late) {
    struct region *r = &area.regions[number];
    r->end_node = end_node;
    r->is_late = is_late;
    __atomic_store_n(&r->ended, true, __ATOMIC_RELEASE);
    bool is_readable = false;
    for (uint32_t i = __atomic_load_n(&r->last_chunk, __ATOMIC_ACQUIRE); i != 0;
         i = area.chunks[i].former)
        is_readable |= !hide(&area.chunks[i]);
    count(&plan->ended, 1);
    count(&plan->ended_late, is_late);
    count(&plan->ended_readable, is_readable);
}

/* --- their memory --- */

static uintptr_t take_pages(uint32_t number, size_t bytes, unsigned users) {
    if (bytes > area.bytes - atomic_load_explicit(&area.used, memory_order_relaxed)) return 0;
    const uint32_t chunk = next_number(&area.chunk_count, area.chunks_room);
    const size_t offset = chunk ? atomic_fetch_add(&area.used, bytes) : area.bytes;
    if (offset > area.bytes || bytes > area.bytes - offset) return 0;
    const uintptr_t at = area.begin + offset;
    if (mprotect((void *)at, bytes, PROT_READ | PROT_WRITE) != 0) return 0;
    for (uintptr_t page = at; page < at + bytes; page += page_bytes) {
        atomic_store_explicit(&page_at(page)->users, users, memory_order_relaxed);
        atomic_store_explicit(&page_at(page)->region, number, memory_order_relaxed);
    }
    struct region *r = &area.regions[number];
    area.chunks[chunk] = (struct chunk){.at = at, .bytes = bytes};
    area.chunks[chunk].former = __atomic_load_n(&r->last_chunk, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&r->last_chunk, &area.chunks[chunk].former, chunk, false,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {}
    return at;
}

static void give_back(uintptr_t begin, uintptr_t end) {
    if (begin < end) madvise((void *)begin, end - begin, MADV_DONTNEED);
}

/* Pages that nobody uses any more lose their memory, since they are never used again. */
static void leave_pages(uintptr_t begin, uintptr_t end) {
    uintptr_t page = begin & ~(uintptr_t)(page_bytes - 1), unused = page;
    for (; page < end; page += page_bytes) {
        if (atomic_fetch_sub(&page_at(page)->users, 1) == 1) continue;
        give_back(unused, page);
        unused = page + page_bytes;
    }
    give_back(unused, page);
}

static void use_pages(uintptr_t begin, uintptr_t end) {
    for (uintptr_t page = begin & ~(uintptr_t)(page_bytes - 1); page < end; page += page_bytes)
        atomic_fetch_add_explicit(&page_at(page)->users, 1, memory_order_relaxed);
}

/* --- objects --- */

/* The end of an object that begins here takes at least a byte, so that its address is its own. */
static uintptr_t end_of(uintptr_t at, size_t bytes) { return at + (bytes ? bytes : 1); }

static void *put_object(uintptr_t at, uint32_t number, size_t bytes, uint32_t node) {
    const uint32_t record = next_number(&area.object_count, area.objects_room);
    if (record == 0) return NULL;
    area.objects[record] = (struct placed_object){.at = at, .bytes = bytes, .node = node};
    area.objects[record].region = number & INT32_MAX;
    use_pages(at - header_bytes, end_of(at, bytes));
    *(uint64_t *)(at - header_bytes) = record;
    if (__atomic_fetch_add(&area.regions[number].live, 1, __ATOMIC_RELAXED) == 0)
        count(&plan->lives, 1);
    return (void *)at;
}

static uintptr_t rounded_up(uintptr_t value, size_t alignment) {
    return (value + alignment - 1) & ~(uintptr_t)(alignment - 1);
}

/* What an object takes in whole pages, with its record before it; 0: too much. */
static size_t pages_for(size_t bytes, size_t alignment) {
    if (bytes > area.bytes / 2 || alignment > area.bytes / 4) return 0;
    return rounded_up(bytes + alignment + 2 * header_bytes, page_bytes);
}

static void *place_alone(uint32_t region, size_t bytes, size_t alignment, uint32_t node) {
    const size_t taken = pages_for(bytes, alignment);
    const uintptr_t at = taken ? take_pages(region, taken, 0) : 0;
    if (at == 0) return NULL;
    return put_object(rounded_up(at + header_bytes, alignment), region, bytes, node);
}

void *place_apart(uint32_t region, size_t bytes, uint32_t node) {
    return place_alone(region, bytes, header_bytes, node);
}

/* A region's chunks double, so that small ones take a page and large ones few mappings. */
static bool open_chunk(uint32_t number, size_t needed) {
    struct region *r = &area.regions[number];
    size_t bytes = r->chunk_bytes ? r->chunk_bytes * 2 : page_bytes;
    if (bytes > largest_chunk) bytes = largest_chunk;
    while (bytes < needed) bytes *= 2;
    const uintptr_t at = take_pages(number, bytes, 1);
    if (at == 0) return false;
    r->chunk_bytes = bytes;
    r->next = at;
    r->limit = at + bytes;
    return true;
}

void *place_in_region(uint32_t number, size_t bytes, size_t alignment, uint32_t node) {
    struct region *r = &area.regions[number];
    if (alignment < header_bytes) alignment = header_bytes;
    if (bytes > largest_chunk / 4 || alignment > page_bytes)
        return place_alone(number, bytes, alignment, node);
    uintptr_t at = rounded_up(r->next + header_bytes, alignment);
    if (r->next == 0 || end_of(at, bytes) > r->limit) {
        if (!open_chunk(number, pages_for(bytes, alignment))) return NULL;
        at = rounded_up(r->next + header_bytes, alignment);
    }
    void *object = put_object(at, number, bytes, node);
    if (!object) return NULL;
    const uintptr_t former = r->next & ~(uintptr_t)(page_bytes - 1);
    r->next = rounded_up(end_of(at, bytes), header_bytes);
    const uintptr_t filled = r->next & ~(uintptr_t)(page_bytes - 1);
    if (former < filled) leave_pages(former, filled);
    return object;
}

struct placed_object *object_at(const void *p) {
    const uintptr_t at = (uintptr_t)p;
    if (at % header_bytes != 0 || region_at(at - header_bytes) == 0) return NULL;
    const uint64_t record = *(const uint64_t *)(at - header_bytes);
    if (record == 0 || record > atomic_load(&area.object_count) || area.objects[record].at != at ||
        area.objects[record].is_freed)
        return NULL;
    return &area.objects[record];
}

void free_object(struct placed_object *o) {
    o->is_freed = 1;
    __atomic_fetch_sub(&area.regions[o->region].live, 1, __ATOMIC_RELAXED);
    leave_pages(o->at - header_bytes, end_of(o->at, o->bytes));
}

const struct placed_object *search_object(uintptr_t address) {
    const uint32_t region = region_at(address);
    const struct placed_object *best = NULL;
    size_t last = atomic_load(&area.object_count);
    if (last >= area.objects_room) last = area.objects_room - 1;
    for (size_t i = 1; i <= last; ++i) {
        const struct placed_object *o = &area.objects[i];
        if (o->region == region && o->at <= address && (!best || o->at > best->at)) best = o;
    }
    return best;
}
