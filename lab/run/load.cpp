// SPDX-License-Identifier: MIT
#include "load.hpp"

#include "cpu_time.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace toft::lab {
namespace {

double cpu_seconds(int who) {
    rusage usage{};
    getrusage(who, &usage);
    return static_cast<double>(cpu_ns_of(usage)) * 1e-9;
}

cpu_set_t usable_cpus() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) std::memset(&set, 0xff, sizeof set);
    return set;
}

} // namespace

// A line for each CPU: "cpu3 user nice system idle iowait irq softirq steal", in ticks.
cpu_ticks ticks_of(std::istream &stat, const cpu_set_t &cpus) {
    enum { user, nice, system, idle, iowait, irq, softirq, steal, columns };
    cpu_ticks sum;
    for (std::string line; std::getline(stat, line);) {
        unsigned cpu = 0;
        if (std::sscanf(line.c_str(), "cpu%u ", &cpu) != 1) continue;
        if (cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &cpus)) continue;
        std::istringstream fields(line.substr(line.find(' ')));
        std::array<double, columns> ticks{};
        for (double &t : ticks) fields >> t;
        const double all = std::accumulate(ticks.begin(), ticks.end(), 0.);
        sum.all += all;
        sum.stolen += ticks[steal];
        sum.busy += all - ticks[idle] - ticks[iowait] - ticks[steal];
    }
    return sum;
}

load_watch::reading load_watch::read() {
    std::ifstream stat("/proc/stat");
    const cpu_ticks ticks = ticks_of(stat, usable_cpus());
    const double tick = 1. / static_cast<double>(sysconf(_SC_CLK_TCK));
    return {ticks.busy * tick, ticks.stolen * tick,
            cpu_seconds(RUSAGE_SELF) + cpu_seconds(RUSAGE_CHILDREN), ticks.all * tick};
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
