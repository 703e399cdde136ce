/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdint.h>

/* What run/launcher.c tells the lab of the program that it has started. */
struct launch_report {
    uint64_t begun_ns; /* of the monotonic clock, just before */
    int32_t program;   /* its process id; below 0: it couldn't be started */
    int32_t error;     /* why */
};
