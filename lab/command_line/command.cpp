// SPDX-License-Identifier: MIT
#include "command.hpp"

#include "result/result_file.hpp"
#include "run/interrupt.hpp"
#include "run/load.hpp"
#include "run/machine.hpp"
#include "run/progress.hpp"
#include "run/runner.hpp"
#include "show/comparison.hpp"
#include "show/comparison_text.hpp"
#include "show/conclusion.hpp"
#include "show/epilogue.hpp"
#include "show/output_file.hpp"
#include "show/report_page.hpp"
#include "show/warnings.hpp"

#include <chrono>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

namespace toft::lab {
namespace {

using steady = std::chrono::steady_clock;

// A file that was asked for: opened before anything is measured, so that a mistake is told at once.
class wanted_file {
  public:
    explicit wanted_file(const std::string &path) {
        if (!path.empty()) file_.emplace(path);
    }

    // False, and a word on standard error, when it can't be written: the tables are still shown.
    template <class Make>
    bool write(Make make) {
        if (!file_) return true;
        try {
            file_->write(make());
            return true;
        } catch (const std::exception &e) {
            fmt::print(stderr, "toft: {}\n", e.what());
            return false;
        }
    }

  private:
    std::optional<output_file> file_;
};

bool is_regression(const comparison &c, std::optional<double> bound_percent) {
    return bound_percent && c.worst() > 1 + *bound_percent / 100;
}

void require_report() {
    if (report_is_built_in()) return;
    throw std::invalid_argument("this toft was built without the report: install nodejs and npm, "
                                "and build it again (see lab/README.md)");
}

std::string now_in_words() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

std::string text_of(const bench_result &result) { return to_document(result).dump(1) + '\n'; }

// Measures what was planned, and notes when, where and under what load.
void measure(bench_result &result, const bench_request &asked) {
    result.command_line = asked.command_line;
    result.started = now_in_words();
    result.machine = look_at_machine();
    result.build = look_at_build();
    progress shown(stderr);
    const load_watch load;
    const steady::time_point begin = steady::now();
    carry_out(result, asked.chosen, shown);
    result.seconds = std::chrono::duration<double>(steady::now() - begin).count();
    result.load = load.stop();
}

void conclude(bench_result &result, const std::optional<bench_result> &old_result) {
    for (suite_result &s : result.suites) s.conclusion = conclusion_of(s);
    result.warnings = warnings_of(result);
    if (old_result) result.compared = compare(*old_result, result);
}

} // namespace

int run_bench(const bench_request &asked) {
    if (!asked.html_path.empty()) require_report();
    bench_result result = plan(asked.chosen);
    std::optional<bench_result> old_result;
    if (!asked.compare_path.empty()) old_result = read_result(asked.compare_path);
    wanted_file json_file(asked.json_path), html_file(asked.html_path);

    catch_interrupts();
    measure(result, asked);
    conclude(result, old_result);
    bool written = json_file.write([&] { return text_of(result); });
    written &= html_file.write([&] { return report_page(result); });

    printer out(stdout);
    print_result(result, asked.chosen, out);
    if (result.compared) print_comparison(*result.compared, false, out);
    if (result.interrupted) return exit_interrupted;
    if (result.compared && is_regression(*result.compared, asked.bound_percent))
        return exit_regression;
    return written && !result.has_problems() ? exit_success : exit_problems;
}

int run_compare(const std::string &old_path, const std::string &new_path, bool all,
                std::optional<double> bound_percent) {
    const comparison compared = compare(read_result(old_path), read_result(new_path));
    printer out(stdout);
    print_comparison(compared, all, out);
    return is_regression(compared, bound_percent) ? exit_regression : exit_success;
}

int run_report(const std::string &result_path, const std::string &page_path) {
    require_report();
    output_file(page_path).write(report_page(read_result(result_path)));
    return exit_success;
}

} // namespace toft::lab
