// SPDX-License-Identifier: MIT
// A sequence of operations on a pool beside a model that knows what must be true: objects don't
// overlap, are aligned and keep their contents, whichever function made, resized or frees them;
// what can't be had changes nothing; limits hold; statistics agree.
#ifndef TOFT_TESTS_PROPERTY_POOL_MODEL_HPP
#define TOFT_TESTS_PROPERTY_POOL_MODEL_HPP

#include "property/choices.hpp"

namespace toft_test {

// Runs up to so many operations on a pool with options of its own. Returns how many it ran; aborts
// with a message when something that must be true isn't.
std::size_t run_pool_sequence(choices &choice, std::size_t operations);

} // namespace toft_test

#endif
