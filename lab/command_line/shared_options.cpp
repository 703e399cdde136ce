// SPDX-License-Identifier: MIT
#include "shared_options.hpp"

#include "checks.hpp"

namespace toft::lab {

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

CLI::Option *add_bound(CLI::App &app, std::optional<double> &bound) {
    return app
        .add_option("--bound", bound,
                    "Exit with 3 when something became slower by more than so many percent, "
                    "and with 4 when that can't be told")
        ->check(range(0., 1e6))
        ->type_name("PERCENT");
}

CLI::Option *add_samples(CLI::App &app, page_samples &in_page) {
    return app.add_flag_callback(
        "--samples", [&in_page] { in_page = page_samples::taken_along; },
        "Put every sample into the report too: dots beside the figures, and the whole result");
}

CLI::Option *add_output(CLI::App &app, const char *name, std::string &path, const char *meaning) {
    return app.add_option(name, path, meaning)->check(file_name)->type_name("FILE")->group(results);
}

void add_program(CLI::App &app, std::vector<std::string> &words) {
    app.add_option("program", words, "The program and its arguments, after --")
        ->required()
        ->type_name("PROGRAM");
}

void add_timeout(CLI::App &app, double &seconds, const std::string &what) {
    app.add_option("--timeout", seconds, "Give up on a " + what + " after so many seconds [300]")
        ->check(range(.1, 86'400.))
        ->type_name("SECONDS")
        ->group(measuring);
}

void add_results(CLI::App &app, wanted_results &o) {
    add_output(app, "--json", o.json_path, "Write every sample, and the machine, to this file");
    CLI::Option *html =
        add_output(app, "--html", o.html_path, "Write a report to look at: one page, no network");
    add_samples(app, o.in_page)->needs(html)->group(results);
    CLI::Option *compare =
        app.add_option("--compare", o.compare_path, "Compare with an earlier --json file")
            ->check(not_empty)
            ->type_name("FILE")
            ->group(results);
    add_bound(app, o.bound_percent)->needs(compare)->group(results);
}

CLI::Option *add_status(CLI::App &app, int &status) {
    return app
        .add_option("--status", status,
                    "The status that the program exits with when nothing is wrong [0]")
        ->check(CLI::Range(0, 255))
        ->type_name("N")
        ->group(measuring);
}

} // namespace toft::lab
