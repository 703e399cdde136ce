// SPDX-License-Identifier: MIT
#include "man_page.hpp"

#include "definitions.hpp"
#include "examples.hpp"
#include "options.hpp"

#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace toft::lab {
namespace {

// A leading dot or quote would be a request, and a bare hyphen may be set as another character.
std::string roff(const std::string &text) {
    std::string escaped;
    for (const char c : text) {
        if (c == '\\')
            escaped += "\\e";
        else if (c == '-')
            escaped += "\\-";
        else
            escaped += c;
    }
    if (escaped.starts_with('.') || escaped.starts_with('\'')) escaped.insert(0, "\\&");
    return escaped;
}

std::string operand_of(const option_definition &o) {
    std::string operand = fmt::format("\\fI{}\\fR", roff(o.name));
    if (o.value == "PROGRAM")
        operand = fmt::format("{} {} [\\fIargument\\fR ...]", roff("--"), operand);
    else if (o.repeated)
        operand += " ...";
    return o.required ? operand : fmt::format("[{}]", operand);
}

std::string synopsis_of(const CLI::App &sub) {
    std::string line = fmt::format(".B toft {}\n", roff(sub.get_name()));
    bool flags = false;
    std::string operands;
    for (const option_definition &o : options_of(sub)) {
        flags |= !o.positional && o.name != "--help";
        if (!o.positional) continue;
        operands += " " + operand_of(o);
    }
    if (flags) line += "[\\fIoptions\\fR]\n";
    return line + (operands.empty() ? "" : operands.substr(1) + "\n") + ".br\n";
}

std::string entry_of(const option_definition &o) {
    std::string head = fmt::format("\\f{}{}\\fR", o.positional ? 'I' : 'B', roff(o.name));
    if (!o.short_name.empty()) head = fmt::format("\\fB{}\\fR, {}", roff(o.short_name), head);
    if (!o.positional && !o.value.empty()) head += fmt::format(" \\fI{}\\fR", roff(o.value));
    return fmt::format(".TP\n{}\n{}.\n", head, roff(o.meaning));
}

std::string upper_case(std::string text) {
    for (char &c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return text;
}

std::string section_of(const CLI::App &sub) {
    std::string text = fmt::format(".SH TOFT {}\n{}.\n", roff(upper_case(sub.get_name())),
                                   roff(sub.get_description()));
    std::string group;
    for (const option_definition &o : options_of(sub)) {
        if (!o.positional && o.name != "--help" && o.group != group && o.group != "Options")
            text += fmt::format(".SS {}\n", roff(o.group));
        if (o.name == "--help") continue;
        group = o.group;
        text += entry_of(o);
    }
    return text;
}

std::string examples_in(const CLI::App &sub) {
    std::string text;
    for (const example &e : examples_of(sub.get_name()))
        text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(e.command), roff(e.meaning));
    return text;
}

} // namespace

std::string man_page_of(const CLI::App &app) {
    std::string page = fmt::format(
        ".\\\" SPDX-License-Identifier: MIT\n.TH TOFT 1 \"\" \"toft {}\" \"User Commands\"\n"
        ".SH NAME\ntoft \\- measure allocators, and say what a program could gain from another "
        "one\n.SH SYNOPSIS\n",
        TOFT_LAB_VERSION);
    for (const CLI::App *sub : subcommands_of(app)) page += synopsis_of(*sub);
    page += ".SH DESCRIPTION\nMeasures arenas, pools and mallocs under the same work, each in a "
            "process of its own,\ninterleaved, and says what each costs and how sure that "
            "is.\nRecords what a program "
            "asks of its heap, says what it could gain and where in its\ncode, and checks and "
            "replays that.\n";
    for (const CLI::App *sub : subcommands_of(app)) page += section_of(*sub);
    page += ".SH EXIT STATUS\n";
    for (const status_meaning &s : exit_statuses())
        page += fmt::format(".TP\n{}\n{}{}{}.\n", s.status,
                            roff(fmt::format("{}", fmt::join(s.subcommands, ", "))),
                            s.subcommands.empty() ? "" : ": ", roff(s.meaning));
    page += ".SH ENVIRONMENT\n.TP\nNO_COLOR\nWhen set, no colour is used.\n"
            ".TP\nTMPDIR, TMP, TEMP, TEMPDIR\nThe first that is set names the folder for compiled "
            "recordings, which replay and advise\nremove at their end; otherwise it is /tmp.\n"
            ".TP\nLD_PRELOAD\nbench, try, and the runs that replay and advise compare, put each "
            "malloc in its place.\nrecord and verify put their library before what it names.\n"
            ".SH EXAMPLES\n";
    for (const CLI::App *sub : subcommands_of(app)) page += examples_in(*sub);
    return page;
}

} // namespace toft::lab
