// SPDX-License-Identifier: MIT
#pragma once

// The first Ctrl-C asks the lab to stop; it still prints and writes what was measured. A second one
// kills it.
namespace toft::lab {

void catch_interrupts();
bool interrupted();

} // namespace toft::lab
