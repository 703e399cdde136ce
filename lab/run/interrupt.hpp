// SPDX-License-Identifier: MIT
#pragma once

// The first Ctrl-C asks the lab to stop, and so does the end of its terminal (SIGHUP) or a SIGTERM;
// it still writes and prints what was measured. A second one kills it.
namespace toft::lab {

void catch_interrupts();
bool interrupted();

} // namespace toft::lab
