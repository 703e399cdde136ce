// SPDX-License-Identifier: MIT
#include "options.hpp"

#include "checks.hpp"
#include "command.hpp"
#include "examples.hpp"

namespace toft::lab {
namespace {

constexpr const char *choosing = "What is measured";
constexpr const char *measuring = "How it is measured";
constexpr const char *results = "Where the results go";
constexpr const char *bound_help =
    "Exit with 3 when something became slower by more than so many percent, and with 4 when that "
    "can't be told";

// What all processors of a large machine may take in a year.
constexpr double most_cpu_seconds = 1e9;

// An option with one value that may be given again. It takes no list: one would end only at the --
// before a program, and take that away.
CLI::Option *repeatable(CLI::Option *o) {
    return o->expected(1)->allow_extra_args(false)->multi_option_policy(
        CLI::MultiOptionPolicy::TakeAll);
}

void add_allocators(CLI::App &app, allocator_options &o) {
    app.add_option("--allocators", o.allocators, "Only these, comma-separated; see bench --list")
        ->type_name("ALLOCATORS")
        ->group(choosing);
    repeatable(app.add_option("--preload", o.preloads,
                              "Measure another malloc too: a name for it, and its shared library; "
                              "once for each"))
        ->type_name("NAME=FILE")
        ->group(choosing);
    repeatable(app.add_option("--env", o.environments,
                              "Measure an allocator with a variable in its environment too; once "
                              "for each"))
        ->type_name("NAME:VAR=VALUE")
        ->group(choosing);
}

void add_choice(CLI::App &bench, bench_options &o) {
    bench.add_option("suites", o.suites, "Suites to measure; without one, all but programs")
        ->type_name("SUITE");
    add_allocators(bench, o);
    bench.add_option("--threads", o.threads, "Only cases with these numbers of threads")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::Range(1, 4096))
        ->type_name("N,...")
        ->group(choosing);
    bench.add_option("--filter", o.filter, "Only rows with this in suite/case/subject/allocator")
        ->type_name("TEXT")
        ->group(choosing);
    bench.add_flag("--list", o.list, "Show suites, subjects and allocators, and measure nothing")
        ->group(choosing);
}

void add_method(CLI::App &bench, bench_options &o) {
    bench.add_flag("--full", o.full, "Full sizes, every case and 5 repetitions: takes far longer")
        ->group(measuring);
    bench
        .add_option("--repetitions", o.repetitions,
                    "Processes for each row; short ones have several times as many [3]")
        ->check(CLI::Range(1, 1000))
        ->type_name("N")
        ->group(measuring);
    bench.add_option("--size", o.size, "How large; what it means is the suite's: see --list")
        ->check(more_than_zero())
        ->type_name("N")
        ->group(measuring);
    bench
        .add_option("--max-time", o.max_seconds,
                    "Begin no further pass over the rows that would end after so many seconds; "
                    "the first always ends [no limit]")
        ->check(range(0., 1e6))
        ->type_name("SECONDS")
        ->group(measuring);
    bench
        .add_option("--timeout", o.limit_seconds,
                    "Give up on a process after so many seconds [300]")
        ->check(range(.1, 86'400.))
        ->type_name("SECONDS")
        ->group(measuring);
}

CLI::Option *add_bound(CLI::App &app, std::optional<double> &bound) {
    return app.add_option("--bound", bound, bound_help)
        ->check(range(0., 1e6))
        ->type_name("PERCENT");
}

CLI::Option *add_samples(CLI::App &app, page_samples &in_page) {
    return app.add_flag_callback(
        "--samples", [&in_page] { in_page = page_samples::taken_along; },
        "Put every sample into the report too: dots beside the figures, and the whole result");
}

void add_results(CLI::App &app, wanted_results &o) {
    app.add_option("--json", o.json_path, "Write every sample, and the machine, to this file")
        ->check(file_name)
        ->type_name("FILE")
        ->group(results);
    CLI::Option *html =
        app.add_option("--html", o.html_path, "Write a report to look at: one page, no network")
            ->check(file_name)
            ->type_name("FILE")
            ->group(results);
    add_samples(app, o.in_page)->needs(html)->group(results);
    CLI::Option *compare =
        app.add_option("--compare", o.compare_path, "Compare with an earlier --json file")
            ->check(not_empty)
            ->type_name("FILE")
            ->group(results);
    add_bound(app, o.bound_percent)->needs(compare)->group(results);
}

void add_trial_method(CLI::App &trial, try_options &o) {
    CLI::Option *until = trial.add_option(
        "--until", o.client,
        "The program is a server: run this command of the shell against it, and measure "
        "the server meanwhile");
    until->check(not_empty)->type_name("COMMAND")->group(measuring);
    trial
        .add_option("--ready", o.port,
                    "Start the client when this port of the loopback device can be reached")
        ->check(CLI::Range(1, 65'535))
        ->type_name("PORT")
        ->needs(until)
        ->group(measuring);
    trial
        .add_flag("--side-by-side", o.side_by_side,
                  "Run each malloc at the same time as the first one, both on one processor, and "
                  "compare their CPU time: for a noisy machine and a program of one thread")
        ->excludes(until)
        ->group(measuring);
    trial.add_flag("--same-output", o.same_output, "All runs must write the same, byte for byte")
        ->group(measuring);
    trial
        .add_option("--precision", o.precision_percent,
                    "Go on until each ratio is known within so many percent [3]")
        ->transform(without_percent_sign)
        ->check(range(.1, 100.))
        ->type_name("PERCENT")
        ->group(measuring);
    trial.add_option("--max-time", o.max_seconds, "Or until so many seconds have passed [120]")
        ->check(range(1., 1e6))
        ->type_name("SECONDS")
        ->group(measuring);
    trial.add_option("--timeout", o.limit_seconds, "Give up on a run after so many seconds [300]")
        ->check(range(.1, 86'400.))
        ->type_name("SECONDS")
        ->group(measuring);
}

void add_try(CLI::App &app, try_options &o) {
    CLI::App *trial = app.add_subcommand("try", "Run a program under every malloc");
    trial->add_option("program", o.words, "The program and its arguments, after --")
        ->required()
        ->type_name("PROGRAM");
    add_allocators(*trial, o);
    add_trial_method(*trial, o);
    add_results(*trial, o.results);
}

void add_record(CLI::App &app, record_request &o) {
    CLI::App *record =
        app.add_subcommand("record", "Record what a program asks of its heap, and from where");
    record->add_option("program", o.words, "The program and its arguments, after --")
        ->required()
        ->type_name("PROGRAM");
    record
        ->add_option("-o,--output", o.file,
                     "The recording, in an earlier one's place; processes that the program starts "
                     "get its name with theirs [PROGRAM.PID.toft]")
        ->check(not_empty)
        ->type_name("FILE");
    record
        ->add_option("--sample", o.sampled_bytes,
                     "Follow only one object in about so many bytes: for production")
        ->check(more_than_zero())
        ->type_name("BYTES");
}

void add_advise(CLI::App &app, advise_request &o) {
    CLI::App *advise = app.add_subcommand("advise", "Say what a program could gain, and how");
    advise
        ->add_option("recordings", o.paths,
                     "What toft record wrote: runs of one program. Without any, the program after "
                     "-- is recorded first, into PROGRAM.PID.toft in the current folder")
        ->type_name("FILE");
    advise
        ->add_option("program", o.program,
                     "The program and its arguments, after --: run for its CPU time, and where it "
                     "is short also under the mallocs, and with the objects of the first advised "
                     "arena in one. Its input is empty, and its output dropped")
        ->expected(1) // main() takes its words: the parser has one list of operands at most
        ->type_name("PROGRAM");
    advise->callback([&o] {
        if (o.paths.empty() && o.program.empty())
            throw CLI::RequiredError("recordings, or a program after --,");
    });
    advise
        ->add_option("--cpu", o.processor_seconds,
                     "The CPU time that all these runs take together when they aren't recorded, "
                     "instead of the recordings' estimate")
        ->check(more_than_zero(most_cpu_seconds))
        ->type_name("SECONDS")
        ->group(measuring);
    advise
        ->add_flag("!--no-replay", o.replays,
                   "Don't replay the recording: say nothing of what other mallocs gain")
        ->group(measuring);
    advise
        ->add_option("--replay-time", o.replay_seconds,
                     "Replay for so many seconds at most: the mallocs, and the best advice [30, or "
                     "what a large recording takes once]. The runs of a short program after --, "
                     "two of it at once, are counted in, but for the least number of them")
        ->check(range(1., 1e6))
        ->type_name("SECONDS")
        ->group(measuring);
    advise
        ->add_option("--html", o.html_path,
                     "Write a page to look at: calls, memory over time, regions, the evidence")
        ->check(file_name)
        ->type_name("FILE")
        ->group(results);
    advise->add_option("--json", o.json_path, "Write the advice and its figures to this file")
        ->check(file_name)
        ->type_name("FILE")
        ->group(results);
}

void add_verify(CLI::App &app, verify_request &o) {
    CLI::App *verify = app.add_subcommand(
        "verify", "Run a program with advised objects unreadable after their region's end");
    verify->add_option("recording", o.recording_path, "What toft record wrote")
        ->required()
        ->type_name("FILE");
    verify->add_option("program", o.words, "The program and its arguments, after --")
        ->required()
        ->type_name("PROGRAM");
    verify->add_option("--advice", o.number, "The number that toft advise prints before it")
        ->required()
        ->check(more_than_zero())
        ->type_name("N");
    repeatable(verify->add_option("--with", o.more_recordings,
                                  "Another recording that toft advise was given; once for each"))
        ->type_name("FILE");
    verify->add_option("--cpu", o.processor_seconds, "As toft advise was given")
        ->check(more_than_zero(most_cpu_seconds))
        ->type_name("SECONDS");
}

void add_export(CLI::App &app, export_request &o) {
    CLI::App *exports =
        app.add_subcommand("export", "Write recordings in the formats of other tools");
    exports->add_option("recordings", o.paths, "What toft record wrote")
        ->required()
        ->type_name("FILE");
    exports->add_option("--pprof", o.pprof_path, "Write what pprof and go tool pprof read")
        ->check(file_name)
        ->type_name("FILE")
        ->group(results);
    exports
        ->add_option("--firefox", o.firefox_path,
                     "Write what profiler.firefox.com opens; compressed if it ends with .gz")
        ->check(file_name)
        ->type_name("FILE")
        ->group(results);
    exports
        ->add_option("--parquet", o.table_folder,
                     "Write tables of sites, lifetimes and stacks into this folder, which DuckDB, "
                     "Spark and ClickHouse read")
        ->check(not_empty)
        ->type_name("FOLDER")
        ->group(results);
}

void add_replay_method(CLI::App &replay, replay_options &o) {
    repeatable(
        replay.add_option("--arena", o.arenas,
                          "Also make the objects of these sites in an arena that is reset when "
                          "none of them lives; comma-separated, each a FUNCTION that they are made "
                          "below, a stack's #NUMBER, or MODULE+0xADDRESS; once for each arena"))
        ->type_name("SITES")
        ->group(measuring);
    repeatable(
        replay.add_option("--pool", o.pools, "Also make the objects of these sites in Toft's pool"))
        ->type_name("SITES")
        ->group(measuring);
    replay
        .add_option("--program-cpu", o.program_cpu_ms,
                    "The CPU time that the program takes without being recorded, in milliseconds, "
                    "instead of the recording's estimate")
        ->check(more_than_zero())
        ->type_name("MS")
        ->group(measuring);
    replay.add_option("--repetitions", o.repetitions, "Processes for each row [5]")
        ->check(CLI::Range(3, 1000))
        ->type_name("N")
        ->group(measuring);
    replay
        .add_option("--max-time", o.max_seconds,
                    "After so many seconds three processes for each row are enough [300]")
        ->check(range(0., 1e6))
        ->type_name("SECONDS")
        ->group(measuring);
    replay.add_option("--timeout", o.limit_seconds, "Give up on a run after so many seconds [300]")
        ->check(range(.1, 86'400.))
        ->type_name("SECONDS")
        ->group(measuring);
}

void add_replay(CLI::App &app, replay_options &o) {
    CLI::App *replay =
        app.add_subcommand("replay", "Repeat a recorded program's heap work under every malloc");
    replay->add_option("recording", o.recording_path, "File that toft record wrote")
        ->required()
        ->type_name("FILE");
    replay
        ->add_option("program", o.program,
                     "The recorded program and its arguments, after --: it is run too, so that its "
                     "own CPU time and memory are known")
        ->type_name("PROGRAM");
    add_allocators(*replay, o);
    add_replay_method(*replay, o);
    add_results(*replay, o.results);
}

void add_compare(CLI::App &app, compare_options &o) {
    CLI::App *compare = app.add_subcommand("compare", "Compare two result files");
    compare->add_option("old", o.old_path, "Result file to compare with")
        ->required()
        ->type_name("FILE");
    compare->add_option("new", o.new_path, "Result file that is compared")
        ->required()
        ->type_name("FILE");
    compare->add_flag("--all", o.all, "Show every figure, not just those that changed");
    add_bound(*compare, o.bound_percent);
}

void add_report(CLI::App &app, report_options &o) {
    CLI::App *report = app.add_subcommand("report", "Make the report of a result file");
    report->add_option("result", o.result_path, "Result file")->required()->type_name("FILE");
    report->add_option("page", o.page_path, "Page to write")->required()->type_name("FILE");
    add_samples(*report, o.in_page);
}

// What the lab says to itself. Hidden: no help, manual page or completion names it.
void add_hidden(CLI::App &app, assignment &a, replay_assignment &r) {
    app.add_subcommand(ask_allocator_command)->group("");
    CLI::App *replay = app.add_subcommand(replay_one_command)->group("");
    replay->add_option("program", r.program)->required();
    replay->add_option("allocator", r.allocator)->required();
    replay->add_option("touched", r.touched)->required();
    replay->add_option("frees", r.frees)->required();
    replay->add_flag(without_heap_flag, r.without_heap);
    CLI::App *measure = app.add_subcommand(measure_one_command)->group("");
    measure->add_option("suite", a.suite)->required();
    measure->add_option("case", a.case_name)->required();
    measure->add_option("subject", a.subject)->required();
    measure->add_option("allocator", a.allocator)->required();
    measure->add_option("size", a.size)->required();
    measure->add_flag("--counted", a.counted);
}

} // namespace

std::unique_ptr<CLI::App> make_parser(options &o) {
    auto app = std::make_unique<CLI::App>("Toft, a memory toolkit: its laboratory", "toft");
    app->set_version_flag("--version", "toft " TOFT_LAB_VERSION);
    app->require_subcommand(1);
    CLI::App *bench = app->add_subcommand("bench", "Measure allocators side by side");
    add_choice(*bench, o.bench);
    add_method(*bench, o.bench);
    add_results(*bench, o.bench.results);
    add_try(*app, o.trial);
    add_record(*app, o.record);
    add_replay(*app, o.replay);
    add_advise(*app, o.advise);
    add_verify(*app, o.verify);
    add_export(*app, o.exports);
    add_compare(*app, o.compare);
    add_report(*app, o.report);
    app->add_subcommand("man-page", "Print the manual page, in roff");
    app->add_subcommand("completions", "Print what completes this command in a shell")
        ->add_option("shell", o.shell, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}))
        ->type_name("SHELL");
    for (CLI::App *sub : app->get_subcommands([](const CLI::App *) { return true; }))
        sub->footer(footer_of(sub->get_name(), sub->get_option_no_throw("--bound") != nullptr));
    add_hidden(*app, o.measure_one, o.replay_one);
    return app;
}

} // namespace toft::lab
