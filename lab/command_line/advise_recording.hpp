// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

// The program that `toft advise` is given without a recording: it is recorded first.
namespace toft::lab {

struct recording_for_advice {
    std::string path;                 // a new file in the current folder, which stays
    int usual_status = 0;             // what the program exited with
    std::vector<std::string> remarks; // for the advice: how it ended, and what else there is
    std::vector<std::string> notes;   // likewise: which file that is
};

// Records a run of the program with an empty input and without its output, as it is run afterwards
// to be measured. Says on standard error what `toft record` says of it. Throws
// std::invalid_argument when it can't be recorded or crashes, std::runtime_error when the recording
// is not whole, and interruption when a signal asked this process or the program to end: before
// that, a line on standard error names the recording, if there is one.
recording_for_advice record_for_advice(const std::vector<std::string> &program);

} // namespace toft::lab
