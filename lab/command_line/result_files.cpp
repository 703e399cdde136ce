// SPDX-License-Identifier: MIT
#include "result_files.hpp"

#include "result/result_file.hpp"
#include "run/load.hpp"
#include "run/machine.hpp"
#include "show/comparison.hpp"
#include "show/comparison_text.hpp"
#include "show/report_page.hpp"

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace toft::lab {
namespace {

using steady = std::chrono::steady_clock;

std::string now_in_words() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

void require_two_files(const std::string &json_path, const std::string &html_path) {
    if (json_path.empty() || html_path.empty()) return;
    namespace fs = std::filesystem;
    if (fs::weakly_canonical(fs::absolute(json_path)) ==
        fs::weakly_canonical(fs::absolute(html_path)))
        throw std::invalid_argument(
            fmt::format("--json and --html both name {}: give each a file of its own", json_path));
}

} // namespace

result_files::result_files(const wanted_results &asked) : asked_(asked) {
    require_two_files(asked.json_path, asked.html_path);
    if (!asked.html_path.empty()) require_report();
    if (!asked.compare_path.empty()) older_ = read_result(asked.compare_path);
    if (!asked.json_path.empty()) json_.emplace(asked.json_path);
    if (!asked.html_path.empty()) html_.emplace(asked.html_path);
}

bool result_files::write(std::optional<output_file> &file,
                         const std::function<std::string()> &make) {
    if (!file) return true;
    try {
        file->write(make());
        return true;
    } catch (const std::exception &e) {
        fmt::print(stderr, "toft: {}\n", e.what());
        return false;
    }
}

void result_files::take(bench_result &result) {
    if (older_) result.compared = compare(*older_, result);
    written_ = write(json_, [&] { return to_document(result).dump(1) + '\n'; });
    written_ &= write(html_, [&] { return report_page(result, asked_.in_page); });
}

int result_files::finish(const bench_result &result, printer &out) const {
    const int compared = result.compared
                             ? tell_comparison(*result.compared, false, asked_.bound_percent, out)
                             : exit_success;
    if (result.interrupted) return exit_interrupted;
    if (compared == exit_regression) return compared;
    return written_ && !result.has_problems() ? compared : exit_problems;
}

void measure(bench_result &result, const std::vector<std::string> &command_line,
             const std::function<void(progress &)> &work) {
    result.command_line = command_line;
    result.started = now_in_words();
    result.machine = look_at_machine();
    result.build = look_at_build();
    progress shown(stderr);
    const load_watch load;
    const steady::time_point begin = steady::now();
    work(shown);
    result.seconds = std::chrono::duration<double>(steady::now() - begin).count();
    result.load = load.stop();
}

int tell_comparison(const comparison &c, bool all, std::optional<double> bound_percent,
                    printer &out) {
    print_comparison(c, all, out);
    if (!bound_percent) return exit_success;
    print_bound(c, *bound_percent, out);
    switch (judge_bound(c, *bound_percent)) {
    case bound_verdict::exceeded:
        return exit_regression;
    case bound_verdict::cannot_tell:
        return exit_cannot_tell;
    default:
        return exit_success;
    }
}

void require_report() {
    if (report_is_built_in()) return;
    throw std::invalid_argument("this toft was built without the report: install nodejs and npm, "
                                "and build it again (see lab/README.md)");
}

} // namespace toft::lab
