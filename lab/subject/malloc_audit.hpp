// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace toft::lab {

// Takes some thousand objects of this process's malloc, writes a stamp to every byte of each, and
// looks whether each still has its own: while all live, after every other one is freed and taken
// again, and after some are resized. A malloc that hands out memory twice, or less than was asked
// for, could win every race; it is found here, after the clocks have stopped, in the very process
// that was measured. Says what is wrong; empty: nothing. Takes a few milliseconds.
std::string audit_malloc();

} // namespace toft::lab
