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

// Gives free memory back, and forgets the highest mark so far. A process that is started looks as
// large as this one from outside until it is the other program.
void become_small();

} // namespace toft::lab
