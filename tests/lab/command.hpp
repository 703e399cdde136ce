// SPDX-License-Identifier: MIT
#pragma once

#include <string>

// The built command, run as a user would.
struct run_result {
    int status; // as the shell gives it
    std::string out;
    std::string err;
};

// The arguments go through a shell.
run_result run_toft(const std::string &arguments);

// Another one; its path needs no quotes.
run_result run_command(const std::string &path, const std::string &arguments);

// A path in a folder of this run's own, which is removed at its end.
std::string scratch(const std::string &name);

// Any shell command, in the same way.
run_result run_shell(const std::string &command);

void write_to(const std::string &path, const std::string &contents);
std::string contents_of(const std::string &path);

// With one blank in the place of each line's end and of the next one's indentation.
std::string unwrapped(std::string text);
bool contains(const std::string &text, const std::string &part);

// What the command was built without, a test does without too, and says so: whether functions and
// lines are told, and whether a run could do no more than say that there is no report.
bool tells_functions();
bool lacks_report(const run_result &r);
