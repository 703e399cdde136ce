/* SPDX-License-Identifier: MIT */
#include <assert.h>

#include <toft/reap.h>

/* For a size of 8i bytes, what toft_reap_class computes of a size that the compiler knows;
   tests/unit/reap.cpp compares them. */
const unsigned char toft_reap_class_table[129] = {
    0,  0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 16, 16, 16, 17,
    17, 17, 17, 18, 18, 18, 18, 19, 19, 19, 19, 20, 20, 20, 20, 20, 20, 20, 20, 21, 21, 21,
    21, 21, 21, 21, 21, 22, 22, 22, 22, 22, 22, 22, 22, 23, 23, 23, 23, 23, 23, 23, 23, 24,
    24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 25, 25, 25, 25, 25, 25, 25,
    25, 25, 25, 25, 25, 25, 25, 25, 25, 26, 26, 26, 26, 26, 26, 26, 26, 26, 26, 26, 26, 26,
    26, 26, 26, 27, 27, 27, 27, 27, 27, 27, 27, 27, 27, 27, 27, 27, 27, 27, 27,
};

/* What toft_reap_slot_bytes computes of a class that the compiler knows. */
const uint16_t toft_reap_slot_table[] = {
    8,    16,   24,   32,   40,    48,    56,    64,    72,    80,    88,    96,
    104,  112,  120,  128,  160,   192,   224,   256,   320,   384,   448,   512,
    640,  768,  896,  1024, 1280,  1536,  1792,  2048,  2560,  3072,  3584,  4096,
    5120, 6144, 7168, 8192, 10240, 12288, 14336, 16384, 20480, 24576, 28672, 32768,
    32,   64,   128,  256,  512,   1024,  2048,  4096,  8192,  16384, 32768,
};
static_assert(sizeof toft_reap_slot_table / sizeof *toft_reap_slot_table == TOFT_REAP_CLASSES,
              "a slot for each class");
static_assert(TOFT_REAP_SLOT_MAX <= UINT16_MAX, "the table has 16 bits for a slot's size");
static_assert(sizeof toft_reap_class_table == 1024 / 8 + 1, "an entry for 8 bytes up to 1024");
