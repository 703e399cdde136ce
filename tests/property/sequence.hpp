// SPDX-License-Identifier: MIT
// What the sequences of all models have in common.
#ifndef TOFT_TESTS_PROPERTY_SEQUENCE_HPP
#define TOFT_TESTS_PROPERTY_SEQUENCE_HPP

#include "property/choices.hpp"
#include "support/counting_upstream.hpp"

namespace toft_test {

// Up to so many steps. Returns how many.
template <class Sequence>
std::size_t run_steps(Sequence &sequence, const choices &choice, std::size_t operations) {
    std::size_t done = 0;
    for (; done < operations && !choice.exhausted(); done++) sequence.step();
    return done;
}

// An upstream that works fails from now on, at some call or from there on; one that fails works
// again. Returns whether it fails.
inline bool turn_failures(choices &choice, counting_upstream &upstream, bool failing) {
    if (failing)
        upstream.work_again();
    else
        upstream.fail_at(1 + choice.below(3), choice.one_in(2));
    return !failing;
}

} // namespace toft_test

#endif
