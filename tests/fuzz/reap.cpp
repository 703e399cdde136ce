// SPDX-License-Identifier: MIT
// The property test's sequences, chosen by the fuzzer.
#include "property/reap_model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *bytes, std::size_t size) {
    toft_test::choices choice(bytes, size);
    toft_test::run_reap_sequence(choice, 5000);
    return 0;
}
