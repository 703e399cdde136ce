// SPDX-License-Identifier: MIT
// What decides which operation comes next in a model's sequence: a seed in the property tests, the
// fuzzer's input in the fuzzers.
#ifndef TOFT_TESTS_PROPERTY_CHOICES_HPP
#define TOFT_TESTS_PROPERTY_CHOICES_HPP

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

} // namespace toft_test

#endif
