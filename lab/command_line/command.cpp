// SPDX-License-Identifier: MIT
#include "command.hpp"

#include "result/result_file.hpp"
#include "result_files.hpp"
#include "run/interrupt.hpp"
#include "run/runner.hpp"
#include "show/comparison.hpp"
#include "show/conclusion.hpp"
#include "show/epilogue.hpp"
#include "show/report_page.hpp"
#include "show/warnings.hpp"

#include <csignal>
#include <cstdio>
#include <sys/resource.h>
#include <sys/wait.h>

namespace toft::lab {

int run_bench(const bench_request &asked) {
    bench_result result = plan(asked.chosen);
    result_files files(asked.results);
    catch_interrupts();
    measure(result, asked.command_line,
            [&](progress &shown) { carry_out(result, asked.chosen, shown); });
    for (const suite *of : asked.chosen.suites)
        for (suite_result &s : result.suites)
            if (s.name == of->name) s.conclusion = conclusion_of(s, of->tables);
    result.warnings = warnings_of(result);
    files.take(result);
    printer out(stdout);
    print_result(result, asked.chosen, out);
    return files.finish(result, out);
}

int status_like(int wait_status) {
    if (!WIFSIGNALED(wait_status)) return WEXITSTATUS(wait_status);
    const rlimit no_core = {0, 0}; // there is the program's own
    setrlimit(RLIMIT_CORE, &no_core);
    std::fflush(nullptr);
    std::signal(WTERMSIG(wait_status), SIG_DFL);
    std::raise(WTERMSIG(wait_status));
    constexpr int killed = 128; // as shells have it
    return killed + WTERMSIG(wait_status);
}

int run_compare(const std::string &old_path, const std::string &new_path, bool all,
                std::optional<double> bound_percent) {
    const comparison compared = compare(read_result(old_path), read_result(new_path));
    printer out(stdout);
    return tell_comparison(compared, all, bound_percent, out);
}

int run_report(const std::string &result_path, const std::string &page_path, page_samples samples) {
    require_report();
    require_own_files({{"the page", page_path}}, {result_path});
    output_file(page_path).write(report_page(read_result(result_path), samples));
    return exit_success;
}

} // namespace toft::lab
