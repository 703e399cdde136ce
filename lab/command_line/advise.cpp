// SPDX-License-Identifier: MIT
// `toft advise`: what a program could gain, from recordings of it.
#include "advice/advice.hpp"
#include "advice/advice_file.hpp"
#include "advice/advice_text.hpp"
#include "command.hpp"
#include "show/output_file.hpp"

#include <optional>

namespace toft::lab {

int run_advise(const advise_request &asked) {
    std::vector<recording> recordings;
    for (const std::string &path : asked.paths) recordings.push_back(read_recording(path));
    std::optional<output_file> json; // which must be writable before the work begins
    if (!asked.json_path.empty()) json.emplace(asked.json_path);
    const advice_report report = advise(recordings, read_symbols(), asked.processor_seconds);
    if (json) json->write(advice_document(report));
    printer out(stdout);
    print_advice(report, out);
    return exit_success;
}

} // namespace toft::lab
