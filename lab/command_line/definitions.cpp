// SPDX-License-Identifier: MIT
#include "definitions.hpp"

#include "subject/allocator.hpp"
#include "subject/registry.hpp"

namespace toft::lab {
namespace {

// CLI11 writes what a value is checked for behind its type, after a colon.
std::string type_of(const CLI::Option &o) {
    const std::string type = o.get_type_name();
    return type.substr(0, type.find(':'));
}

} // namespace

std::vector<option_definition> options_of(const CLI::App &app) {
    std::vector<option_definition> found;
    for (const CLI::Option *o : app.get_options()) {
        const bool positional = !o->nonpositional();
        const bool flag = o->get_items_expected_max() == 0;
        found.push_back({positional ? o->get_name() : "--" + o->get_lnames().front(),
                         o->get_snames().empty() ? "" : "-" + o->get_snames().front(),
                         flag ? "" : type_of(*o), o->get_description(), o->get_group(), positional,
                         o->get_required(), positional && o->get_items_expected_max() > 1});
    }
    return found;
}

std::vector<const CLI::App *> subcommands_of(const CLI::App &app) {
    return app.get_subcommands([](const CLI::App *sub) { return !sub->get_group().empty(); });
}

std::vector<std::string> words_for(const std::string &value) {
    std::vector<std::string> words;
    if (value == "SUITE") {
        for (const suite &s : all_suites())
            if (!s.hidden) words.push_back(s.name);
    } else if (value == "ALLOCATORS") {
        for (const known_allocator &a : known_allocators()) words.push_back(a.name);
    } else if (value == "SHELL") {
        words = {"bash", "zsh", "fish"};
    }
    return words;
}

} // namespace toft::lab
