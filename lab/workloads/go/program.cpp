// SPDX-License-Identifier: MIT
#include "program.hpp"

#include "run/paths.hpp"
#include "run/program.hpp"

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

namespace toft::lab {
namespace {

std::uint64_t nanoseconds(const nlohmann::json &seconds) {
    return static_cast<std::uint64_t>(seconds.get<double>() * 1e9);
}

// The keys are promised in go/internal/measure and go/cmd/binary-trees/main.go.
self_report to_report(const nlohmann::json &said) {
    self_report report;
    report.spent.wall_ns = nanoseconds(said.at("wall_seconds"));
    report.spent.cpu_ns = nanoseconds(said.at("cpu_seconds"));
    report.peak_bytes = said.at("peak_bytes");
    report.heap.allocations = said.at("allocations");
    report.heap.bytes = said.at("allocated_bytes");
    report.figures[go_collections] = said.at("collections");
    report.figures[go_pause_ns] = said.at("pause_seconds").get<double>() * 1e9;
    report.figures[go_collector_share] = said.at("collector_share");
    return report;
}

} // namespace

std::string why_go_is_missing(const char *program) {
    std::error_code ignored;
    if (std::filesystem::exists(helper_path(program), ignored)) return {};
    return "not built: it needs Go 1.24 or newer";
}

go_answer ask_go(const char *program, const std::vector<std::string> &arguments,
                 const std::vector<std::string> &environment) {
    // This process runs nothing else, so its own environment can be the program's.
    for (const std::string &setting : environment) {
        const auto equals = setting.find('=');
        setenv(setting.substr(0, equals).c_str(), setting.substr(equals + 1).c_str(), 1);
    }
    const auto said = nlohmann::json::parse(output_of_program(helper_path(program), arguments));
    return {to_report(said), said.at("go"), said.at("output"), said.at("gomaxprocs")};
}

} // namespace toft::lab
