// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>

// Tells on a stream how far the runs have come: on a terminal one line that is redrawn, with the
// count and the time left; elsewhere a plain line now and then, when a
// stage begins.
namespace toft::lab {

class progress {
  public:
    explicit progress(std::FILE *stream); // null: tells nothing
    ~progress();
    progress(const progress &) = delete;
    progress &operator=(const progress &) = delete;

    // So many runs, of so much work together, in a unit of the caller's. Zero when it isn't known:
    // then the time left isn't either.
    void expect(std::size_t runs, double work);
    void start(const std::string &stage, const std::string &detail);
    void finish(double work); // the run that was started last, and its share
    void clear();             // takes the line away before something else is printed

  private:
    std::string time_left() const;
    bool is_time_for_a_line();

    std::FILE *stream_;
    bool redraws_;
    bool drawn_ = false;
    std::size_t runs_ = 0;
    std::size_t finished_ = 0;
    double work_ = 0;
    double done_ = 0;
    std::string stage_;
    std::chrono::steady_clock::time_point begin_;
    std::chrono::steady_clock::time_point last_line_;
};

} // namespace toft::lab
