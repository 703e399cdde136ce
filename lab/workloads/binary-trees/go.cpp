// SPDX-License-Identifier: MIT
#include "go.hpp"

#include "game.hpp"
#include "workloads/go/program.hpp"

namespace toft::lab {

void play_in_go(session &run, const char *program, const char *allocator,
                std::uint64_t allocations_expected) {
    const auto n = static_cast<unsigned>(run.size());
    const go_answer said =
        ask_go(program, {"-json", "-allocator", allocator, std::to_string(run.size())});
    run.set_version(said.version);
    run.expect_heap_allocations(allocations_expected);
    run.adopt("game", allocations(nodes_of_game(n)), said.report);
    run.check(said.output == output_of_game(n), "the output isn't the Game's");
}

} // namespace toft::lab
