// SPDX-License-Identifier: MIT
// A sequence of operations on an arena beside a model that knows what must be true: objects don't
// overlap, are aligned, keep their contents; limits hold; statistics agree; deferred functions run
// in order.
#ifndef TOFT_TESTS_PROPERTY_ARENA_MODEL_HPP
#define TOFT_TESTS_PROPERTY_ARENA_MODEL_HPP

#include "property/choices.hpp"

namespace toft_test {

// Runs up to so many operations on an arena with options of its own. Returns how many it ran;
// aborts with a message when something that must be true isn't.
std::size_t run_arena_sequence(choices &choice, std::size_t operations);

} // namespace toft_test

#endif
