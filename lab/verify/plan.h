/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_VERIFY_PLAN_H
#define TOFT_LAB_VERIFY_PLAN_H

#include <limits.h>
#include <stdint.h>

/* What the command says to the library that it preloads, for `toft verify` and for a rehearsal
 * (lab/rehearse), and what that answers: one file, which both of them, and every process that the
 * program starts, map as shared memory. So what was counted is there however a process ends.
 *
 *     struct toft_verify_plan | modules | steps | code of inlined copies | sites
 *
 * The advised stacks are a tree of steps, from the region's function down to the heap: step 0 is
 * the function, and those that follow a step stand side by side. */

#define TOFT_VERIFY_FILE "TOFT_VERIFY_FILE" /* in the environment: its path */

enum {
    toft_verify_version = 8,
    toft_verify_exit_status = 5, /* of a process that used an object after its region */
    toft_verify_build_id_most = 64,
    toft_verify_frames_most = 48,
    toft_verify_modules_most = 24, /* in the stacks of one finding */
    toft_verify_findings_most = 4,
    toft_verify_parts_most = 8, /* of the region's function: compilers set some of its code apart */
};

/* By its build id; by its path where it has none. */
struct toft_verify_module {
    uint32_t build_id_bytes;
    uint32_t reserved; /* what follows the modules begins at a multiple of 8 */
    uint8_t build_id[toft_verify_build_id_most];
    char path[PATH_MAX];
};

struct toft_verify_step {
    uint32_t first, count; /* the steps that follow this one */
    uint32_t module;       /* and the address in its file to which the call returns */
    uint32_t site;         /* the heap is called here, as the site of this number less one; 0: no */
    uint64_t address;
};

/* A piece of an inlined copy of the region's function, in the file of its module. Inner copies come
 * first. */
struct toft_verify_code {
    uint32_t copy; /* from 1 */
    uint32_t reserved;
    uint64_t begin, end;
};

struct toft_verify_frame {
    uint32_t module; /* of the finding's modules */
    uint32_t reserved;
    uint64_t address; /* in its file */
};

/* Innermost first. */
struct toft_verify_stack {
    uint32_t count;
    uint32_t is_cut; /* there are more frames */
    struct toft_verify_frame frames[toft_verify_frames_most];
};

enum toft_verify_use {
    toft_verify_read,
    toft_verify_write,
    toft_verify_free,
    toft_verify_resize,
    toft_verify_system_call,
};

struct toft_verify_finding {
    uint32_t is_complete;
    uint32_t use; /* enum toft_verify_use */
    uint32_t process;
    uint32_t is_late;   /* the end was seen later: `ended` is where */
    uint32_t was_freed; /* before the region's end */
    uint32_t module_count;
    uint64_t object_bytes;
    uint64_t offset; /* of the used byte */
    char system_call[16];
    struct toft_verify_stack made, ended, used;
    struct toft_verify_module modules[toft_verify_modules_most];
};

/* What a rehearsal does with the advised objects. */
enum toft_rehearsed_way {
    toft_rehearse_looking, /* nothing: it only looks for them, which takes time too */
    toft_rehearse_placing, /* they are made in an arena */
};

/* Which other objects come into that arena, while it holds any: none, those that the module in
 * which most of the advised calls of the heap are makes, or those of the functions in which they
 * are. */
enum { toft_hook_module = 1, toft_hook_functions };

/* For a rehearsal. What is counted in it, one thread counts. */
struct toft_rehearsed {
    uint32_t way;         /* enum toft_rehearsed_way */
    uint32_t hook;        /* toft_hook_…; 0: none */
    uint32_t hook_module; /* of the plan's modules */
    uint32_t by_current;  /* objects come and go by the calls of <toft/current.h> */
    uint64_t most_bytes;  /* that the arena may hold */
    uint64_t others;      /* objects that came into the arena by the hook */
    uint64_t frees;       /* of objects in it */
    /* The teardown: from the first of the frees behind which nothing more is placed to the last, in
     * all lives, and how many they are. */
    double teardown_ns;
    uint64_t teardown_frees;
    /* The clock is read once in so many frees, and takes so long each time. What a free takes
     * besides, on the way to the arena; and what all readings took, and finding this out. */
    uint32_t frees_a_reading;
    uint32_t with_sizes;  /* objects have their sizes in front, for a program that asks for them */
    uint64_t sizes_asked; /* of objects that have none */
    double reading_ns, free_ns;
    double clock_ns;
    double
        object_ns; /* what one takes that is made and freed, beside what it would in the program */
};

struct toft_verify_plan {
    uint32_t version;
    uint32_t module_count, step_count, code_count, site_count;
    uint32_t region_module; /* and where the parts of its function begin in the module's file */
    uint32_t part_count;
    uint32_t reserved;
    uint64_t region_parts[toft_verify_parts_most];
    /* What was counted, in all processes. Changed by atomic operations. */
    uint64_t processes;    /* that have loaded the region's module and called its function */
    uint64_t placed;       /* objects */
    uint64_t not_placed;   /* objects, since an address space or a table was full */
    uint64_t begun, ended; /* regions */
    uint64_t lives;      /* of these: from when none of its objects is alive until none is again */
    uint64_t ended_late; /* of these, when that was seen later */
    uint64_t ended_readable; /* of these, when their memory couldn't be made unreadable */
    uint64_t other_exits;    /* where the region's function returns, that can't be watched */
    struct toft_rehearsed rehearsed;
    uint32_t findings_begun;
    uint32_t reserved2;
    struct toft_verify_finding findings[toft_verify_findings_most];
};

static inline struct toft_verify_module *toft_verify_modules(struct toft_verify_plan *p) {
    return (struct toft_verify_module *)(void *)(p + 1);
}

static inline struct toft_verify_step *toft_verify_steps(struct toft_verify_plan *p) {
    return (struct toft_verify_step *)(void *)(toft_verify_modules(p) + p->module_count);
}

static inline struct toft_verify_code *toft_verify_copies(struct toft_verify_plan *p) {
    return (struct toft_verify_code *)(void *)(toft_verify_steps(p) + p->step_count);
}

/* How many objects were made at each site. */
static inline uint64_t *toft_verify_seen(struct toft_verify_plan *p) {
    return (uint64_t *)(void *)(toft_verify_copies(p) + p->code_count);
}

#endif
