// SPDX-License-Identifier: MIT
#pragma once

#include "command.hpp"

#include <cstdint>
#include <filesystem>
#include <record/recording.hpp>
#include <span>
#include <string>
#include <vector>

// A whole recording.
struct read_back {
    toft::lab::recording what;
    std::vector<toft::lab::heap_event> events;
};

inline read_back read_all(const std::string &path) {
    read_back r{toft::lab::read_recording(path), {}};
    r.what.for_each([&](std::span<const toft::lab::heap_event> events) {
        r.events.insert(r.events.end(), events.begin(), events.end());
    });
    return r;
}

struct recorded {
    run_result run;
    std::string path;
};

// A run of a program, as its words say.
inline recorded record_program(const std::string &program, const std::string &what,
                               const std::string &options = {}) {
    static int runs;
    const std::string path = scratch("recording-" + std::to_string(++runs));
    return {run_toft("record " + options + " -o '" + path + "' -- '" + program + "' " + what),
            path};
}

inline recorded record(const std::string &what, const std::string &options = {}) {
    return record_program(TOFT_RECORD_TARGET, what, options);
}

// The recordings that the processes which a program started have left beside its own.
inline std::vector<std::string> children_of(const std::string &path) {
    std::vector<std::string> found;
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    for (const auto &entry : std::filesystem::directory_iterator(folder))
        if (entry.path().string().starts_with(path + ".")) found.push_back(entry.path().string());
    return found;
}

// The events that make an object of that size.
inline std::vector<toft::lab::heap_event> of_size(const read_back &r, std::uint64_t bytes) {
    std::vector<toft::lab::heap_event> found;
    for (const toft::lab::heap_event &e : r.events)
        if (e.call != toft::lab::heap_call::free && e.bytes == bytes) found.push_back(e);
    return found;
}
