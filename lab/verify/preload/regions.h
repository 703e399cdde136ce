/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_VERIFY_REGIONS_H
#define TOFT_LAB_VERIFY_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Regions and their objects. Each region has pages of its own, which become unreadable at its end;
 * no address is ever used again. When the address space that was reserved at the start, or a table,
 * is full, nothing more is placed.
 *
 *     page of a region:  | record | object | record | object | ...
 *
 * The record's number stands in the 16 bytes before an object; what is known of the object lies
 * outside of the region, where it can be read after its end. */

struct region {               /* one call of the region's function */
    uintptr_t frame_end;      /* where the frame of its caller begins */
    uintptr_t return_address; /* to there */
    uintptr_t stack_high;     /* the end of the memory in which its stack lies */
    uintptr_t outermost_end;  /* of the outermost frame, which tells it from others in there */
    uint32_t copy;            /* of the function, that was inlined into this frame's; 0: none was */
    uintptr_t next, limit;    /* free memory of its last chunk */
    size_t chunk_bytes;
    uint32_t last_chunk;
    uint32_t live;     /* objects; changed by atomic operations */
    uint32_t outer;    /* the next region of the thread that is open */
    uint32_t end_node; /* the stack of its end; 0: it is open */
    bool ended, is_late;
    bool is_left; /* by a call in tail position, which runs in its frame's place */
};

struct placed_object {
    uintptr_t at;
    size_t bytes;
    uint32_t node; /* the stack that made it */
    uint32_t region : 31;
    uint32_t is_freed : 1;
};

bool prepare_regions(void);

/* Whether the address is one that a region has or had. */
bool is_placed(const void *);

/* Regions are numbered; 0: none. */
uint32_t begin_region(struct region);
struct region *region_of_number(uint32_t);
void end_region(uint32_t, uint32_t end_node, bool is_late);

/* The region in whose pages an address lies; 0: in none. */
uint32_t region_at(uintptr_t address);

/* By the region's own thread. NULL: there is no room. The memory reads as zeroes. */
void *place_in_region(uint32_t region, size_t bytes, size_t alignment, uint32_t node);

/* By any thread, with pages of its own. */
void *place_apart(uint32_t region, size_t bytes, uint32_t node);

/* An object whose region is open. NULL: it was freed before. */
struct placed_object *object_at(const void *);
void free_object(struct placed_object *);

/* What an address in an ended region belongs to. Looks at all objects. NULL: none is there. */
const struct placed_object *search_object(uintptr_t address);

#endif
