// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>

// Shows on a stream how many runs are done. On a terminal it is one line that is drawn again and
// again, with the count and the time left; elsewhere it is a plain line now and then, when a stage
// begins.
namespace toft::lab {

class progress {
  public:
    explicit progress(std::FILE *stream); // null: tells nothing
    ~progress();
    progress(const progress &) = delete;
    progress &operator=(const progress &) = delete;

    // Announces so many runs and their work together, in any unit that the caller likes. When the
    // work isn't known it is zero, and the time left isn't shown. Who doesn't know
    // the runs either doesn't call this, and no total is shown.
    void expect(std::size_t runs, double work);
    void start(const std::string &stage, const std::string &detail);
    void finish(double work); // ends the run that was started last, which was so much work
    void clear();             // takes the line away before something else is printed

  private:
    std::string count() const;
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
