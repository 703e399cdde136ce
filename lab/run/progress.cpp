// SPDX-License-Identifier: MIT
#include "progress.hpp"

#include "tell.hpp"
#include "terminal.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace toft::lab {

progress::progress(std::FILE *stream)
    : stream_(stream),
      redraws_(stream && can_redraw(stream)),
      begin_(std::chrono::steady_clock::now()) {}

progress::~progress() { clear(); }

void progress::expect(std::size_t runs, double work) {
    runs_ = runs;
    work_ = work;
    finished_ = 0;
    done_ = 0;
    begin_ = std::chrono::steady_clock::now();
}

void progress::start(const std::string &stage, const std::string &detail) {
    if (!stream_) return;
    if (redraws_) {
        std::string line = fmt::format("{}{}{}: {}", count(), time_left(), stage, detail);
        line.resize(std::min(line.size(), columns_of(stream_) - 1));
        tell(stream_, "\r\x1b[K" + line);
        drawn_ = true;
    } else if (stage != stage_ && is_time_for_a_line()) {
        tell(stream_, fmt::format("{}{}{}\n", count(), time_left(), stage));
    }
    stage_ = stage;
    std::fflush(stream_);
}

bool progress::is_time_for_a_line() {
    constexpr auto pause = std::chrono::seconds(3);
    const auto now = std::chrono::steady_clock::now();
    if (last_line_ != std::chrono::steady_clock::time_point{} && now - last_line_ < pause)
        return false;
    last_line_ = now;
    return true;
}

void progress::finish(double work) {
    ++finished_;
    done_ += work;
}

void progress::clear() {
    if (!drawn_) return;
    tell(stream_, "\r\x1b[K");
    std::fflush(stream_);
    drawn_ = false;
}

std::string progress::count() const {
    return runs_ ? fmt::format("[{}/{}] ", finished_ + 1, runs_)
                 : fmt::format("[{}] ", finished_ + 1);
}

// Assumes that the rest of the work goes as fast as what is done. Empty until a few runs are done.
std::string progress::time_left() const {
    constexpr std::size_t enough = 5;
    if (finished_ < enough || done_ <= 0) return {};
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
    const double left = passed.count() / done_ * std::max(0., work_ - done_);
    const auto seconds = static_cast<unsigned>(left + .5);
    return fmt::format("{}:{:02} left, ", seconds / 60, seconds % 60);
}

} // namespace toft::lab
