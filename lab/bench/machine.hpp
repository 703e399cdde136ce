// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

// The circumstances of a measurement: what stands beside the figures.
namespace toft::lab {

struct machine_facts {
    std::string cpu;
    unsigned cpus = 0;      // that this process may use
    std::string hypervisor; // "none", "virtual machine" or "unknown"
    std::uint64_t memory_bytes = 0;
    std::string system;      // "Debian GNU/Linux 12 (bookworm)"
    std::string kernel;      // "Linux 6.1.0 x86_64"
    std::string huge_pages;  // the kernel's setting: always, madvise, never, or unknown
    std::string huge_defrag; // how hard it tries for one on a fault
    std::string governor;    // of the CPU's frequency; unknown on most virtual machines
    double megahertz = 0;    // the highest that the governor may choose, or the nominal one
    double load_average = 0; // of the last minute
};
machine_facts look_at_machine();

// How this command, and with it the library and the workloads, was built.
struct build_facts {
    std::string compiler;
    std::string flags;
    std::string type;
    bool optimised = false; // without which no figure means anything
};
build_facts look_at_build();

// Now, without swapping, and within the control group's limit; 0 when it can't be known.
std::uint64_t available_memory_bytes();

} // namespace toft::lab
