// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

// What stands beside the figures, so that a reader can judge them.
namespace toft::lab {

struct machine_facts {
    std::string cpu;
    unsigned cpus = 0;      // that this process may use
    std::string hypervisor; // "none", "virtual machine" or "unknown"
    std::uint64_t memory_bytes = 0;
    std::string system;             // "Debian GNU/Linux 12 (bookworm)"
    std::string kernel;             // "Linux 6.1.0 x86_64"
    std::string huge_pages;         // the kernel's setting: always, madvise, never, or unknown
    std::string huge_pages_defrag;  // how hard it tries for one on a fault
    std::string frequency_governor; // unknown on most virtual machines
    double frequency_mhz = 0;       // the highest that the governor may choose, or the nominal one
};

// How this command, and with it the library and the workloads, was built.
struct build_facts {
    std::string compiler;
    std::string flags;
    std::string type;
    bool optimised = false; // without which no figure means anything
    std::string toft_version;
};

// What others took of the machine meanwhile.
struct load_facts {
    double average_at_start = 0; // of the last minute
    double others_cpus = 0;      // of those that this process may use, kept busy by other programs
    double stolen_share = 0;     // of these, that the machine's host gave to other machines: 0 to 1
};

} // namespace toft::lab
