/* SPDX-License-Identifier: MIT */
#include "pool/size_class.h"

/* For a size of 8i - 7 to 8i bytes, rounded up to its default alignment;
   tests/unit/pool_classes.cpp compares it with the formula. */
const unsigned char toft_pool_class_table[129] = {
    0,  0,  1,  3,  3,  5,  5,  7,  7,  9,  9,  11, 11, 13, 13, 15, 15, 16, 16, 17, 17, 18,
    18, 19, 19, 20, 20, 21, 21, 22, 22, 23, 23, 24, 24, 25, 25, 26, 26, 27, 27, 28, 28, 29,
    29, 30, 30, 31, 31, 32, 32, 33, 33, 34, 34, 35, 35, 36, 36, 37, 37, 38, 38, 39, 39, 40,
    40, 40, 40, 40, 40, 40, 40, 41, 41, 41, 41, 41, 41, 41, 41, 42, 42, 42, 42, 42, 42, 42,
    42, 43, 43, 43, 43, 43, 43, 43, 43, 44, 44, 44, 44, 44, 44, 44, 44, 45, 45, 45, 45, 45,
    45, 45, 45, 46, 46, 46, 46, 46, 46, 46, 46, 47, 47, 47, 47, 47, 47, 47, 47,
};

/* At most 64 KiB of slots: what toft_magazine_depth_of computes with a division. The same test
   compares them. */
const unsigned char toft_magazine_depths[TOFT_POOL_CLASSES] = {
    62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62,
    62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62,
    62, 62, 62, 62, 56, 51, 46, 42, 39, 36, 34, 32, 28, 25, 23, 21, 19, 18, 17, 16, 14, 12,
    11, 10, 9,  9,  8,  8,  7,  6,  5,  5,  4,  4,  4,  4,  3,  3,  2,  2,  2,  2,  2,  2,
};
