// SPDX-License-Identifier: MIT
// `toft export`: recordings in the formats of other tools.
#include "command.hpp"
#include "record/recorded_file.hpp"
#include "result_files.hpp"
#include "run/interrupt.hpp"
#include "run/tell.hpp"
#include "show/cells.hpp"

#include <fmt/format.h>
#include <stdexcept>

namespace toft::lab {

int run_export(const export_request &asked) {
    if (asked.pprof_path.empty() && asked.firefox_path.empty() && asked.table_folder.empty())
        throw std::invalid_argument("say what to write: --pprof, --firefox or --parquet");
    require_own_files({{"--pprof", asked.pprof_path}, {"--firefox", asked.firefox_path}},
                      asked.paths);
    refuse_one_run_twice(asked.paths);
    catch_interrupts(); // what is written is taken away again
    const exported done = export_recordings(asked, read_symbols().places);
    for (const std::string &remark : done.remarks) tell_stderr("toft export: {}\n", remark);
    tell_stderr("toft export: {} with {}\n", counted(done.recordings, "recording"),
                counted(done.events, "event"));
    return exit_success;
}

} // namespace toft::lab
