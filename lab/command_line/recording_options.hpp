// SPDX-License-Identifier: MIT
#pragma once

#include "options.hpp"

// The subcommands that make recordings, or take them.
namespace toft::lab {

void add_record(CLI::App &, record_request &);
void add_replay(CLI::App &, replay_options &);
void add_advise(CLI::App &, advise_request &);
void add_verify(CLI::App &, verify_request &);
void add_export(CLI::App &, export_request &);

} // namespace toft::lab
