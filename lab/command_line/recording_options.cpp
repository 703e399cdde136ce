// SPDX-License-Identifier: MIT
#include "recording_options.hpp"

#include "checks.hpp"
#include "shared_options.hpp"

namespace toft::lab {
namespace {

// What all processors of a large machine may take in a year.
constexpr double most_cpu_seconds = 1e9;

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
    add_timeout(replay, o.limit_seconds, "run");
}

} // namespace

void add_record(CLI::App &app, record_request &o) {
    CLI::App *record =
        app.add_subcommand("record", "Record what a program asks of its heap, and from where");
    add_program(*record, o.words);
    record
        ->add_option("-o,--output", o.file,
                     "The recording, in an earlier one's place [PROGRAM.PID.toft, or "
                     "PROGRAM.PID.2.toft where that is there]. Other processes of the program get "
                     "FILE.PID, or FILE.PID.1 where that is there")
        ->check(not_empty)
        ->type_name("FILE");
    record
        ->add_option("--sample", o.sampled_bytes,
                     "Follow only one object in about so many bytes, or with K, M or G behind the "
                     "number so many times 1,024 bytes and so on: for production")
        ->transform(bytes_above_zero)
        ->type_name("BYTES");
}

void add_advise(CLI::App &app, advise_request &o) {
    CLI::App *advise = app.add_subcommand("advise", "Say what a program could gain, and how");
    CLI::Option *recordings =
        advise
            ->add_option(
                "recordings", o.paths,
                "What toft record wrote: runs of one program. Without any, the program after "
                "-- is recorded first, into PROGRAM.PID.toft in the current folder, or "
                "PROGRAM.PID.2.toft where that is there")
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
    // Without a recording, the run that is recorded tells it.
    add_status(*advise, o.usual_status)->needs(recordings);
    advise
        ->add_flag_callback(
            "--no-replay", [&o] { o.replays = false; },
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
    add_output(*advise, "--html", o.html_path,
               "Write a page to look at: calls, memory over time, regions, the evidence");
    add_output(*advise, "--json", o.json_path, "Write the advice and its figures to this file");
}

void add_verify(CLI::App &app, verify_request &o) {
    CLI::App *verify = app.add_subcommand(
        "verify", "Run a program with advised objects unreadable after their region's end");
    verify->add_option("recording", o.recording_path, "What toft record wrote")
        ->required()
        ->type_name("FILE");
    add_program(*verify, o.words);
    verify->add_option("--advice", o.number, "The number that toft advise prints before it")
        ->required()
        ->check(more_than_zero())
        ->type_name("N");
    repeatable(verify->add_option("--with", o.more_recordings,
                                  "Another recording that toft advise was given, once for each: "
                                  "the numbers of advice depend on it"))
        ->type_name("FILE");
    verify
        ->add_option("--cpu", o.processor_seconds,
                     "The CPU time that toft advise was given, or says that the program took: the "
                     "numbers of advice depend on it")
        ->check(more_than_zero(most_cpu_seconds))
        ->type_name("SECONDS");
}

void add_export(CLI::App &app, export_request &o) {
    CLI::App *exports =
        app.add_subcommand("export", "Write recordings in the formats of other tools");
    exports->add_option("recordings", o.paths, "What toft record wrote")
        ->required()
        ->type_name("FILE");
    add_output(*exports, "--pprof", o.pprof_path, "Write what pprof and go tool pprof read");
    add_output(*exports, "--firefox", o.firefox_path,
               "Write what profiler.firefox.com opens; compressed if it ends with .gz");
    exports
        ->add_option("--parquet", o.table_folder,
                     "Write tables of sites, lifetimes and stacks into this folder, which DuckDB, "
                     "Spark and ClickHouse read")
        ->check(not_empty)
        ->type_name("FOLDER")
        ->group(results);
}

void add_replay(CLI::App &app, replay_options &o) {
    CLI::App *replay =
        app.add_subcommand("replay", "Repeat a recorded program's heap work under every malloc");
    replay->add_option("recording", o.recording_path, "File that toft record wrote")
        ->required()
        ->type_name("FILE");
    CLI::Option *program =
        replay
            ->add_option(
                "program", o.program,
                "The recorded program and its arguments, after --: it is run too, so that its "
                "own CPU time and memory are known")
            ->type_name("PROGRAM");
    add_status(*replay, o.usual_status)->needs(program);
    add_allocators(*replay, o);
    add_replay_method(*replay, o);
    add_results(*replay, o.results);
}

} // namespace toft::lab
