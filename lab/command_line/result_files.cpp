// SPDX-License-Identifier: MIT
#include "result_files.hpp"

#include "result/result_file.hpp"
#include "run/load.hpp"
#include "run/machine.hpp"
#include "run/tell.hpp"
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

// A program's arguments and its last words may be in any encoding: U+FFFD stands for what isn't
// UTF-8.
constexpr auto readable = nlohmann::json::error_handler_t::replace;

std::string now_in_words() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

bool is_same_place(const std::string &a, const std::string &b) {
    namespace fs = std::filesystem;
    std::error_code ignored, has_no_place; // as a pipe behind /dev/stdout, which no path names
    if (fs::equivalent(a, b, ignored)) return true;
    const fs::path one = fs::weakly_canonical(fs::absolute(a), has_no_place);
    if (has_no_place) return false;
    return one == fs::weakly_canonical(fs::absolute(b), has_no_place) && !has_no_place;
}

bool has_samples(const bench_result &result) {
    for (const suite_result &s : result.suites)
        for (const row &r : s.rows)
            if (!r.samples.empty()) return true;
    return false;
}

} // namespace

void require_own_files(const std::vector<wanted_file> &outputs,
                       const std::vector<std::string> &inputs) {
    for (auto output = outputs.begin(); output != outputs.end(); ++output) {
        if (output->path.empty()) continue;
        for (auto former = outputs.begin(); former != output; ++former)
            if (!former->path.empty() && is_same_place(former->path, output->path))
                throw std::invalid_argument(
                    fmt::format("{} and {} both name {}: give each a file of its own", former->name,
                                output->name, output->path));
        for (const std::string &input : inputs)
            if (is_same_place(input, output->path))
                throw std::invalid_argument(fmt::format(
                    "{} names {}, which is read: give it a file of its own", output->name, input));
    }
}

bool write_or_tell(std::optional<output_file> &file, const std::function<std::string()> &make) {
    if (!file) return true;
    try {
        file->write(make());
        return true;
    } catch (const std::exception &e) {
        tell_stderr("toft: {}\n", e.what());
        return false;
    }
}

result_files::result_files(const wanted_results &asked, const std::vector<std::string> &inputs)
    : asked_(asked) {
    require_own_files({{"--json", asked.json_path}, {"--html", asked.html_path}}, inputs);
    if (!asked.html_path.empty()) require_report();
    if (!asked.compare_path.empty()) older_ = read_result(asked.compare_path);
    if (!asked.json_path.empty()) json_.emplace(asked.json_path);
    if (!asked.html_path.empty()) html_.emplace(asked.html_path);
}

void result_files::take(bench_result &result) {
    if (result.interrupted && !has_samples(result)) {
        for (const std::string &path : {asked_.json_path, asked_.html_path})
            if (!path.empty())
                tell_stderr("toft: {} stays as it was: nothing had been measured yet\n", path);
        json_.reset();
        html_.reset();
    }
    if (older_) result.compared = compare(*older_, result);
    written_ = write_or_tell(
        json_, [&] { return to_document(result).dump(1, ' ', false, readable) + '\n'; });
    written_ &= write_or_tell(html_, [&] { return report_page(result, asked_.in_page); });
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
