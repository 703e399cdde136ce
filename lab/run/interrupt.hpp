// SPDX-License-Identifier: MIT
#pragma once

#include <exception>

// The first Ctrl-C asks the lab to stop, and so does the end of its terminal (SIGHUP) or a SIGTERM;
// it still writes and prints what was measured. A second one kills it.
namespace toft::lab {

void catch_interrupts();
bool interrupted();

// Ends work of which a part is worth nothing.
struct interruption : std::exception {
    const char *what() const noexcept override { return "interrupted"; }
};
void stop_if_interrupted(); // throws it

} // namespace toft::lab
