// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace toft::lab {

// The highest resident memory of this process since this was made, beyond what it had then.
class resident_peak {
  public:
    resident_peak();
    std::uint64_t bytes() const;

  private:
    std::uint64_t bytes_before_;
};

// Gives free memory back, and forgets the highest mark so far. memory_watch::hear_of_peak believes
// what it hears of a program only where that is more than this process's mark: where the mark is
// low, the peaks of small programs are heard, too.
void become_small();

} // namespace toft::lab
