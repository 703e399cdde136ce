// SPDX-License-Identifier: MIT
// Linked to the other tests here, so that their pools have as many shards as 64 processors do.
#include "os/fake/fake.h"

__attribute__((constructor)) static void at_load() { toft_fake_set_processors(64); }
