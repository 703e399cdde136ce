// SPDX-License-Identifier: MIT
#include "load.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <numeric>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace toft::lab {
namespace {

double seconds(const timeval &t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

double cpu_seconds(int who) {
    rusage usage{};
    getrusage(who, &usage);
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

} // namespace

// The first line of /proc/stat: user nice system idle iowait irq softirq steal, in ticks.
load_watch::reading load_watch::read() {
    enum { user, nice, system, idle, iowait, irq, softirq, steal, columns };
    std::array<double, columns> ticks{};
    std::ifstream file("/proc/stat");
    std::string name;
    file >> name;
    for (double &t : ticks) file >> t;
    const double tick = 1. / static_cast<double>(sysconf(_SC_CLK_TCK));
    const double all = std::accumulate(ticks.begin(), ticks.end(), 0.);
    return {(all - ticks[idle] - ticks[iowait] - ticks[steal]) * tick, ticks[steal] * tick,
            cpu_seconds(RUSAGE_SELF) + cpu_seconds(RUSAGE_CHILDREN), all * tick};
}

load_watch::load_watch() : start_(read()) { std::ifstream("/proc/loadavg") >> average_at_start_; }

load_facts load_watch::stop() const {
    const reading end = read();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
    const double others = (end.busy - start_.busy) - (end.own - start_.own);
    const double all = end.all - start_.all;
    if (passed.count() <= 0 || all <= 0) return {average_at_start_, 0, 0};
    return {average_at_start_, std::max(0., others / passed.count()),
            (end.stolen - start_.stolen) / all};
}

} // namespace toft::lab
