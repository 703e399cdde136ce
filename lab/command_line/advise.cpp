// SPDX-License-Identifier: MIT
// `toft advise`: what a program could gain, from recordings of it, which it can make by itself.
#include "advice/advice.hpp"
#include "advice/advice_file.hpp"
#include "advice/advice_page.hpp"
#include "advice/advice_text.hpp"
#include "advice/weighing.hpp"
#include "advise_recording.hpp"
#include "advise_rehearsal.hpp"
#include "advise_replays.hpp"
#include "advise_trial.hpp"
#include "command.hpp"
#include "own_malloc.hpp"
#include "record/recorded_file.hpp"
#include "result_files.hpp"
#include "run/elf_file.hpp"
#include "run/interrupt.hpp"
#include "run/program_seconds.hpp"
#include "run/recognise.hpp"
#include "run/tell.hpp"
#include "run/terminal.hpp"
#include "show/output_file.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <stdexcept>
#include <system_error>

namespace toft::lab {

namespace {

// Drawings are those of the first recording.
std::string page_of(const advice_report &report, const std::vector<recording> &recordings,
                    const symbol_source &symbols) {
    return advice_page(report, history_of(report, recordings.front(), 0, symbols));
}

// Where no line is drawn that says what goes on.
void announce_replays(const replay_bounds &bounds, const advise_request &asked) {
    if (can_redraw(stderr)) return;
    tell_stderr("toft: replaying{} for about {:.0f} s, longer if there is much to replay; "
                "--no-replay leaves it out\n",
                asked.program.empty() ? "" : ", and running the program,", bounds.seconds);
}

void replay(advice_report &report, const std::vector<recording> &recordings,
            const program_symbols &symbols, const advise_request &asked, const target &program,
            const program_seconds &of_program) {
    constexpr double most_runs = 30; // of the program, beside replays
    replay_bounds bounds;
    if (asked.replay_seconds) bounds.seconds = bounds.most_seconds = *asked.replay_seconds;
    if (of_program.cpu * most_runs < bounds.seconds) bounds.program = program;
    bounds.allocators = asked.allocators;
    const std::string own_library = malloc_of(recordings.front());
    put_own_malloc_first(bounds.allocators, own_library);
    if (!own_library.empty())
        report.notes.push_back(fmt::format(
            "The program brings the malloc of {}: gains are told against it.", own_library));
    if (report.sampled || report.objects == 0) {
        report.replay_left_out = "there is nothing to replay";
        return;
    }
    announce_replays(bounds, asked);
    const double seconds_for_all = bounds.seconds;
    // Runs of the program tell more than replays, so they may take longer for their least rounds.
    const double run_seconds = std::max(of_program.cpu, of_program.wall);
    const double most_seconds = std::max(bounds.seconds, bounds.most_seconds / 3);
    first_arena_rehearsal arena(report, recordings, symbols, program, run_seconds,
                                bounds.seconds / 3, most_seconds);
    const malloc_trial trial{program, bounds.allocators,
                             bounds.seconds / (arena.is_possible() ? 3 : 2)};
    arena.run_third();
    if (!program.words.empty() && least_seconds_of(trial, run_seconds) <= most_seconds) {
        try_mallocs(report, trial);
        bounds.seconds -= trial.seconds;
        bounds.most_seconds -= trial.seconds;
    }
    if (arena.is_possible()) {
        bounds.seconds -= trial.seconds;
        bounds.most_seconds -= trial.seconds;
    }
    bounds.share = bounds.seconds / seconds_for_all;
    arena.run_third();
    add_replays(report, recordings, bounds);
    try {
        arena.run_third();
    } catch (const interruption &) {} // what was measured before stands
    arena.take_into_report();
}

// The advice stands without them.
void replay_if_possible(advice_report &report, const std::vector<recording> &recordings,
                        const program_symbols &symbols, const advise_request &asked,
                        const target &program, const program_seconds &of_program) {
    try {
        replay(report, recordings, symbols, asked, program, of_program);
    } catch (const interruption &e) {
        report.replay_left_out = fmt::format("it was {}", e.what());
    } catch (const std::invalid_argument &e) {
        report.replay_left_out = e.what();
    } catch (const std::system_error &e) {
        report.replay_left_out =
            fmt::format("{}. Its temporary files are in the folder that TMPDIR names; --no-replay "
                        "does without",
                        e.what());
    }
    if (was_replayed(report)) weigh(report);
}

// The program may be one that starts the recorded one, such as env.
void note_another_program(advice_report &report, const recording &of, const std::string &name) {
    const std::string path = recognise_program(name).path;
    const std::optional<elf_file> file = read_elf_file(path);
    if (!file || file->build_id.empty() ||
        std::ranges::find(of.modules, file->build_id, &recorded_module::build_id) !=
            of.modules.end())
        return;
    report.remarks.push_back(fmt::format(
        "{} isn't in the recording: what is told of its runs holds only if it starts {} as that "
        "was recorded.",
        path, of.command_line.empty() ? "the program" : of.command_line.front()));
}

// What is told of a program's own runs.
constexpr const char *program_was_run =
    "The program was run for its CPU time: {:g} s, the median. `toft verify` takes the same advice "
    "with --cpu {:g}.";

void refuse_a_program_that_says_nothing(const advise_request &asked) {
    if (asked.program.empty()) return;
    if (asked.processor_seconds)
        throw std::invalid_argument("--cpu says what the program after -- would be run for: leave "
                                    "one of them out");
    if (asked.paths.size() > 1)
        throw std::invalid_argument("the program after -- can't say what several recorded runs "
                                    "take together: give --cpu instead");
}

} // namespace

int run_advise(const advise_request &asked) {
    refuse_a_program_that_says_nothing(asked);
    require_own_files({{"--json", asked.json_path}, {"--html", asked.html_path}}, asked.paths);
    refuse_one_run_twice(asked.paths);
    std::vector<recording> recordings;
    for (const std::string &path : asked.paths) recordings.push_back(read_recording(path));
    catch_interrupts();              // from here on there is something to take away again
    std::optional<output_file> json; // which must be writable before the work begins
    if (!asked.json_path.empty()) json.emplace(asked.json_path);
    if (!asked.html_path.empty()) require_report();
    std::optional<output_file> html;
    if (!asked.html_path.empty()) html.emplace(asked.html_path);
    std::vector<std::string> remarks, notes;
    target program{.words = asked.program, .usual_status = asked.usual_status};
    if (asked.paths.empty()) {
        recording_for_advice made = record_for_advice(asked.program);
        recordings.push_back(read_recording(made.path));
        program.usual_status = made.usual_status;
        remarks = std::move(made.remarks);
        notes = std::move(made.notes);
    }
    const program_symbols symbols = read_symbols();
    std::optional<double> seconds = asked.processor_seconds;
    std::optional<program_seconds> of_program;
    if (!program.words.empty()) of_program = seconds_of_program(program);
    if (of_program) seconds = of_program->cpu;
    stop_if_interrupted();
    advice_report report = advise(recordings, symbols, seconds);
    report.remarks.insert(report.remarks.end(), remarks.begin(), remarks.end());
    report.notes = std::move(notes);
    if (!program.words.empty()) {
        report.notes.push_back(fmt::format(program_was_run, *seconds, *seconds));
        note_another_program(report, recordings.front(), program.words.front());
    }
    if (asked.replays)
        replay_if_possible(report, recordings, symbols, asked, program,
                           of_program.value_or(program_seconds{}));
    else
        report.replay_left_out = "--no-replay leaves it out";
    bool written = write_or_tell(json, [&] { return advice_document(report); });
    written &= write_or_tell(html, [&] { return page_of(report, recordings, symbols.places); });
    printer out(stdout);
    print_advice(report, out);
    if (interrupted()) {
        tell_stderr("toft: interrupted: what is told rests on what was measured until then\n");
        return exit_interrupted;
    }
    return written ? exit_success : exit_problems;
}

} // namespace toft::lab
