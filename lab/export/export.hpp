// SPDX-License-Identifier: MIT
#pragma once

#include "advice/symbols.hpp"

#include <cstdint>
#include <string>
#include <vector>

// Recordings in the formats of other tools.
namespace toft::lab {

struct export_request {
    std::vector<std::string> paths;       // recordings
    std::string pprof_path, firefox_path; // empty: not asked for
    std::string table_folder;             // likewise
};

struct exported {
    std::uint64_t recordings = 0, events = 0;
    std::vector<std::string> remarks; // such as: a recording's end is missing
};

// Writes what is asked for; files appear when they are complete, and nothing is changed when a
// recording can't be read. Recordings are read one after the other: memory goes with the objects
// that live at a time, the stacks and, for Firefox, groups of objects, not with events. Throws what
// read_recording() throws, std::system_error when a file can't be written, and `interruption` when
// the lab is asked to stop before they are.
exported export_recordings(const export_request &, const symbol_source &);

} // namespace toft::lab
