// SPDX-License-Identifier: MIT
// A sequence of operations on an arena, chosen by a stream of numbers, beside a model that knows
// what must be true: objects don't overlap, are aligned, keep their contents; limits hold;
// statistics agree; deferred functions run in order. The property test draws the numbers from a
// seed, the fuzzer from its input.
#ifndef TOFT_TESTS_PROPERTY_MODEL_HPP
#define TOFT_TESTS_PROPERTY_MODEL_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace toft_test {

// Numbers below a bound: from a generator, endless, or from bytes, until they are used up.
class choices {
  public:
    explicit choices(std::uint64_t seed) : state_(seed) {}
    choices(const unsigned char *bytes, std::size_t size) : bytes_(bytes), left_(size) {}

    bool exhausted() const { return bytes_ != nullptr && left_ == 0; }

    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }
    bool one_in(std::size_t n) { return below(n) == 0; }

  private:
    std::uint64_t next() {
        if (bytes_ == nullptr) { // splitmix64
            std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
            z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
            z = (z ^ z >> 27) * 0x94d049bb133111eb;
            return z ^ z >> 31;
        }
        std::uint32_t number = 0;
        std::size_t taken = left_ < sizeof number ? left_ : sizeof number;
        std::memcpy(&number, bytes_, taken);
        bytes_ += taken;
        left_ -= taken;
        return number;
    }

    std::uint64_t state_ = 0;
    const unsigned char *bytes_ = nullptr;
    std::size_t left_ = 0;
};

// Runs up to so many operations on an arena with options of its own. Returns how many it ran;
// aborts with a message when something that must be true isn't.
std::size_t run_sequence(choices &choice, std::size_t operations);

} // namespace toft_test

#endif
