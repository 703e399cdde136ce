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

} // namespace toft::lab
