// SPDX-License-Identifier: MIT
#include "go.hpp"

#include "game.hpp"
#include "run/paths.hpp"
#include "run/program.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

namespace toft::lab {
namespace {

std::uint64_t nanoseconds(const nlohmann::json &seconds) {
    return static_cast<std::uint64_t>(seconds.get<double>() * 1e9);
}

// The keys are promised in go/cmd/binary-trees/main.go.
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

std::string why_go_is_missing() {
    std::error_code ignored;
    if (std::filesystem::exists(helper_path(go_program_file), ignored)) return {};
    return "not built: it needs Go 1.24 or newer";
}

void play_in_go(session &run, const char *allocator, std::uint64_t allocations_expected) {
    const auto n = static_cast<unsigned>(run.size());
    const auto said = nlohmann::json::parse(
        output_of_program(helper_path(go_program_file),
                          {"-json", "-allocator", allocator, std::to_string(run.size())}));
    run.set_version(said.at("go"));
    run.expect_heap_allocations(allocations_expected);
    run.adopt("game", allocations(nodes_of_game(n)), to_report(said));
    run.check(said.at("output") == output_of_game(n), "the output isn't the Game's");
}

} // namespace toft::lab
