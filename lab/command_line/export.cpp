// SPDX-License-Identifier: MIT
// `toft export`: recordings in the formats of other tools.
#include "command.hpp"

#include <fmt/format.h>
#include <stdexcept>

namespace toft::lab {

int run_export(const export_request &asked) {
    if (asked.pprof_path.empty() && asked.firefox_path.empty() && asked.table_folder.empty())
        throw std::invalid_argument("say what to write: --pprof, --firefox or --parquet");
    const exported done = export_recordings(asked, read_symbols());
    for (const std::string &remark : done.remarks) fmt::print(stderr, "toft export: {}\n", remark);
    fmt::print(stderr, "toft export: {} recordings with {} events\n", done.recordings, done.events);
    return exit_success;
}

} // namespace toft::lab
