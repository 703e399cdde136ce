// SPDX-License-Identifier: MIT
#include "debug_calls.hpp"

#include <algorithm>
#include <cstdlib>
#include <cxxabi.h>
#include <dwarf.h>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <memory>
#include <string_view>

namespace toft::lab {
namespace {

constexpr std::uint64_t beyond_addresses = std::uint64_t{1} << 63;

const char *linkage_name(Dwarf_Die *die) {
    Dwarf_Attribute found;
    for (const unsigned attribute : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name})
        if (const char *name = dwarf_formstring(dwarf_attr_integrate(die, attribute, &found)))
            return name;
    return nullptr;
}

std::string_view plain_name(Dwarf_Die *die) {
    const char *name = dwarf_diename(die);
    return name ? name : "";
}

// "parse" for "parse<int>": an instance of a template has no text of its own.
std::string_view without_arguments(std::string_view name) {
    return name.starts_with("operator") ? name : name.substr(0, name.find('<'));
}

// Only such names are mangled. The demangler would also take "f", a function in C, for the code of
// the type float.
std::string demangled(const char *name) {
    if (!std::string_view(name).starts_with("_Z")) return name;
    int status = 0;
    const std::unique_ptr<char, void (*)(void *)> text(
        abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
    return status == 0 && text ? text.get() : name;
}

// "parse(char const*)" is "parse": without the parameters and what follows them.
std::string without_parameters(const std::string &name) {
    int angles = 0;
    const std::size_t from = name.find("operator") == std::string::npos
                                 ? 0
                                 : name.find("operator") + sizeof "operator()" - 1;
    if (from >= name.size()) return name;
    for (std::size_t i = from; i < name.size(); ++i) {
        if (name[i] == '<') ++angles;
        if (name[i] == '>' && angles > 0) --angles;
        if (name[i] == '(' && angles == 0 && i != 0 && !name.substr(i).starts_with("(anonymous"))
            return name.substr(0, i);
    }
    return name;
}

template <class Function>
void for_each_child(Dwarf_Die *of, Function function) {
    Dwarf_Die child;
    if (dwarf_child(of, &child) != 0) return;
    do function(child);
    while (dwarf_siblingof(&child, &child) == 0);
}

} // namespace

std::string source_name(const char *linkage) { return without_parameters(demangled(linkage)); }

debug_unit::debug_unit(const Dwarf_Die &unit) : unit_(unit) { find_functions(&unit_); }

// A lambda is a function of a class in a function.
void debug_unit::find_functions(Dwarf_Die *below) {
    for_each_child(below, [&](Dwarf_Die &child) {
        switch (dwarf_tag(&child)) {
        case DW_TAG_subprogram:
            for (const code_range &code : code_of(&child))
                functions_.insert({code.begin, {code.end, child}});
            [[fallthrough]];
        case DW_TAG_namespace:
        case DW_TAG_module:
        case DW_TAG_lexical_block:
        case DW_TAG_class_type:
        case DW_TAG_structure_type:
        case DW_TAG_union_type:
            find_functions(&child);
            break;
        default:
            break;
        }
    });
}

void debug_unit::find_inlined(Dwarf_Die *below, pieces &found) {
    for_each_child(below, [&](Dwarf_Die &child) {
        const int tag = dwarf_tag(&child);
        if (tag == DW_TAG_inlined_subroutine)
            for (const code_range &code : code_of(&child))
                found.insert({code.begin, {code.end, child}});
        if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block)
            find_inlined(&child, found);
    });
}

std::vector<Dwarf_Die> debug_unit::calls_at(Dwarf_Addr address) {
    const auto behind = functions_.upper_bound(address);
    if (behind == functions_.begin() || address >= std::prev(behind)->second.end) return {};
    Dwarf_Die function = std::prev(behind)->second.call;
    const auto [inlined, added] = inlined_.try_emplace(dwarf_dieoffset(&function));
    if (added) find_inlined(&function, inlined->second);
    std::vector<Dwarf_Die> calls = {function};
    const auto last = inlined->second.upper_bound(address);
    for (auto p = inlined->second.begin(); p != last; ++p)
        if (address < p->second.end) calls.push_back(p->second.call);
    std::reverse(calls.begin(), calls.end());
    return calls;
}

std::string name_of(Dwarf_Die *call) {
    const char *linkage = linkage_name(call);
    return linkage ? source_name(linkage) : std::string(plain_name(call));
}

source_place called_from(Dwarf_Die *unit, Dwarf_Die *inlined) {
    source_place place;
    Dwarf_Attribute attribute;
    Dwarf_Word number = 0;
    if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &number) == 0)
        place.line = static_cast<unsigned>(number);
    Dwarf_Files *files = nullptr;
    std::size_t count = 0;
    if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &number) != 0 ||
        dwarf_getsrcfiles(unit, &files, &count) != 0 || number >= count)
        return place;
    if (const char *name = dwarf_filesrc(files, number, nullptr, nullptr)) place.file = name;
    return place;
}

std::uint64_t text_of(Dwarf_Die *call) {
    const char *file = dwarf_decl_file(call);
    int line = 0;
    std::string text(without_arguments(plain_name(call)));
    const char *linkage = linkage_name(call);
    if (file && dwarf_decl_line(call, &line) == 0)
        text += fmt::format(" {} {}", file, line);
    else
        text = linkage ? linkage : fmt::format("{} {}", text, dwarf_dieoffset(call));
    return std::hash<std::string>()(text) | beyond_addresses;
}

std::uint64_t copy_of(Dwarf_Die *inlined) { return dwarf_dieoffset(inlined) | beyond_addresses; }

std::vector<code_range> code_of(Dwarf_Die *call) {
    std::vector<code_range> code;
    Dwarf_Addr base = 0, begin = 0, end = 0;
    for (std::ptrdiff_t at = 0; (at = dwarf_ranges(call, at, &base, &begin, &end)) > 0;)
        code.push_back({begin, end});
    return code;
}

} // namespace toft::lab
