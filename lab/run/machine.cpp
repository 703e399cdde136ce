// SPDX-License-Identifier: MIT
#include "machine.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <sched.h>
#include <string_view>
#include <sys/utsname.h>

#ifndef TOFT_LAB_BUILD_FLAGS
    #error "lab/CMakeLists.txt says how the lab is built"
#endif

namespace toft::lab {
namespace {

// The rest of the first line that starts with the key, from after its separator.
std::string find_value(const char *file, std::string_view key, char separator) {
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with(key)) continue;
        const auto at = line.find(separator);
        if (at == std::string::npos) continue;
        const auto first = line.find_first_not_of(" \t\"", at + 1);
        if (first == std::string::npos) return {};
        return line.substr(first, line.find_last_not_of(" \t\"") + 1 - first);
    }
    return {};
}

std::string first_line(const std::string &file) {
    std::ifstream stream(file);
    std::string line;
    return std::getline(stream, line) ? line : "unknown";
}

// "always [madvise] never" means madvise.
std::string chosen_in(const std::string &choices) {
    const auto open = choices.find('[');
    const auto close = choices.find(']');
    if (open == std::string::npos || close == std::string::npos) return choices;
    return choices.substr(open + 1, close - open - 1);
}

std::uint64_t memory_field(std::string_view key) {
    const std::string value = find_value("/proc/meminfo", key, ':');
    return value.empty() ? 0 : std::stoull(value) * 1024;
}

unsigned usable_cpus() {
    cpu_set_t set;
    CPU_ZERO(&set);
    return sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<unsigned>(CPU_COUNT(&set)) : 0;
}

// x86 only: elsewhere the kernel doesn't tell every process.
std::string hypervisor() {
    const std::string flags = find_value("/proc/cpuinfo", "flags", ':');
    if (flags.empty()) return "unknown";
    return fmt::format(" {} ", flags).find(" hypervisor ") == std::string::npos ? "none"
                                                                                : "virtual machine";
}

// The highest frequency that the governor may choose, which the kernel tells in kHz. Without a
// governor it is what the processor reports, which varies on real hardware.
double megahertz() {
    double khz = 0;
    if (std::ifstream("/sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq") >> khz)
        return khz / 1000;
    const std::string mhz = find_value("/proc/cpuinfo", "cpu MHz", ':');
    return mhz.empty() ? 0 : std::stod(mhz);
}

// "max", and a file that isn't there, are no limit.
std::uint64_t control_group_limit_bytes() {
    std::ifstream file("/sys/fs/cgroup/memory.max");
    std::uint64_t bytes = 0;
    return file >> bytes ? bytes : std::numeric_limits<std::uint64_t>::max();
}

} // namespace

machine_facts look_at_machine() {
    machine_facts m;
    m.cpu = find_value("/proc/cpuinfo", "model name", ':');
    if (m.cpu.empty()) m.cpu = "unknown";
    m.cpus = usable_cpus();
    m.hypervisor = hypervisor();
    m.memory_bytes = memory_field("MemTotal");
    m.system = find_value("/etc/os-release", "PRETTY_NAME", '=');
    utsname name{};
    uname(&name);
    m.kernel = fmt::format("{} {} {}", name.sysname, name.release, name.machine);
    const std::string huge = "/sys/kernel/mm/transparent_hugepage/";
    m.huge_pages = chosen_in(first_line(huge + "enabled"));
    m.huge_pages_defrag = chosen_in(first_line(huge + "defrag"));
    m.frequency_governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    m.frequency_mhz = megahertz();
    return m;
}

build_facts look_at_build() {
    build_facts b;
#if defined __clang__
    b.compiler = "clang " __clang_version__;
#else
    b.compiler = "gcc " __VERSION__;
#endif
    b.flags = TOFT_LAB_BUILD_FLAGS;
    b.type = TOFT_LAB_BUILD_TYPE;
    b.toft_version = TOFT_LAB_VERSION;
#ifdef __OPTIMIZE__
    b.optimised = true;
#endif
    return b;
}

std::uint64_t available_memory_bytes() {
    return std::min(memory_field("MemAvailable"), control_group_limit_bytes());
}

} // namespace toft::lab
