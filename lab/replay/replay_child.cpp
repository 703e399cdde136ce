// SPDX-License-Identifier: MIT
#include "replay_child.hpp"

#include "execution.hpp"
#include "heaps.hpp"
#include "mapped_words.hpp"
#include "program_file.hpp"
#include "resident_peak.hpp"
#include "result/measurement_json.hpp"
#include "run/process.hpp"
#include "subject/allocator.hpp"
#include "subject/clock.hpp"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <span>
#include <stdexcept>
#include <string>
#include <unistd.h>

namespace toft::lab {
namespace {

constexpr std::uint64_t enough_ns = 50'000'000;
constexpr unsigned most_rounds = 5;

template <class Enum>
Enum value_of(const std::string &name, std::span<const char *const> names) {
    for (std::size_t i = 0; i != names.size(); ++i)
        if (name == names[i]) return static_cast<Enum>(i);
    throw std::invalid_argument(fmt::format("no way to replay is named '{}'", name));
}

// What this process keeps from one replay to the next.
class replayer {
  public:
    explicit replayer(const replay_assignment &a)
        : program_(a.program),
          touching_(value_of<touching>(a.touched, touching_names)),
          addresses_(program_.facts().slots),
          paces_(program_.facts().threads) {}

    const program_facts &facts() const { return program_.facts(); }

    // The cost of one replay, without that of waiting.
    template <class Heap>
    cost run_on(Heap &heap) {
        paces_.begin_again();
        execution<Heap> all = execution_on(heap);
        const stopwatch watch;
        all.run();
        cost spent = watch.stop_after_threads();
        spent.cpu_ns -= std::min(spent.cpu_ns, paces_.waited_cpu_ns());
        return spent;
    }
    template <class Heap>
    void clean_up(Heap &heap) {
        execution_on(heap).clean_up();
    }

  private:
    template <class Heap>
    execution<Heap> execution_on(Heap &heap) {
        return {program_, heap, touching_, reinterpret_cast<char **>(addresses_.data()), paces_};
    }

    const program_reader program_;
    const touching touching_;
    const mapped_words addresses_;
    thread_paces paces_;
};

// The first run finds the streams, and this code, in slow memory.
measurement ask_own(replayer &all, placed_frees frees) {
    no_heap none(frees);
    all.run_on(none);
    measurement measured;
    measured.figures[own_ns_figure] = static_cast<double>(all.run_on(none).cpu_ns);
    return measured;
}

// What a long program finds in slow memory at first doesn't count.
void warm_up(replayer &all, placed_frees frees) {
    constexpr std::uint64_t many_calls = 1'000'000;
    if (all.facts().calls >= many_calls) return;
    no_heap none(frees);
    all.run_on(none);
}

measurement replay_on_heap(replayer &all, placed_frees frees) {
    warm_up(all, frees);
    measurement measured;
    measured.phases.reserve(most_rounds);
    real_heap heap(all.facts().arenas, frees);
    const resident_peak peak;
    std::uint64_t total_ns = 0;
    for (unsigned round = 1; round <= most_rounds && total_ns < enough_ns; ++round) {
        if (round != 1) all.clean_up(heap);
        const cost spent = all.run_on(heap);
        if (round == 1) measured.peak_bytes = peak.bytes();
        total_ns += spent.cpu_ns;
        measured.phases.push_back({replay_phase, round, all.facts().calls, 0, spent});
    }
    return measured;
}

measurement replay(const replay_assignment &a) {
    replayer all(a);
    const auto frees = value_of<placed_frees>(a.frees, frees_names);
    return a.without_heap ? ask_own(all, frees) : replay_on_heap(all, frees);
}

} // namespace

void end_replay(const std::string &why) {
    fmt::print(stderr, "toft: {}\n", why);
    _exit(1);
}

std::vector<std::string> to_arguments(const replay_assignment &a) {
    std::vector<std::string> words = {replay_one_command, a.program, a.allocator, a.touched,
                                      a.frees};
    if (a.without_heap) words.emplace_back(without_heap_flag);
    return words;
}

void carry_out(const replay_assignment &a) {
    die_with_parent();
    require_running(a.allocator);
    answer_parent(nlohmann::json(replay(a)).dump());
}

} // namespace toft::lab
