// SPDX-License-Identifier: MIT
#include "process_tree.hpp"

#include <algorithm>
#include <ctime>
#include <dirent.h>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace toft::lab {
namespace {

struct resident {
    std::uint64_t now_bytes = 0;
    std::uint64_t high_water_bytes = 0; // of the kernel; 0 once the process has ended
};

resident resident_of(pid_t process) {
    resident r;
    std::ifstream status(fmt::format("/proc/{}/status", process));
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmHWM:")) r.high_water_bytes = std::stoull(line.substr(6)) * 1024;
        if (line.starts_with("VmRSS:")) r.now_bytes = std::stoull(line.substr(6)) * 1024;
    }
    return r;
}

// Each thread has a list of the processes that it started.
std::vector<pid_t> children_of(pid_t process) {
    std::vector<pid_t> found;
    const std::string tasks = fmt::format("/proc/{}/task", process);
    DIR *folder = opendir(tasks.c_str());
    if (!folder) return found;
    while (const dirent *entry = readdir(folder)) {
        if (entry->d_name[0] == '.') continue;
        std::ifstream list(fmt::format("{}/{}/children", tasks, entry->d_name));
        for (pid_t child = 0; list >> child;) found.push_back(child);
    }
    closedir(folder);
    return found;
}

// The process, and all that it has started and that still run; a parent before its children.
std::vector<pid_t> tree_of(pid_t root) {
    std::vector<pid_t> all = {root};
    for (std::size_t i = 0; i != all.size(); ++i)
        for (const pid_t child : children_of(all[i])) all.push_back(child);
    return all;
}

// One process alone has a high-water mark, which knows of peaks between two looks. The marks of
// several may be of different moments, so only what they have now is added up.
resident resident_of_tree(pid_t root) {
    resident all;
    for (const pid_t process : tree_of(root)) {
        const resident r = resident_of(process);
        all.now_bytes += r.now_bytes;
        all.high_water_bytes = std::max(all.high_water_bytes, r.high_water_bytes);
    }
    return all;
}

std::uint64_t own_cpu_ns(pid_t process) {
    clockid_t its_clock{};
    timespec t{};
    if (clock_getcpuclockid(process, &its_clock) != 0 || clock_gettime(its_clock, &t) != 0)
        return 0;
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(t.tv_nsec);
}

// What the processes took that it has waited for, and those that they had waited for.
std::uint64_t cpu_ns_of_ended_children(pid_t process) {
    std::ifstream file(fmt::format("/proc/{}/stat", process));
    std::string line;
    std::getline(file, line);
    const std::size_t name_end = line.rfind(')'); // a name may hold blanks
    if (name_end == std::string::npos) return 0;
    std::istringstream fields(line.substr(name_end + 1));
    constexpr int before = 13; // fields between the name and the two times of children
    std::string skipped;
    for (int i = 0; i != before; ++i) fields >> skipped;
    std::uint64_t user_ticks = 0, system_ticks = 0;
    fields >> user_ticks >> system_ticks;
    return (user_ticks + system_ticks) * 1'000'000'000U /
           static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
}

} // namespace

std::uint64_t cpu_ns_of_tree(pid_t root) {
    std::uint64_t sum = 0;
    for (const pid_t process : tree_of(root))
        sum += own_cpu_ns(process) + cpu_ns_of_ended_children(process);
    return sum;
}

void memory_watch::look() {
    const resident r = resident_of_tree(root_);
    const clock::time_point now = clock::now();
    if (r.now_bytes == 0) return; // it has ended
    const double passed = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    byte_seconds_ += static_cast<double>(r.now_bytes) * passed;
    seconds_ += passed;
    const auto at = std::chrono::duration_cast<std::chrono::nanoseconds>(now - begin_).count();
    history_.add(static_cast<std::uint64_t>(at), r.now_bytes);
    peak_bytes_ = std::max({peak_bytes_, r.now_bytes, r.high_water_bytes});
}

void memory_watch::hear_of_peak(const rusage &usage) {
    peak_bytes_ = std::max(peak_bytes_, static_cast<std::uint64_t>(usage.ru_maxrss) * 1024);
    if (history_.samples().empty()) history_.add(0, peak_bytes_); // it ended before the first look
}

std::chrono::milliseconds memory_watch::pause() const {
    using std::chrono::milliseconds;
    const auto passed = std::chrono::duration_cast<milliseconds>(clock::now() - begin_);
    return std::clamp(passed / 50, milliseconds(1), milliseconds(20));
}

} // namespace toft::lab
