// SPDX-License-Identifier: MIT
#include "examples.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace toft::lab {
namespace {

std::string statuses_of(const std::string &subcommand) {
    std::string text;
    for (const status_meaning &s : exit_statuses())
        if (s.subcommands.empty() || std::ranges::count(s.subcommands, subcommand) != 0)
            text += fmt::format("  {:>3}  {}\n", s.status, s.meaning);
    return text;
}

} // namespace

std::vector<example> examples_of(const std::string &subcommand) {
    if (subcommand == "bench")
        return {
            {"toft bench", "every suite at quick settings, in some 5 minutes on a quiet machine"},
            {"toft bench tree arena --json results.json --html report.html",
             "two suites, with a file to compare with later and a page to look at"},
            {"toft bench arena --filter 32/ --repetitions 9", "a few rows, more surely"},
            {"toft bench tree --preload mine=./libmine.so", "your own malloc beside the others"},
            {"toft bench --compare results.json --bound 10",
             "has anything become slower by more than 10 %?"}};
    if (subcommand == "try")
        return {{"toft try -- python3 -c 'print(sorted(map(str, range(10**6)))[0])'",
                 "which malloc should this program be linked with?"},
                {"toft try --same-output --precision 1% -- gcc -O2 -c file.c -o /dev/null",
                 "more surely, and every run must write the same"},
                {"toft try --side-by-side -- xmllint --noout large.xml",
                 "on a noisy machine, if two such programs may run at once"},
                {"toft try --ready 6379 --until 'redis-benchmark -q -t set' -- redis-server",
                 "a server, measured while its client runs"}};
    if (subcommand == "record")
        return {{"toft record -o run.toft -- xmllint --noout large.xml",
                 "every call of the heap with its stack; the exit status is the program's"},
                {"toft record --sample 512K -- server", "with little overhead, for hours"}};
    if (subcommand == "replay")
        return {{"toft replay git.toft", "the heap work of the program that was recorded"},
                {"toft replay git.toft -- git log --oneline",
                 "and what another malloc would gain in the whole program"}};
    if (subcommand == "advise")
        return {{"toft advise -- xmllint --noout large.xml",
                 "record it, and say which objects die together, where, and what that could gain"},
                {"toft advise git.toft -- git log --oneline",
                 "the same, of a recording that is there already"},
                {"toft advise one.toft two.toft --json advice.json",
                 "of several recorded runs, which aren't run again"}};
    if (subcommand == "verify")
        return {{"toft verify run.toft --advice 1 -- xmllint --noout other.xml",
                 "is anything of the first advice used after its region's end?"}};
    if (subcommand == "export")
        return {{"toft export run.toft --pprof run.pb.gz && go tool pprof -top run.pb.gz",
                 "who makes the objects, in pprof"},
                {"toft export *.toft --parquet tables/here",
                 "many runs as tables, a folder for each machine; see docs/export.md"}};
    if (subcommand == "compare")
        return {{"toft compare old.json new.json", "what has changed, outside noise"}};
    if (subcommand == "report")
        return {{"toft report results.json report.html", "a page to look at"}};
    if (subcommand == "completions")
        return {{"source <(toft completions bash)", "complete with Tab in this shell"}};
    return {};
}

const std::vector<status_meaning> &exit_statuses() {
    static const std::vector<status_meaning> meanings = {
        {"0", "all well", {}},
        {"N",
         "otherwise as the program ended: its own status, or the signal that ended it, which a "
         "shell shows as 128 and its number",
         {"record", "verify"}},
        {"1",
         "what was to be measured failed, or the compiler removed it, or a file couldn't be read "
         "or written",
         {"bench", "try", "replay"}},
        {"1",
         "no recording could be made, or not all was recorded of a program that ended well",
         {"record"}},
        {"1", "too little was seen to tell, or a file couldn't be read", {"verify"}},
        {"1",
         "a file couldn't be read or written",
         {"advise", "export", "compare", "report", "completions"}},
        {"2",
         "a mistake on the command line",
         {"bench", "export", "compare", "report", "completions"}},
        {"2",
         "a mistake on the command line, or a program that can't be run in this way",
         {"try", "record", "replay", "advise", "verify"}},
        {"3",
         "something became slower by more than --bound",
         {"bench", "try", "replay", "compare"}},
        {"4",
         "a change as small as --bound could have stayed unseen",
         {"bench", "try", "replay", "compare"}},
        {"5", "an object was used after its region's end", {"verify"}},
        {"130", "interrupted; what was measured is shown and written", {"bench", "try", "replay"}},
        {"130", "interrupted; what was known by then is shown and written", {"advise"}},
        {"130", "interrupted; nothing is written", {"export"}},
    };
    return meanings;
}

std::string footer_of(const std::string &subcommand) {
    const std::vector<example> examples = examples_of(subcommand);
    if (examples.empty()) return {};
    std::string text = "Examples:\n";
    for (const example &e : examples) text += fmt::format("  {}\n      {}\n", e.command, e.meaning);
    text += "\nExit status:\n" + statuses_of(subcommand);
    text.pop_back();
    return text;
}

} // namespace toft::lab
