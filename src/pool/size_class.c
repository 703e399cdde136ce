/* SPDX-License-Identifier: MIT */
#include "pool/size_class.h"

#define COUNTED(entry) ((unsigned char)(entry))

/* Entry i is the class of a size of 8i - 7 to 8i bytes, rounded up to its default alignment. */
#define ROUNDED(i) ((i) <= 1 ? (size_t)8 : ((size_t)(i) + 1) / 2 * 16)
#define CLASS(i) COUNTED(TOFT_POOL_CLASS_OF(ROUNDED(i)))
const unsigned char toft_pool_class_table[129] = {
    TOFT_SIXTY_FOUR(CLASS, 0),
    TOFT_SIXTY_FOUR(CLASS, 64),
    CLASS(128),
};

#define DEPTH(size_class) COUNTED(TOFT_MAGAZINE_DEPTH_OF(TOFT_SLOT_BYTES(size_class)))
const unsigned char toft_magazine_depths[] = {TOFT_EACH_CLASS(DEPTH)};
static_assert(sizeof toft_magazine_depths == TOFT_POOL_CLASSES,
              "TOFT_EACH_CLASS has an entry for each class");
