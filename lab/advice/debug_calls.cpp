// SPDX-License-Identifier: MIT
#include "debug_calls.hpp"

#include "rust_names.hpp"

#include <algorithm>
#include <cstdlib>
#include <cxxabi.h>
#include <dwarf.h>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

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

bool has_name(Dwarf_Die *die) { return linkage_name(die) || !plain_name(die).empty(); }

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

// The length of an operator's name, as "operator<", where one begins; 0: none does.
std::size_t operator_at(std::string_view name, std::size_t i) {
    constexpr std::string_view word = "operator";
    const bool begins = i == 0 || name[i - 1] == ':' || name[i - 1] == ' ';
    if (!begins || name.substr(i, word.size()) != word) return 0;
    const std::string_view sign = name.substr(i + word.size());
    if (sign.starts_with("()")) return word.size() + 2;
    return word.size() + std::min(sign.find_first_not_of("<>=-"), sign.size());
}

// "parse(char const*)" is "parse": without the parameters, which are the last brackets that aren't
// within others, and what follows them.
std::string without_parameters(const std::string &name) {
    int open = 0;
    std::size_t parameters = name.size();
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (const std::size_t length = open == 0 ? operator_at(name, i) : 0) {
            i += length - 1;
            continue;
        }
        const bool is_namespace = name.compare(i, 10, "(anonymous") == 0;
        if (name[i] == '(' && open == 0 && !is_namespace) parameters = i;
        if (std::string_view("(<{[").find(name[i]) != std::string_view::npos) ++open;
        if (std::string_view(")>}]").find(name[i]) != std::string_view::npos) --open;
    }
    return name.substr(0, parameters);
}

std::uint64_t number_of(const std::string &text) {
    return (std::hash<std::string>()(text) | beyond_addresses) & (first_shared_text - 1);
}

std::uint64_t number_of_shared(const std::string &text) {
    return std::hash<std::string>()(text) | first_shared_text;
}

unsigned number_in(Dwarf_Attribute *attribute) {
    Dwarf_Word number = 0;
    return dwarf_formudata(attribute, &number) == 0 ? static_cast<unsigned>(number) : 0;
}

// The name of a file, by its number in the unit of the attribute. libdw's own function refuses
// number 0, which clang gives to the unit's own file.
std::string file_of(Dwarf_Attribute *attribute) {
    Dwarf_Die unit;
    Dwarf_Half version = 0;
    Dwarf_Files *files = nullptr;
    std::size_t count = 0;
    if (!attribute ||
        !dwarf_cu_die(attribute->cu, &unit, &version, nullptr, nullptr, nullptr, nullptr, nullptr))
        return {};
    const unsigned number = number_in(attribute);
    if ((number == 0 && version < 5) || dwarf_getsrcfiles(&unit, &files, &count) != 0 ||
        number >= count)
        return {};
    const char *name = dwarf_filesrc(files, number, nullptr, nullptr);
    return name ? name : "";
}

// Where the text of an inlined call is described, which all copies refer to.
Dwarf_Off origin_of(Dwarf_Die *call) {
    Dwarf_Attribute found;
    Dwarf_Die origin;
    if (dwarf_formref_die(dwarf_attr(call, DW_AT_abstract_origin, &found), &origin))
        return dwarf_dieoffset(&origin);
    return dwarf_dieoffset(call);
}

bool is_declared_inline(Dwarf_Die *call) {
    Dwarf_Attribute found;
    return number_in(dwarf_attr_integrate(call, DW_AT_inline, &found)) >=
           DW_INL_declared_not_inlined;
}

template <class Function>
void for_each_child(Dwarf_Die *of, Function function) {
    Dwarf_Die child;
    if (dwarf_child(of, &child) != 0) return;
    do function(child);
    while (dwarf_siblingof(&child, &child) == 0);
}

// As the demangler has it: "std::" and "(anonymous namespace)::".
std::string scope_name(Dwarf_Die *scope) {
    const std::string_view name = plain_name(scope);
    return std::string(name.empty() ? "(anonymous namespace)" : name) + "::";
}

// gcc calls that of a lambda "<lambda(int)>". Functions of such types are named as if the types lay
// in a function, where most of them do.
bool is_nameless_type(Dwarf_Die *scope) {
    const std::string_view name = plain_name(scope);
    return dwarf_tag(scope) != DW_TAG_namespace && (name.empty() || name.starts_with("<lambda"));
}

} // namespace

source_place function_of_symbol(const char *linkage) {
    if (std::string name = rust_name(linkage); !name.empty()) return {std::move(name), "", 0, true};
    constexpr std::string_view inside_glibc = "__GI_"; // before what other names call too
    std::string name = without_parameters(demangled(linkage));
    if (name.starts_with(inside_glibc)) name.erase(0, inside_glibc.size());
    // What tells a result of one std::string from that of the other is in no text.
    for (std::size_t at; (at = name.find("[abi:")) != name.npos;)
        name.erase(at, name.find(']', at) - at + 1);
    return {std::move(name), "", 0};
}

debug_unit::debug_unit(const Dwarf_Die &unit) : unit_(unit) {
    const std::string nothing;
    find_functions(&unit_, &nothing);
}

// A lambda is a function of a class in a function.
void debug_unit::find_functions(Dwarf_Die *below, const std::string *outside) {
    for_each_child(below, [&](Dwarf_Die &child) {
        switch (dwarf_tag(&child)) {
        case DW_TAG_subprogram:
            for (const code_range &code : code_of(&child))
                if (has_name(&child)) functions_.insert({code.begin, {code.end, child}});
            if (outside && !outside->empty() && !has_linkage_name(&child))
                outside_.try_emplace(dwarf_dieoffset(&child), *outside);
            [[fallthrough]];
        case DW_TAG_lexical_block:
            find_functions(&child, nullptr);
            break;
        case DW_TAG_namespace:
        case DW_TAG_module:
        case DW_TAG_class_type:
        case DW_TAG_structure_type:
        case DW_TAG_union_type: {
            const bool is_counted = outside && !is_nameless_type(&child);
            const std::string within = is_counted ? *outside + scope_name(&child) : std::string();
            find_functions(&child, is_counted ? &within : nullptr);
            break;
        }
        default:
            break;
        }
    });
}

void debug_unit::read_call(Dwarf_Die *site, body &to) {
    const bool is_gnu = dwarf_tag(site) == DW_TAG_GNU_call_site; // before DWARF 5
    Dwarf_Attribute found;
    Dwarf_Die callee;
    Dwarf_Addr call = 0, behind = 0;
    const unsigned origin = is_gnu ? DW_AT_abstract_origin : DW_AT_call_origin;
    if (!dwarf_formref_die(dwarf_attr(site, origin, &found), &callee) || !has_name(&callee)) return;
    dwarf_formaddr(dwarf_attr(site, DW_AT_call_pc, &found), &call);
    dwarf_formaddr(dwarf_attr(site, is_gnu ? DW_AT_low_pc : DW_AT_call_return_pc, &found), &behind);
    if (dwarf_hasattr(site, is_gnu ? DW_AT_GNU_tail_call : DW_AT_call_tail_call))
        to.tail_calls.emplace_back(call != 0 ? call : behind - 1, callee);
    else
        to.callees[behind] = callee;
}

void debug_unit::read_body(Dwarf_Die *below, body &to) {
    for_each_child(below, [&](Dwarf_Die &child) {
        switch (dwarf_tag(&child)) {
        case DW_TAG_inlined_subroutine:
            for (const code_range &code : code_of(&child))
                to.inlined.insert({code.begin, {code.end, child}});
            to.has_nameless = to.has_nameless || !has_name(&child);
            [[fallthrough]];
        case DW_TAG_lexical_block:
            read_body(&child, to);
            break;
        case DW_TAG_call_site:
        case DW_TAG_GNU_call_site:
            read_call(&child, to);
            break;
        default:
            break;
        }
    });
}

debug_unit::body *debug_unit::body_at(Dwarf_Addr address, Dwarf_Die *function) {
    const auto behind = functions_.upper_bound(address);
    if (behind == functions_.begin() || address >= std::prev(behind)->second.end) return nullptr;
    *function = std::prev(behind)->second.call;
    const auto [known, added] = bodies_.try_emplace(dwarf_dieoffset(function));
    if (added) read_body(function, known->second);
    return known->second.has_nameless ? nullptr : &known->second;
}

std::vector<Dwarf_Die> debug_unit::calls_at(Dwarf_Addr address) {
    Dwarf_Die function;
    const body *in = body_at(address, &function);
    if (!in) return {};
    std::vector<Dwarf_Die> calls = {function};
    const auto last = in->inlined.upper_bound(address);
    for (auto p = in->inlined.begin(); p != last; ++p)
        if (address < p->second.end) calls.push_back(p->second.call);
    std::reverse(calls.begin(), calls.end());
    return calls;
}

std::optional<Dwarf_Die> debug_unit::callee(Dwarf_Addr return_address) {
    Dwarf_Die function;
    const body *in = body_at(return_address - 1, &function);
    if (!in) return std::nullopt;
    const auto found = in->callees.find(return_address);
    return found == in->callees.end() ? std::nullopt : std::optional(found->second);
}

std::vector<debug_unit::tail_call> debug_unit::tail_calls(Dwarf_Addr address) {
    Dwarf_Die function;
    const body *in = body_at(address, &function);
    std::vector<tail_call> all;
    if (!in) return all;
    for (const auto &[at, callee] : in->tail_calls) {
        std::vector<Dwarf_Die> calls = calls_at(at);
        if (!calls.empty()) calls.pop_back(); // the function itself
        all.push_back({{calls.rbegin(), calls.rend()}, callee});
    }
    return all;
}

std::optional<Dwarf_Addr> debug_unit::begin_of(std::uint64_t text) {
    if (begins_.empty())
        for (auto &[begin, function] : functions_)
            begins_.try_emplace(text_of(&function.call), begin);
    const auto found = begins_.find(text);
    return found == begins_.end() ? std::nullopt : std::optional(found->second);
}

std::string debug_unit::outside(Dwarf_Die *declaration) const {
    const auto found = outside_.find(dwarf_dieoffset(declaration));
    return found == outside_.end() ? std::string() : found->second;
}

bool has_linkage_name(Dwarf_Die *call) { return linkage_name(call) != nullptr; }

// A copy of a function refers to its text, with -flto by way of another unit's, and the text to the
// declaration in a class. What is damaged may refer to itself.
Dwarf_Die declaration_of(Dwarf_Die *call) {
    constexpr int most_references = 4;
    Dwarf_Die declaration = *call;
    for (int i = 0; i != most_references; ++i) {
        Dwarf_Attribute found;
        Dwarf_Die to;
        Dwarf_Attribute *reference = dwarf_attr(&declaration, DW_AT_abstract_origin, &found);
        if (!reference) reference = dwarf_attr(&declaration, DW_AT_specification, &found);
        if (!dwarf_formref_die(reference, &to)) break;
        declaration = to;
    }
    return declaration;
}

source_place function_of(Dwarf_Die *call, const std::string &outside) {
    const char *linkage = linkage_name(call);
    if (linkage) return function_of_symbol(linkage);
    const std::string_view plain = plain_name(call);
    if (outside.empty() && plain == "operator()") return {"{lambda}::operator()", "", 0}; // gcc's
    return {outside + std::string(plain), "", 0};
}

source_place called_from(Dwarf_Die *inlined, unsigned *column) {
    Dwarf_Attribute found;
    if (column) *column = number_in(dwarf_attr(inlined, DW_AT_call_column, &found));
    const unsigned line = number_in(dwarf_attr(inlined, DW_AT_call_line, &found));
    return {"", file_of(dwarf_attr(inlined, DW_AT_call_file, &found)), line};
}

source_place declared_at(Dwarf_Die *call) {
    Dwarf_Attribute file, line;
    source_place place = function_of(call);
    place.file = file_of(dwarf_attr_integrate(call, DW_AT_decl_file, &file));
    place.line = number_in(dwarf_attr_integrate(call, DW_AT_decl_line, &line));
    return place;
}

std::uint64_t text_of(Dwarf_Die *call) {
    const char *linkage = linkage_name(call);
    const std::string name = linkage ? demangled(linkage) : std::string(plain_name(call));
    if (dwarf_hasattr_integrate(call, DW_AT_external) && !is_declared_inline(call) &&
        name.find('<') == std::string::npos)
        return number_of(name);
    const source_place place = declared_at(call);
    if (place.line != 0)
        return number_of_shared(
            fmt::format("{} {} {}", without_arguments(plain_name(call)), place.file, place.line));
    return number_of(linkage ? name : fmt::format("{} {}", name, origin_of(call)));
}

std::uint64_t number_of_place(const source_place &p, unsigned column) {
    return p.line == 0 ? 0 : number_of_shared(fmt::format("{} {} {}", p.file, p.line, column));
}

const char *symbol_of(Dwarf_Die *function) {
    const char *linkage = linkage_name(function);
    return linkage ? linkage : dwarf_diename(function);
}

std::uint64_t text_of_symbol(const char *name) { return number_of(demangled(name)); }

// Units in files of their own may have it at the same offset.
std::uint64_t copy_of(Dwarf_Die *inlined) {
    return number_of(
        fmt::format("{} {}", static_cast<void *>(inlined->cu), dwarf_dieoffset(inlined)));
}

std::vector<code_range> code_of(Dwarf_Die *call) {
    std::vector<code_range> code;
    Dwarf_Addr base = 0, begin = 0, end = 0;
    for (std::ptrdiff_t at = 0; (at = dwarf_ranges(call, at, &base, &begin, &end)) > 0;)
        code.push_back({begin, end});
    return code;
}

} // namespace toft::lab
