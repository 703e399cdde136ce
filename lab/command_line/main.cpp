// SPDX-License-Identifier: MIT
// The command `toft`: from the command line to what it asks for.
#include "command.hpp"
#include "completions.hpp"
#include "definitions.hpp"
#include "examples.hpp"
#include "man_page.hpp"
#include "options.hpp"
#include "run/allocator_variants.hpp"
#include "run/child.hpp"
#include "run/find_allocators.hpp"
#include "run/interrupt.hpp"
#include "run/process.hpp"
#include "run/tell.hpp"
#include "show/choices.hpp"
#include "subject/registry.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>
#include <system_error>
#include <unistd.h>

namespace {

using namespace toft::lab;

std::vector<const suite *> choose_suites(const std::vector<std::string> &names, bool only_by_name) {
    std::vector<const suite *> chosen;
    for (const std::string &name : names) {
        const suite *s = &find_suite(name);
        if (std::find(chosen.begin(), chosen.end(), s) == chosen.end()) chosen.push_back(s);
    }
    if (names.empty())
        for (const suite &s : all_suites())
            if (!s.hidden && (only_by_name || !s.only_by_name)) chosen.push_back(&s);
    return chosen;
}

std::vector<allocator> choose(const allocator_options &o, const std::vector<allocator> &known) {
    std::vector<allocator> preloaded, all = known;
    for (const std::string &definition : o.preloads)
        preloaded.push_back(preloaded_allocator(definition));
    all.insert(all.end(), preloaded.begin(), preloaded.end());
    std::vector<allocator> chosen = o.allocators ? choose_allocators(all, *o.allocators) : known;
    for (const allocator &named : chosen) { // --allocators may name one, for its place
        const auto found = std::ranges::find(preloaded, named.name, &allocator::name);
        if (found != preloaded.end()) preloaded.erase(found);
    }
    chosen.insert(chosen.end(), preloaded.begin(), preloaded.end());
    for (const std::string &definition : o.environments)
        chosen.push_back(allocator_with_setting(chosen, definition));
    make_names_unique(chosen);
    return chosen;
}

settings to_settings(const bench_options &o, const std::vector<allocator> &known) {
    settings chosen;
    chosen.suites = choose_suites(o.suites, false);
    if (o.size && chosen.suites.size() != 1)
        throw std::invalid_argument(
            "--size means something else to each suite: name one suite with it");
    chosen.allocators = choose(o, known);
    chosen.threads = o.threads;
    chosen.full = o.full;
    chosen.repetitions = o.repetitions;
    chosen.size = o.size;
    chosen.filter = o.filter;
    chosen.limit_seconds = o.limit_seconds;
    chosen.max_seconds = o.max_seconds;
    return chosen;
}

int bench(const bench_options &o, const std::vector<std::string> &command_line) {
    const std::vector<allocator> known = find_allocators();
    settings chosen = to_settings(o, known); // before a list, so that mistakes are told
    if (!o.list) return run_bench({std::move(chosen), o.results, command_line});
    print_choices(choose_suites(o.suites, true), known);
    return exit_success;
}

int try_program(const try_options &o, const std::vector<std::string> &command_line) {
    try_request asked;
    asked.results = o.results;
    asked.command_line = command_line;
    trial_settings &chosen = asked.chosen;
    chosen.of = {.words = o.words,
                 .usual_status = o.usual_status,
                 .client = o.client,
                 .port = o.port,
                 .keep_output = o.same_output,
                 .limit_seconds = o.limit_seconds};
    chosen.precision = o.precision_percent / 100;
    chosen.max_seconds = o.max_seconds;
    chosen.same_output = o.same_output;
    chosen.side_by_side = o.side_by_side;
    chosen.allocators = choose(o, allocators_to_try(find_allocators(), asked.left_out));
    return run_try(asked);
}

int replay(const replay_options &o, const std::vector<std::string> &command_line) {
    replay_request asked;
    asked.arenas = o.arenas;
    asked.pools = o.pools;
    asked.program_cpu_ms = o.program_cpu_ms;
    asked.results = o.results;
    asked.command_line = command_line;
    replay_settings &chosen = asked.chosen;
    chosen.recording_path = o.recording_path;
    chosen.program.words = o.program;
    chosen.program.usual_status = o.usual_status;
    chosen.repetitions = o.repetitions;
    chosen.max_seconds = o.max_seconds;
    chosen.limit_seconds = o.limit_seconds;
    chosen.allocators = choose(o, allocators_to_try(find_allocators(), asked.left_out));
    return run_replay(asked);
}

int advise_program(advise_request asked) {
    std::vector<omission> left_out;
    if (asked.replays) asked.allocators = allocators_to_try(find_allocators(), left_out);
    return run_advise(asked);
}

int carry_out(const CLI::App &app, const options &o, const std::vector<std::string> &words) {
    if (app.got_subcommand("bench")) return bench(o.bench, words);
    if (app.got_subcommand("try")) return try_program(o.trial, words);
    if (app.got_subcommand("record")) return run_record(o.record);
    if (app.got_subcommand("replay")) return replay(o.replay, words);
    if (app.got_subcommand("compare"))
        return run_compare(o.compare.old_path, o.compare.new_path, o.compare.all,
                           o.compare.bound_percent);
    if (app.got_subcommand("advise")) return advise_program(o.advise);
    if (app.got_subcommand("verify")) return run_verify(o.verify);
    if (app.got_subcommand("export")) return run_export(o.exports);
    if (app.got_subcommand("report"))
        return run_report(o.report.result_path, o.report.page_path, o.report.in_page);
    if (app.got_subcommand(ask_allocator_command)) return answer_with_allocator(), exit_success;
    if (app.got_subcommand(measure_one_command)) return carry_out(o.measure_one), exit_success;
    if (app.got_subcommand(replay_one_command)) return carry_out(o.replay_one), exit_success;
    fmt::print("{}",
               app.got_subcommand("man-page") ? man_page_of(app) : completions_of(app, o.shell));
    return exit_success;
}

// What stands after -- is the program; the parser would take it for recordings.
int take_program_of_advice(const std::vector<std::string> &words, advise_request &asked) {
    const auto end = words.size() > 1 && words[1] == "advise"
                         ? std::find(words.begin(), words.end(), "--")
                         : words.end();
    if (end != words.end()) asked.program.assign(end + 1, words.end());
    return static_cast<int>(end - words.begin());
}

std::string choices_of(const CLI::App &app) {
    std::vector<std::string> names;
    for (const CLI::App *sub : subcommands_of(app)) names.push_back(sub->get_name());
    for (const option_definition &o : options_of(app)) names.push_back(o.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

// Who reads no more, as head, doesn't ask why. The files that were asked for are in their places,
// or their drafts are gone.
void end_if_unread(int error) {
    if (error != EPIPE) return;
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
}

// What was printed must have arrived, or the status says so.
int after_printing(int status) {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
    end_if_unread(errno);
    std::perror("toft: can't print");
    return status == exit_success ? exit_problems : status;
}

// Who gives several values to an option that takes one at a time gives operands.
void tell_repeatable_options(const CLI::App &sub) {
    for (const CLI::Option *o : sub.get_options())
        if (o->count() != 0 && o->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll)
            tell_stderr("{} takes one value, and may be given several times\n", o->get_name());
}

// The parser names what is missing in two words: a whole command shows more.
void tell_of_missing(const CLI::App &sub, std::string_view problem) {
    const std::vector<example> examples = examples_of(sub.get_name());
    if (!examples.empty()) tell_stderr("As in: {}\n", examples.front().command);
    if (problem.starts_with("recording"))
        tell_stderr("toft record -o FILE -- PROGRAM makes a recording\n");
}

// Help and version are no mistakes; CLI11 hands them over in the same way.
int explain(const CLI::ParseError &e, const CLI::App &app, const std::vector<std::string> &words) {
    if (e.get_exit_code() == 0) {
        std::ostringstream text, nothing;
        const int status = app.exit(e, text, nothing);
        std::fputs(text.str().c_str(), stdout);
        return after_printing(status);
    }
    const std::vector<CLI::App *> parsed = app.get_subcommands();
    const CLI::App *sub = parsed.empty() ? nullptr : parsed.front();
    const bool names_none = !sub && words.size() > 1 && !words[1].starts_with('-');
    const bool has_extras = dynamic_cast<const CLI::ExtrasError *>(&e);
    tell_stderr("toft: {}\n", names_none ? fmt::format("no subcommand is named '{}'", words[1])
                                         : std::string(e.what()));
    if (!sub || has_extras) tell_stderr("There are: {}\n", choices_of(sub ? *sub : app));
    if (!sub) return exit_usage;
    if (dynamic_cast<const CLI::RequiredError *>(&e)) tell_of_missing(*sub, e.what());
    if (has_extras) tell_repeatable_options(*sub);
    if (has_extras && sub->get_option_no_throw("program"))
        tell_stderr("The options of a program stand with it behind --, as in: toft {} -- ls -l\n",
                    sub->get_name());
    return exit_usage;
}

// What this process may have got from its parent, and can't work with.
void repair_surroundings() {
    // A file of results must not become the standard error that somebody has closed. Nothing can be
    // written to what stands there instead, and the programs that are started don't see it.
    int lowest = 0;
    while (lowest >= 0 && lowest <= STDERR_FILENO) lowest = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (lowest >= 0) close(lowest);
    std::signal(SIGCHLD, SIG_DFL); // when it is ignored, nobody learns how a child ended
}

// "toft help record" is what users of other programs try first.
void take_help_as_option(const CLI::App &app, int &argc, char **argv) {
    static char option[] = "--help";
    if (argc < 2 || std::string_view(argv[1]) != "help") return;
    argv[1] = argc > 2 ? argv[2] : option;
    const std::vector<const CLI::App *> all = subcommands_of(app);
    const bool is_known = argc > 2 && std::ranges::any_of(all, [&](const CLI::App *known) {
                              return known->get_name() == argv[2];
                          });
    argc = is_known ? 3 : 2;
    if (is_known) argv[2] = option;
}

} // namespace

int main(int argc, char **argv) {
    repair_surroundings();
    options chosen;
    const std::unique_ptr<CLI::App> app = make_parser(chosen);
    take_help_as_option(*app, argc, argv);
    const std::vector<std::string> words(argv, argv + argc);
    try {
        app->parse(take_program_of_advice(words, chosen.advise), argv);
        return after_printing(carry_out(*app, chosen, words));
    } catch (const CLI::ParseError &e) {
        return explain(e, *app, words);
    } catch (const std::invalid_argument &e) {
        tell_stderr("toft: {}\n", e.what());
        return exit_usage;
    } catch (const interruption &e) {
        tell_stderr("toft: {}\n", e.what());
        return exit_interrupted;
    } catch (const std::filesystem::filesystem_error &e) {
        tell_stderr("toft: {}: {}\n", e.path1().string(), e.code().message());
        return exit_problems;
    } catch (const std::exception &e) {
        const auto *failed = dynamic_cast<const std::system_error *>(&e);
        if (failed && std::ferror(stdout) != 0) end_if_unread(failed->code().value());
        const char *where = std::ferror(stdout) != 0 ? "can't print: " : "";
        tell_stderr("toft: {}{}\n", where, e.what());
        return exit_problems;
    }
}
