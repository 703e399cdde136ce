// SPDX-License-Identifier: MIT
#include "place_text.hpp"

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

bool is_part_of_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Rust's "->" before a function's result is no bracket.
bool opens(std::string_view name, std::size_t i) { return name[i] == '<'; }
bool closes(std::string_view name, std::size_t i) {
    return name[i] == '>' && (i == 0 || name[i - 1] != '-');
}

// Of "<alloc::vec::" "<" remains.
void leave_module(std::string &text) {
    if (!text.ends_with("::")) return;
    std::size_t begin = text.size() - 2;
    while (begin != 0 && is_part_of_name(text[begin - 1])) --begin;
    if (begin != text.size() - 2) text.erase(begin);
}

} // namespace

// A name in brackets may have blanks, as that of a namespace without one.
std::string_view without_result(std::string_view function) {
    if (function.find('<') == function.npos) return function;
    int open = 0;
    std::size_t begin = 0;
    const std::size_t named = operator_in(function);
    for (std::size_t i = 0; i != named; ++i) {
        if (opens(function, i) || function[i] == '(') ++open;
        if (closes(function, i) || function[i] == ')') --open;
        if (function[i] == ' ' && open == 0) begin = i + 1;
    }
    return function.substr(begin);
}

// Rust has a type's functions as "<alloc::vec::Vec<u8> as core::ops::drop::Drop>::drop". Without
// the type, nobody would know which.
std::string name_of_template(std::string_view function) {
    const std::string_view name = without_result(function);
    std::string text;
    int open = 0, shown = 0;
    const std::size_t named = operator_in(name);
    for (std::size_t i = 0; i != named; ++i) {
        if (opens(name, i)) {
            if (i == 0)
                shown = 1;
            else if (open == shown)
                text += "<...";
            ++open;
        }
        if (closes(name, i) && --open == 0) shown = 0;
        if (open <= shown) text += name[i];
        if (open == 1 && shown == 1) leave_module(text);
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

} // namespace toft::lab
