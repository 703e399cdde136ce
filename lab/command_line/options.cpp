// SPDX-License-Identifier: MIT
#include "options.hpp"

#include "checks.hpp"
#include "command.hpp"
#include "examples.hpp"
#include "recording_options.hpp"
#include "shared_options.hpp"

namespace toft::lab {
namespace {

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
    add_timeout(bench, o.limit_seconds, "process");
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
    add_status(trial, o.usual_status)->excludes(until);
    trial.add_flag("--same-output", o.same_output, "All runs must write the same, byte for byte")
        ->group(measuring);
    trial
        .add_option("--precision", o.precision_percent,
                    "Go on until each ratio is known within so many percent [3]")
        ->transform(without_percent_sign)
        ->check(range(.1, 100.))
        ->type_name("PERCENT")
        ->group(measuring);
    trial
        .add_option(
            "--max-time", o.max_seconds,
            "Or until so many seconds have passed. A first run, to see that the program works, and "
            "three rounds take place however long they take [120]")
        ->check(range(1., 1e6))
        ->type_name("SECONDS")
        ->group(measuring);
    add_timeout(trial, o.limit_seconds, "run");
}

void add_try(CLI::App &app, try_options &o) {
    CLI::App *trial = app.add_subcommand("try", "Run a program under every malloc");
    add_program(*trial, o.words);
    add_allocators(*trial, o);
    add_trial_method(*trial, o);
    add_results(*trial, o.results);
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
        sub->footer(footer_of(sub->get_name()));
    add_hidden(*app, o.measure_one, o.replay_one);
    return app;
}

} // namespace toft::lab
