// SPDX-License-Identifier: MIT
// A sequence of operations on a reap beside a model that knows what must be true: objects don't
// overlap, are aligned and keep their contents; rewinding takes exactly what came since; not a byte
// is lost.
#ifndef TOFT_TESTS_PROPERTY_REAP_MODEL_HPP
#define TOFT_TESTS_PROPERTY_REAP_MODEL_HPP

#include "property/choices.hpp"

namespace toft_test {

// Runs up to so many operations on a reap with options of its own. Returns how many it ran; aborts
// with a message when something that must be true isn't.
std::size_t run_reap_sequence(choices &choice, std::size_t operations);

// Thousands of objects a step. Returns whether slots were reused in the order of memory.
bool run_large_reap_sequence(choices &choice, std::size_t steps);

} // namespace toft_test

#endif
