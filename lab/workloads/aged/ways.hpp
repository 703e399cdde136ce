// SPDX-License-Identifier: MIT
#pragma once

#include "subject/session.hpp"

// The subjects of the suite `aged`. Each runs the session's case through its own door to memory
// (see programs.hpp).
namespace toft::lab {

void age_shared_pool(session &);
void age_reap(session &);
void age_arena(session &);
void age_malloc(session &);

} // namespace toft::lab
