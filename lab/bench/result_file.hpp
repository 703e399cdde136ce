// SPDX-License-Identifier: MIT
#pragma once

#include "machine.hpp"
#include "runner.hpp"
#include "settings.hpp"

#include <nlohmann/json.hpp>
#include <string>

// The result file: every sample of every row, their summaries, and the circumstances. The layout
// has a version, which grows when a reader of the last one would misread the next.
namespace toft::lab {

inline constexpr int result_schema_version = 1;

struct circumstances {
    std::vector<std::string> command_line;
    std::string started; // UTC, ISO 8601
    machine_facts machine;
    build_facts build;
};

nlohmann::json to_json(const outcome &, const settings &, const circumstances &);

// A file that is written beside its place and moved there when complete: a reader never sees half
// of one, and an old one stays when the disk is full. Throws std::system_error, at once where the
// place can't be written to.
class result_file {
  public:
    explicit result_file(std::string path);
    ~result_file();
    result_file(const result_file &) = delete;
    result_file &operator=(const result_file &) = delete;

    void write(const nlohmann::json &);

  private:
    void drop_draft();

    std::string path_;
    std::string draft_; // the path itself, where that is no regular file
    int descriptor_ = -1;
};

} // namespace toft::lab
