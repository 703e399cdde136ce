// SPDX-License-Identifier: MIT
#include "command.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

TEST_CASE("--version says the version and --help explains") {
    CHECK(run_toft("--version").out == "toft " TOFT_LAB_VERSION "\n");
    CHECK(run_toft("--version").status == 0);
    CHECK(run_toft("bench --help").status == 0);
    CHECK(contains(run_toft("bench --help").out, "--repetitions"));
    CHECK(run_toft("help").out == run_toft("--help").out);
    CHECK(run_toft("help bench").out == run_toft("bench --help").out);
}

TEST_CASE("whatever is unknown is an error that says what there is") {
    const auto check = [](const std::string &arguments, const std::string &what_there_is) {
        CAPTURE(arguments);
        const run_result r = run_toft(arguments);
        CHECK(r.status == 2);
        CHECK(r.out.empty());
        CAPTURE(r.err);
        CHECK(contains(r.err, what_there_is));
    };
    check("", "bench, try, record, replay, advise, verify, export, compare, report");
    check("measure", "bench");
    check("help measure", "no subcommand is named 'measure'");
    check("record ls -l", "as in: toft record -- ls -l");
    check("advise ls -l", "as in: toft advise -- ls -l");
    check("verify one --advice 1 --with two three -- true",
          "--with takes one value, and may be given several times");
    check("try --env nobody:A=1 -- true -x", "no allocator is named 'nobody'");
    check("bench tre", "tree, arena");
    check("bench --fast", "--full");
    check("bench --allocators glibc,dlmalloc", "mimalloc");
    check("bench --allocators ''", "needs at least one name");
    check("bench --repetitions 0", "--repetitions");
    check("bench --repetitions many", "--repetitions");
    check("bench tree --size 99", "from 1 to 18");
    check("bench --size 5", "name one suite");
    check("bench --filter nowhere", "--list");
    check("bench --threads 77", "nothing matches --threads 77");
    check("bench --threads two", "--threads");
    check("bench --timeout nan", "'nan' isn't a number");
    check("bench --bound 5", "--compare");
    check("bench --preload mine", "NAME=FILE");
    check("bench --preload mine=no/such/file.so", "no file 'no/such/file.so'");
    check("bench --preload glibc=/dev/null", "knows a glibc already");
    check("bench --preload mine=/dev/null", "has another malloc");
    check("compare only-one.json", "new");
    check("completions tcsh", "bash");
}

TEST_CASE("what is missing is told with a whole command as an example") {
    const auto check = [](const std::string &arguments, const std::string &expected) {
        CAPTURE(arguments);
        const run_result run = run_toft(arguments);
        CHECK(run.status == 2);
        CHECK(run.out == "");
        CHECK(contains(unwrapped(run.err), expected));
    };
    for (const std::string taker : {"replay", "advise", "verify", "export"}) {
        check(taker, "required As in: toft " + taker + " ");
        check(taker, "toft record -o FILE -- PROGRAM makes a recording");
    }
    for (const std::string nothing : {"advise", "advise --no-replay", "advise --"})
        check(nothing, "recordings, or a program after --, is required As in: toft advise -- ");
    check("try", "program is required As in: toft try -- ");
    check("record -o x", "program is required As in: toft record -o run.toft -- ");
    check("report", "required As in: toft report results.json");
}

TEST_CASE("an empty value is a mistake, and is told before anything is measured") {
    const auto refuses = [](const std::string &arguments, const std::string &option) {
        CAPTURE(arguments);
        const run_result r = run_toft(arguments);
        CHECK(r.status == 2);
        CHECK(r.out.empty());
        CHECK(r.err ==
              "toft: " + option + ": the value is empty: give one, or leave the option out\n");
    };
    const std::string sound = "bench planted --filter planted/sound/ --repetitions 1 ";
    for (const std::string option : {"--json", "--html", "--compare"}) {
        refuses(sound + option + " ''", option);
        refuses("try " + option + " '' -- true", option);
    }
    refuses("try --until '' -- true", "--until");
    refuses("advise --json '' x.toft", "--json");
    refuses("export --pprof '' x.toft", "--pprof");
    refuses("record -o '' -- true", "--output");
}

TEST_CASE("--list shows suites and allocators, and hides the planted ones") {
    const run_result r = run_toft("bench --list");
    CHECK(r.status == 0);
    for (const char *part : {"tree", "arena", "binary-trees", "unique_ptr", "toft::arena", "glibc"})
        CHECK(contains(r.out, part));
    // The drop-in is built with the command, and found beside it.
    CHECK(contains(r.out, "toft-malloc " TOFT_LAB_VERSION));
    CHECK_FALSE(contains(r.out, "planted"));
    CHECK_FALSE(contains(r.out, "crashing"));
}

TEST_CASE("--list shows the suites that are named, or all") {
    const run_result r = run_toft("bench --list tree");
    CHECK(r.status == 0);
    CHECK(contains(r.out, "\ntree: "));
    CHECK_FALSE(contains(r.out, "\narena: "));
    CHECK(contains(r.out, "glibc"));
    CHECK(contains(run_toft("bench --list").out, "\nprograms: "));
}

TEST_CASE("a file that can't be read, or is no result file, is told before anything is measured") {
    const auto check = [](const std::string &arguments, const std::string &what) {
        const run_result r = run_toft(arguments);
        CHECK(r.status == 1);
        CHECK(r.out.empty());
        CHECK(contains(r.err, what));
    };
    const std::string other = scratch("other.json");
    write_to(other, "{\"schema\": \"another\"}");
    const std::string old = scratch("old-version.json");
    write_to(old, "{\"schema\": \"toft-bench\", \"schema_version\": 1}");
    check("bench tree --compare no/such.json", "can't read no/such.json");
    check("bench tree --compare " + other, "is no result file");
    check("compare " + old + " " + old, "version 1 of the result file");
}

TEST_CASE("--threads takes the cases with that number of threads, and the result says it") {
    const std::string json = scratch("threads.json");
    const run_result r = run_toft("bench planted --threads 2,4 --size 1000 --json " + json);
    CHECK(r.status == 0);
    const auto rows = nlohmann::json::parse(contents_of(json))["suites"][0]["rows"];
    CHECK(rows.size() == 12);
    for (const auto &row : rows) CHECK(row["threads"] == (row["case"] == "steady" ? 2 : 4));
}

TEST_CASE("--preload measures another malloc under its own name") {
    const std::string json = scratch("preload.json");
    for (const std::string names : {"glibc", "mine,glibc"}) { // which may have it for its place
        const run_result r = run_toft("bench planted --filter planted/sound/ --size 1000 "
                                      "--preload 'mine=" TOFT_HEAP_COUNTER "' --allocators " +
                                      names + " --json " + json);
        CAPTURE(r.err);
        CHECK(r.status == 0);
        CHECK(contains(r.out, "sound (mine)"));
        const auto result = nlohmann::json::parse(contents_of(json));
        const std::size_t place = names == "glibc" ? 1 : 0;
        REQUIRE(result["allocators"].size() == 2);
        CHECK(result["allocators"][place]["name"] == "mine");
        CHECK(result["suites"][0]["rows"][place]["allocator"] == "mine");
    }
}

TEST_CASE("a subcommand's help has the statuses that it can end with") {
    for (const std::string sub : {"bench", "try", "replay", "compare", "export"}) {
        CAPTURE(sub);
        const std::string help = run_toft(sub + " --help").out;
        const std::string statuses = help.substr(help.find("Exit status:"));
        CHECK(contains(statuses, "  0  all well"));
        CHECK(contains(statuses, "--bound") == contains(help, "--bound PERCENT"));
        CHECK_FALSE(contains(statuses, "  5  "));
    }
    const auto check = [](const std::string &sub, const std::vector<std::string> &said,
                          const std::vector<std::string> &not_said) {
        CAPTURE(sub);
        const std::string help = unwrapped(run_toft(sub + " --help").out);
        const std::string statuses = help.substr(help.find("Exit status:"));
        for (const std::string &text : said) CHECK_MESSAGE(contains(statuses, text), text);
        for (const std::string &text : not_said)
            CHECK_FALSE_MESSAGE(contains(statuses, text), text);
    };
    const std::string program = " N  otherwise as the program ended", removed = "compiler removed",
                      written = "130  interrupted; what was measured is shown and written";
    check("bench", {removed, written}, {program});
    check("record", {program, " 1  no recording could be made"}, {removed, " 130 "});
    check("verify", {program, " 1  too little was seen", " 5  an object was used after"},
          {removed, " 130 "});
    check("advise", {"130  interrupted; what was known by then"}, {removed, program});
    check("export", {"130  interrupted; nothing is written"}, {removed, program});
    for (const std::string sub : {"compare", "report", "completions"})
        check(sub, {" 1  a file couldn't be read or written"}, {removed, program, " 130 "});
    const std::string page = run_toft("man-page").out;
    CHECK(contains(page, ".TP\nN\nrecord, verify: otherwise as the program ended"));
    CHECK(contains(page, ".TP\n1\nverify: too little was seen to tell"));
    CHECK(contains(page, ".TP\nTMPDIR"));
    CHECK(contains(page, ".TP\nLD_PRELOAD"));
}

TEST_CASE("help has no words of the parser's own, and names what a recording's files are called") {
    for (const std::string sub : {"bench", "try", "record", "replay", "advise", "verify", "export",
                                  "compare", "report", "man-page"})
        CHECK_FALSE_MESSAGE(contains(run_toft(sub + " --help").out, "{"), sub);
    for (const std::string name : {"PROGRAM.PID.toft", "PROGRAM.PID.2.toft", "FILE.PID.1"})
        CHECK_MESSAGE(contains(unwrapped(run_toft("record --help").out), name), name);
    CHECK(contains(unwrapped(run_toft("advise --help").out), "PROGRAM.PID.2.toft"));
    CHECK(contains(unwrapped(run_toft("try --help").out), "three rounds take place"));
}

TEST_CASE("help shows no list of values where an option takes one at a time") {
    for (const std::string option :
         {"verify --with FILE", "replay --arena SITES", "replay --pool SITES",
          "try --preload NAME=FILE", "try --env NAME:VAR=VALUE"}) {
        CAPTURE(option);
        const std::size_t blank = option.find(' ');
        const std::string help = run_toft(option.substr(0, blank) + " --help").out;
        CHECK(contains(help, option.substr(blank)));
        CHECK_FALSE(contains(help, option.substr(blank) + " ..."));
    }
}

TEST_CASE("manual page and completions know every option of the help") {
    for (const char *option : {"--preload", "--threads", "--bound", "--html", "--timeout"}) {
        CAPTURE(option);
        CHECK(contains(run_toft("bench --help").out, option));
        CHECK(contains(run_toft("completions bash").out, option));
        CHECK(contains(run_toft("completions zsh").out, option));
        CHECK(contains(run_toft("completions fish").out, std::string("-l ") + (option + 2)));
        std::string in_roff; // hyphens are escaped
        for (const char *c = option; *c; ++c) in_roff += *c == '-' ? "\\-" : std::string(1, *c);
        CHECK(contains(run_toft("man-page").out, in_roff));
    }
    CHECK(contains(run_toft("man-page").out, ".SH EXIT STATUS"));
}

TEST_CASE("bash completes suites, options and allocators") {
    const auto complete = [](const std::string &words, const std::string &expected) {
        const std::string script = scratch("complete.bash");
        write_to(script, "source <('" TOFT_COMMAND "' completions bash)\nCOMP_WORDS=(" + words +
                             ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_toft\n"
                             "printf '%s ' \"${COMPREPLY[@]}\"\n");
        CHECK(run_shell("bash " + script).out == expected);
    };
    complete("toft be", "bench ");
    complete("toft bench tr", "tree ");
    complete("toft bench --rep", "--repetitions ");
    complete("toft bench --allocators mi", "mimalloc ");
    complete("toft completions f", "fish ");
    const std::string program = scratch("program-to-complete");
    run_shell("cp /bin/true " + program);
    const std::string begun = program.substr(0, program.size() - 5);
    complete("toft record -- " + begun, program + " ");
    complete("toft try -- cat " + begun, program + " ");
}

TEST_CASE("short names and operands are in the manual page and the completions") {
    const std::string page = run_toft("man-page").out;
    CHECK(contains(page, "\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIFILE\\fR"));
    CHECK(contains(page, ".B toft record\n[\\fIoptions\\fR]\n\\-\\- \\fIprogram\\fR "
                         "[\\fIargument\\fR ...]\n"));
    CHECK(contains(page, "\\fIrecordings\\fR ...\n"));
    CHECK(contains(page, "[\\-\\- \\fIprogram\\fR [\\fIargument\\fR ...]]\n"));
    CHECK(contains(page, ".B toft advise\n[\\fIoptions\\fR]\n[\\fIrecordings\\fR ...] "
                         "[\\-\\- \\fIprogram\\fR [\\fIargument\\fR ...]]\n"));
    const std::string bash = run_toft("completions bash").out;
    CHECK(contains(bash, "'record --output' | 'record -o') COMPREPLY=($(compgen -f"));
    CHECK(contains(bash, "-W '-h --help -o --output"));
    const std::string zsh = run_toft("completions zsh").out;
    CHECK(contains(zsh, "'(-o --output)'{-o,--output}'[The recording,"));
    CHECK(contains(zsh, "'*:recordings:_files'"));
    CHECK(contains(zsh, "'*:program:_files'"));
    const std::string of_advise = zsh.substr(zsh.find("    advise)"));
    CHECK_FALSE(contains(of_advise.substr(0, of_advise.find(";;")), "'*:program:'"));
    CHECK(contains(zsh, "':recording:_files'"));
    const std::string fish = run_toft("completions fish").out;
    CHECK(contains(fish, "-l output -s o -r"));
    CHECK(contains(fish, "from record' -F -d 'The program and its arguments"));
}
