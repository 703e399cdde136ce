// SPDX-License-Identifier: MIT
#include "command.hpp"

#include "run/interrupt.hpp"
#include "run/load.hpp"
#include "run/machine.hpp"
#include "run/runner.hpp"
#include "show/comparison_text.hpp"
#include "show/epilogue.hpp"
#include "show/output_file.hpp"
#include "show/report_page.hpp"
#include "show/result_json.hpp"

#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <stdexcept>

namespace toft::lab {
namespace {

using nlohmann::json;
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

std::string dump(const json &result) { return result.dump(1) + '\n'; }

} // namespace

int run_bench(const bench_request &asked) {
    if (!asked.html_path.empty()) require_report();
    outcome result = plan(asked.chosen);
    std::optional<json> old_result;
    if (!asked.compare_path.empty()) old_result = read_result(asked.compare_path);
    wanted_file json_file(asked.json_path), html_file(asked.html_path);
    circumstances around{asked.command_line, now_in_words(),  0,
                         look_at_machine(),  look_at_build(), {}};

    catch_interrupts();
    progress shown(stderr);
    const load_watch load;
    const steady::time_point begin = steady::now();
    carry_out(result, asked.chosen, shown);
    around.seconds = std::chrono::duration<double>(steady::now() - begin).count();
    around.load = load.stop();

    json document = to_json(result, asked.chosen, around);
    std::optional<comparison> compared;
    if (old_result) {
        compared = compare(*old_result, document);
        document["comparison"] = to_json(*compared);
    }
    bool written = json_file.write([&] { return dump(document); });
    written &= html_file.write([&] { return report_page(document); });

    printer out(stdout);
    print_outcome(result, asked.chosen, around, out);
    if (compared) print_comparison(*compared, false, out);
    if (result.interrupted) return exit_interrupted;
    if (compared && is_regression(*compared, asked.bound_percent)) return exit_regression;
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
    const json result = read_result(result_path);
    output_file(page_path).write(report_page(result));
    return exit_success;
}

} // namespace toft::lab
