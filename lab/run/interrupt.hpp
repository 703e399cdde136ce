// SPDX-License-Identifier: MIT
#pragma once

// Ctrl-C asks the lab to stop: what was measured is still printed and written. A second one kills.
namespace toft::lab {

void catch_interrupts();
bool interrupted();

} // namespace toft::lab
