// SPDX-License-Identifier: MIT
#pragma once

#include "plan.h"
#include "plan_of_advice.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

// The file of plan.h, for as long as this lives.
namespace toft::lab {

class shared_plan {
  public:
    // Throws std::system_error when it can't be made.
    explicit shared_plan(const region_plan &);
    ~shared_plan();
    shared_plan(const shared_plan &) = delete;
    shared_plan &operator=(const shared_plan &) = delete;

    const std::string &path() const { return path_; }
    // How many objects were made at each site.
    std::span<const std::uint64_t> seen() const { return seen_; }
    toft_verify_plan &operator*() const { return *plan_; }
    toft_verify_plan *operator->() const { return plan_; }

  private:
    std::string path_;
    std::size_t bytes_ = 0;
    toft_verify_plan *plan_ = nullptr;
    std::span<const std::uint64_t> seen_; // at the end of it
};

} // namespace toft::lab
