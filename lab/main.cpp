// SPDX-License-Identifier: MIT
// The command `toft`: its command line, and nothing else.
#include "bench/allocators.hpp"
#include "bench/child.hpp"
#include "bench/command.hpp"
#include "bench/process.hpp"
#include "bench/registry.hpp"

#include <CLI/CLI.hpp>
#include <exception>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace {

using namespace toft::lab;

struct bench_options {
    std::vector<std::string> suites;
    std::string allocators = "glibc,mimalloc,jemalloc,tcmalloc";
    bool quick = false;
    bool list = false;
    std::optional<unsigned> repetitions;
    std::optional<std::uint64_t> size;
    std::string filter;
    std::string json_path;
    double limit_seconds = 300;
};

CLI::App *add_bench(CLI::App &app, bench_options &o) {
    CLI::App *bench = app.add_subcommand("bench", "Measure allocators side by side");
    bench->add_option("SUITE", o.suites, "What to measure; everything without one");
    bench->add_flag("--quick", o.quick, "Smaller sizes and 3 repetitions");
    bench
        ->add_option("--repetitions", o.repetitions,
                     "Processes for each row; short ones have 5 times as many [5]")
        ->check(CLI::Range(1, 1000))
        ->type_name("N");
    bench->add_option("--allocators", o.allocators, "Comma-separated; see --list")
        ->type_name("LIST");
    bench->add_option("--size", o.size, "How large; what it means is the suite's: see --list")
        ->check(CLI::PositiveNumber)
        ->type_name("N");
    bench->add_option("--filter", o.filter, "Only rows with this in suite/case/subject/allocator")
        ->type_name("TEXT");
    bench->add_option("--json", o.json_path, "Write every sample, and the machine, to this file")
        ->type_name("FILE");
    bench
        ->add_option("--timeout", o.limit_seconds,
                     "Give up on a process after so many seconds [300]")
        ->check(CLI::Range(.1, 86'400.))
        ->type_name("S");
    bench->add_flag("--list", o.list, "Show suites, subjects and allocators, and measure nothing");
    bench->footer("Examples:\n"
                  "  toft bench --quick\n"
                  "  toft bench tree --allocators glibc,mimalloc --json results.json\n"
                  "  toft bench arena --filter 32/ --repetitions 9");
    return bench;
}

settings to_settings(const bench_options &o, const std::vector<allocator> &known) {
    settings chosen;
    for (const std::string &name : o.suites) {
        const suite *s = &find_suite(name);
        if (std::find(chosen.suites.begin(), chosen.suites.end(), s) == chosen.suites.end())
            chosen.suites.push_back(s);
    }
    if (o.suites.empty())
        for (const suite &s : all_suites())
            if (!s.hidden) chosen.suites.push_back(&s);
    if (o.size && chosen.suites.size() != 1)
        throw std::invalid_argument(
            "--size means something else to each suite: name one suite with it");
    chosen.allocators = choose_allocators(known, o.allocators);
    chosen.quick = o.quick;
    chosen.repetitions = o.repetitions;
    chosen.size = o.size;
    chosen.filter = o.filter;
    chosen.limit_seconds = o.limit_seconds;
    return chosen;
}

int bench(const bench_options &o, const std::vector<std::string> &command_line) {
    const std::vector<allocator> known = find_allocators();
    const settings chosen = to_settings(o, known); // before a list, so that mistakes are told
    if (!o.list) return run_bench(chosen, o.json_path, command_line);
    print_choices(known);
    return exit_success;
}

// What the lab says to itself; see process.hpp. Nothing when the words are a user's.
std::optional<int> answer_as_child(const std::vector<std::string> &words) {
    if (words.size() == 2 && words[1] == "ask-allocator") {
        const running_allocator here = ask_running_allocator();
        answer_parent(nlohmann::json{{"name", here.name}, {"version", here.version}}.dump());
        return exit_success;
    }
    if (words.size() == 8 && words[1] == assignment_command) {
        carry_out(assignment{words[2], words[3], words[4], words[5], std::stoull(words[6]),
                             words[7] == "counted" ? run_mode::counted : run_mode::timed});
        return exit_success;
    }
    return std::nullopt;
}

std::string choices_of(const CLI::App &app) {
    std::vector<std::string> names;
    for (const CLI::App *sub : app.get_subcommands([](const CLI::App *) { return true; }))
        names.push_back(sub->get_name());
    for (const CLI::Option *option : app.get_options())
        if (option->nonpositional()) names.push_back(option->get_name());
    return fmt::format("{}", fmt::join(names, ", "));
}

// Help and version are no mistakes; CLI11 hands them over in the same way.
int explain(const CLI::ParseError &e, const CLI::App &app, const CLI::App &bench_app) {
    if (e.get_exit_code() == 0) return app.exit(e);
    const CLI::App &where = bench_app.parsed() ? bench_app : app;
    fmt::print(stderr, "toft: {}\nThere are: {}\n", e.what(), choices_of(where));
    return exit_usage;
}

} // namespace

int main(int argc, char **argv) {
    const std::vector<std::string> words(argv, argv + argc);
    CLI::App app("Toft, a memory toolkit: its laboratory", "toft");
    bench_options options;
    CLI::App *bench_app = add_bench(app, options);
    app.set_version_flag("--version", "toft " TOFT_LAB_VERSION);
    app.require_subcommand(1);
    try {
        if (const std::optional<int> status = answer_as_child(words)) return *status;
        app.parse(argc, argv);
        return bench(options, words);
    } catch (const CLI::ParseError &e) {
        return explain(e, app, *bench_app);
    } catch (const std::invalid_argument &e) {
        fmt::print(stderr, "toft: {}\n", e.what());
        return exit_usage;
    } catch (const std::exception &e) {
        fmt::print(stderr, "toft: {}\n", e.what());
        return exit_problems;
    }
}
