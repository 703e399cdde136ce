// SPDX-License-Identifier: MIT
// The property test's sequences, chosen by the fuzzer.
#include "property/arena_model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *bytes, std::size_t size) {
    toft_test::choices choice(bytes, size);
    toft_test::run_arena_sequence(choice, 5000);
    return 0;
}
