// SPDX-License-Identifier: MIT
#include "place_text.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>

namespace toft::lab {
namespace {

constexpr std::size_t long_name = 48;

// Where the name of an operator begins, in which brackets are no brackets; its length: there is
// none.
std::size_t operator_in(std::string_view name) {
    const std::size_t found = name.rfind("operator");
    return found == name.npos || (found != 0 && name[found - 1] != ':' && name[found - 1] != ' ')
               ? name.size()
               : found;
}

} // namespace

// A name in brackets may have blanks, as that of a namespace without one.
std::string_view without_result(std::string_view function) {
    if (function.find('<') == function.npos) return function;
    int open = 0;
    std::size_t begin = 0;
    const std::size_t named = operator_in(function);
    for (std::size_t i = 0; i != named; ++i) {
        if (function[i] == '<' || function[i] == '(') ++open;
        if (function[i] == '>' || function[i] == ')') --open;
        if (function[i] == ' ' && open == 0) begin = i + 1;
    }
    return function.substr(begin);
}

std::string name_of_template(std::string_view function) {
    const std::string_view name = without_result(function);
    std::string text;
    int open = 0;
    const std::size_t named = operator_in(name);
    for (std::size_t i = 0; i != named; ++i) {
        if (name[i] == '<' && open++ == 0) text += "<...";
        if (name[i] == '>') --open;
        if (open == 0) text += name[i];
    }
    return text.append(name.substr(named));
}

std::string without_inline_namespaces(std::string name) {
    for (const std::string_view inner : {"__cxx11::", "__1::"})
        for (std::size_t at; (at = name.find(inner)) != name.npos;) name.erase(at, inner.size());
    return name;
}

std::string short_name(const std::string &function) {
    const std::string_view name = without_result(function);
    return name.size() <= long_name ? std::string(name) : name_of_template(name);
}

std::string place_text(const source_place &p) {
    const std::string function = short_name(p.function);
    if (p.file.empty()) return function;
    const std::string file = std::filesystem::path(p.file).filename().string();
    if (p.line == 0) return fmt::format("{} ({})", function, file);
    return fmt::format("{} ({}:{})", function, file, p.line);
}

bool same_place(const source_place &a, const source_place &b) {
    return a.file == b.file && a.line == b.line &&
           name_of_template(a.function) == name_of_template(b.function);
}

line_key line_key_of(const source_place &p) { return {p.function, p.file, p.line}; }

shown_key shown_key_of(const source_place &p) { return {p.file, place_text(p)}; }

bool is_of_rust(std::string_view function) {
    constexpr std::size_t hash_digits = 16;
    if (function.size() > 2 && function.starts_with("_R"))
        return std::isupper(static_cast<unsigned char>(function[2])) != 0;
    const std::size_t hash = function.rfind("::h");
    return hash != function.npos && function.size() == hash + 3 + hash_digits &&
           function.find_first_not_of("0123456789abcdef", hash + 3) == function.npos;
}

// A name of the newer kind has its crate's first, behind "Cs", a hash and a line: "Cs4fq_5alloc".
bool is_of_rust_library(std::string_view function) {
    if (!is_of_rust(function)) return false;
    const auto begins_with_any = [](std::string_view name, auto... beginnings) {
        return (name.starts_with(beginnings) || ...);
    };
    if (!function.starts_with("_R")) {
        if (function.starts_with('<')) function.remove_prefix(1);
        return begins_with_any(function, "alloc::", "core::", "std::");
    }
    const std::size_t crate = function.find('_', std::min(function.find("Cs"), function.size()));
    return crate != function.npos &&
           begins_with_any(function.substr(crate + 1), "5alloc", "4core", "3std", "7___rustc");
}

} // namespace toft::lab
