// SPDX-License-Identifier: MIT
#include "completions.hpp"

#include "definitions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace toft::lab {
namespace {

std::string joined(const std::vector<std::string> &words) {
    return fmt::format("{}", fmt::join(words, " "));
}

// A program has a path, and so have many of its arguments.
bool is_file(const option_definition &o) {
    return o.value.ends_with("FILE") || o.value == "FOLDER" || o.value == "PROGRAM";
}

// --- bash: by the subcommand and the word before the cursor ---

std::string bash_values(const CLI::App &sub) {
    std::string cases;
    for (const option_definition &o : options_of(sub)) {
        if (o.value == "PROGRAM")
            cases += fmt::format("    '{} --') COMPREPLY=($(compgen -c -- \"$word\")); return ;;\n",
                                 sub.get_name());
        if (o.positional || o.value.empty()) continue;
        const std::string reply =
            is_file(o) ? "-f" : fmt::format("-W '{}'", joined(words_for(o.value)));
        std::string before = fmt::format("'{} {}'", sub.get_name(), o.name);
        if (!o.short_name.empty())
            before += fmt::format(" | '{} {}'", sub.get_name(), o.short_name);
        cases += fmt::format("    {}) COMPREPLY=($(compgen {} -- \"$word\")); return ;;\n", before,
                             reply);
    }
    return cases;
}

std::string bash_words(const CLI::App &sub) {
    std::vector<std::string> words;
    std::string files;
    for (const option_definition &o : options_of(sub)) {
        if (!o.positional) {
            if (!o.short_name.empty()) words.push_back(o.short_name);
            words.push_back(o.name);
            continue;
        }
        for (const std::string &word : words_for(o.value)) words.push_back(word);
        if (is_file(o)) files = " -f";
    }
    return fmt::format("    {}) COMPREPLY=($(compgen{} -W '{}' -- \"$word\")) ;;\n", sub.get_name(),
                       files, joined(words));
}

std::string bash(const CLI::App &app) {
    std::string values, words;
    std::vector<std::string> names = {"--help", "--version"};
    for (const CLI::App *sub : subcommands_of(app)) {
        values += bash_values(*sub);
        words += bash_words(*sub);
        names.push_back(sub->get_name());
    }
    return fmt::format(R"(# SPDX-License-Identifier: MIT
_toft() {{
    local word=${{COMP_WORDS[COMP_CWORD]}}
    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W '{}' -- "$word"))
        return
    fi
    case "${{COMP_WORDS[1]}} ${{COMP_WORDS[COMP_CWORD - 1]}}" in
{}    esac
    case ${{COMP_WORDS[1]}} in
{}    esac
}}
complete -o filenames -F _toft toft
)",
                       joined(names), values, words);
}

// --- zsh: by _arguments ---

// Within a single-quoted specification of _arguments.
std::string zsh_text(const std::string &text) {
    std::string escaped;
    for (const char c : text) {
        if (c == '\'')
            escaped += "'\\''";
        else if (c == '[' || c == ']' || c == ':')
            escaped += fmt::format("\\{}", c);
        else
            escaped += c;
    }
    return escaped;
}

std::string zsh_action(const option_definition &o) {
    const std::vector<std::string> words = words_for(o.value);
    if (!words.empty()) return fmt::format("({})", joined(words));
    return is_file(o) ? "_files" : "";
}

std::string zsh_specification(const option_definition &o) {
    if (o.positional)
        return fmt::format("'{}:{}:{}'", o.required && !o.repeated ? "" : "*", o.name,
                           zsh_action(o));
    std::string option = fmt::format("[{}]", zsh_text(o.meaning));
    if (!o.value.empty()) option += fmt::format(":{}:{}", zsh_text(o.value), zsh_action(o));
    if (o.short_name.empty()) return fmt::format("'{}{}'", o.name, option);
    return fmt::format("'({0} {1})'{{{0},{1}}}'{2}'", o.short_name, o.name, option);
}

std::string zsh(const CLI::App &app) {
    std::string names, cases;
    for (const CLI::App *sub : subcommands_of(app)) {
        names +=
            fmt::format("        '{}:{}'\n", sub->get_name(), zsh_text(sub->get_description()));
        cases += fmt::format("    {})\n        _arguments", sub->get_name());
        bool takes_all = false; // one operand may: what comes behind it, also behind --, is its
        for (const option_definition &o : options_of(*sub)) {
            const std::string specification = zsh_specification(o);
            const bool is_rest = specification.starts_with("'*:");
            if (!is_rest || !takes_all) cases += fmt::format(" \\\n            {}", specification);
            takes_all = takes_all || is_rest;
        }
        cases += "\n        ;;\n";
    }
    return fmt::format(R"(#compdef toft
# SPDX-License-Identifier: MIT
_toft() {{
    local -a commands=(
{}    )
    if ((CURRENT == 2)); then
        _describe command commands
        return
    fi
    shift words
    ((CURRENT--))
    case $words[1] in
{}    esac
}}
compdef _toft toft
)",
                       names, cases);
}

// --- fish: one line for each option ---

std::string fish_text(const std::string &text) {
    std::string escaped;
    for (const char c : text) escaped += c == '\'' ? "\\'" : std::string(1, c);
    return escaped;
}

std::string fish_line(const CLI::App &sub, const option_definition &o) {
    std::string line = fmt::format("complete -c toft -n '__fish_seen_subcommand_from {}' {}",
                                   sub.get_name(), is_file(o) ? "-F" : "-f");
    if (!o.positional)
        line += fmt::format(" -l {}{}{}", o.name.substr(2),
                            o.short_name.empty() ? "" : " -s " + o.short_name.substr(1),
                            o.value.empty() ? "" : " -r");
    const std::vector<std::string> words = words_for(o.value);
    if (!words.empty()) line += fmt::format(" -a '{}'", joined(words));
    return line + fmt::format(" -d '{}'\n", fish_text(o.meaning));
}

std::string fish(const CLI::App &app) {
    std::string lines = "# SPDX-License-Identifier: MIT\n";
    for (const CLI::App *sub : subcommands_of(app))
        lines += fmt::format("complete -c toft -n __fish_use_subcommand -f -a {} -d '{}'\n",
                             sub->get_name(), fish_text(sub->get_description()));
    for (const CLI::App *sub : subcommands_of(app))
        for (const option_definition &o : options_of(*sub)) lines += fish_line(*sub, o);
    return lines;
}

} // namespace

std::string completions_of(const CLI::App &app, const std::string &shell) {
    if (shell == "bash") return bash(app);
    return shell == "zsh" ? zsh(app) : fish(app);
}

} // namespace toft::lab
