// SPDX-License-Identifier: MIT
// By elfutils' libdw. A module's file is read when the first of its addresses is asked for.
#include "debug_calls.hpp"
#include "symbol_table.hpp"
#include "symbols.hpp"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>

namespace toft::lab {
namespace {

// Calls of these are what a recording shows, and so below no other call.
bool is_of_heap(Dwarf_Die *function) {
    const std::string name = function_of(function).function;
    for (const std::string_view known :
         {"malloc", "calloc", "realloc", "reallocarray", "free", "memalign", "posix_memalign",
          "aligned_alloc", "valloc", "pvalloc", "operator new", "operator new[]", "operator delete",
          "operator delete[]"})
        if (name == known) return true;
    return false;
}

// Debug files are looked for as debuggers do, beside the file and under /usr/lib/debug.
const Dwfl_Callbacks callbacks = {nullptr, dwfl_standard_find_debuginfo,
                                  dwfl_offline_section_address, nullptr};

class module_symbols {
  public:
    explicit module_symbols(const recorded_module &m) : of_(m), session_(dwfl_begin(&callbacks)) {
        if (!session_) return;
        // Another recording's machine may have had it where this one has it; and of several copies
        // one may be stripped.
        std::vector<std::string> paths{m.path};
        paths.insert(paths.end(), m.other_paths.begin(), m.other_paths.end());
        if (paths.size() > 1)
            for (const std::string &path : paths)
                if (open(path) && has_text()) return;
        for (const std::string &path : paths)
            if (open(path)) return;
    }

    std::vector<source_place> places(std::uint64_t return_address) {
        scopes known = scopes_at(return_address);
        std::vector<source_place> places;
        source_place line = known.call;
        for (Dwarf_Die &call : known.innermost_first) {
            places.push_back(function_within(&call));
            places.back().file = line.file;
            places.back().line = line.line;
            line = called_from(&call);
        }
        if (!places.empty()) return places;
        const char *name = symbol_at(return_address - 1);
        if (!name) return {unknown_place(of_, return_address)};
        return {function_of_symbol(name)};
    }

    known_calls text_calls(std::uint64_t return_address, std::uint64_t begin) {
        known_calls found;
        scopes known = scopes_at(return_address);
        std::vector<Dwarf_Die> &calls = known.innermost_first;
        const char *symbol = symbol_at(begin);
        if (calls.empty()) {
            found.compiled = symbol ? text_of_symbol(symbol) : 0;
            found.calls.push_back({.function = whole(begin)});
            return found;
        }
        found.compiled = text_of(&calls.back());
        for (std::size_t i = calls.size(); i-- > 0;) {
            unsigned column = known.column;
            const source_place line = i == 0 ? known.call : called_from(&calls[i - 1], &column);
            const bool is_inlined = i + 1 != calls.size();
            found.calls.push_back({text_of(&calls[i]), is_inlined ? copy_of(&calls[i]) : 0,
                                   number_of_place(line, column)});
        }
        if (known.callee && !is_of_heap(&*known.callee)) found.callee = text_of(&*known.callee);
        return found;
    }

    // Those that nobody can name, as a call through a pointer, end a way.
    std::vector<left_call> left(std::uint64_t return_address, module_symbols &below,
                                std::uint64_t compiled) {
        std::optional<Dwarf_Die> callee = scopes_at(return_address).callee;
        if (callee && &below != this) callee = below.function_named(symbol_of(&*callee));
        // In another module a function may have two names, one of which is called.
        if (!callee || text_of(&*callee) == compiled) return {};
        left_ways ways{compiled, {}, {}};
        if (!below.leads_to(*callee, ways)) ways.left = {left_call_of(&*callee)};
        return ways.left;
    }

    std::vector<code_range> code(std::uint64_t return_address, unsigned inside) {
        std::vector<Dwarf_Die> known = scopes_at(return_address).innermost_first;
        return inside < known.size() ? code_of(&known[inside]) : std::vector<code_range>{};
    }

  private:
    struct scopes {
        source_place call; // the line that calls, without its function
        unsigned column = 0;
        std::vector<Dwarf_Die> innermost_first;
        std::optional<Dwarf_Die> callee;
    };

    // The call stands before the place to which it returns.
    scopes scopes_at(std::uint64_t return_address) {
        scopes known;
        if (!module_) return known;
        const Dwarf_Addr address = return_address - 1 + bias_;
        const unit_range found = unit_at(address);
        if (!found.unit) return known;
        debug_unit &unit = debug_unit_of(found.unit);
        if (Dwarf_Line *l = dwarf_getsrc_die(found.unit, address - found.bias)) {
            int line = 0, column = 0;
            if (dwarf_linecol(l, &column) == 0) known.column = static_cast<unsigned>(column);
            if (const char *file = dwarf_linesrc(l, nullptr, nullptr)) known.call.file = file;
            if (dwarf_lineno(l, &line) == 0) known.call.line = static_cast<unsigned>(line);
        }
        known.innermost_first = unit.calls_at(address - found.bias);
        known.callee = unit.callee(address + 1 - found.bias);
        return known;
    }

    // With the namespaces and classes that it is in, by which a library's are told from the
    // program's own.
    source_place function_within(Dwarf_Die *call) {
        Dwarf_Die declaration = declaration_of(call), unit;
        if (has_linkage_name(call) || !dwarf_diecu(&declaration, &unit, nullptr, nullptr))
            return function_of(call);
        return function_of(call, debug_unit_of(&unit).outside(&declaration));
    }

    const symbol_table &symbols() const {
        if (!symbols_) symbols_.emplace(module_);
        return *symbols_;
    }

    const char *symbol_at(std::uint64_t address) const {
        return module_ ? symbols().name_at(address + bias_) : nullptr;
    }

    // Large programs have thousands of functions that call each other in tail position.
    static constexpr std::size_t most_on_ways = 256;
    struct left_ways {
        std::uint64_t compiled;              // where they lead; 0: to the heap
        std::map<std::uint64_t, bool> leads; // what is known of functions; false: or not yet
        std::vector<left_call> left;
    };

    // In the file of its code, where that is in this module.
    left_call left_call_of(Dwarf_Die *function) {
        source_place place = function_within(function);
        place.file = declared_at(function).file;
        if (const std::optional<Dwarf_Addr> begin = begin_of(function)) {
            std::vector<Dwarf_Die> calls = scopes_at(*begin + 1).innermost_first;
            const bool same = !calls.empty() && text_of(&calls.back()) == text_of(function);
            if (same) place.file = declared_at(&calls.back()).file;
        }
        return {text_of(function), place};
    }

    // Whether the function leads there by calls in tail position; then it was left, and so were
    // those that were inlined there.
    bool leads_to(Dwarf_Die function, left_ways &ways) {
        if (ways.leads.size() == most_on_ways) return false;
        const auto [known, added] = ways.leads.try_emplace(text_of(&function), false);
        if (!added) return known->second;
        const std::size_t before = ways.left.size();
        bool &leads = known->second;
        ways.left.push_back(left_call_of(&function));
        for (debug_unit::tail_call &tail : tail_calls_of(&function)) {
            const std::size_t here = ways.left.size();
            for (Dwarf_Die &inlined : tail.inlined) ways.left.push_back(left_call_of(&inlined));
            const bool is_end = ways.compiled == 0 ? is_of_heap(&tail.callee)
                                                   : text_of(&tail.callee) == ways.compiled;
            if (is_end || leads_to(tail.callee, ways))
                leads = true;
            else
                ways.left.resize(here);
        }
        if (!leads) ways.left.resize(before);
        return leads;
    }

    // The function may be described where it is declared or inlined; its code is elsewhere then.
    std::optional<Dwarf_Addr> begin_of(Dwarf_Die *function) {
        Dwarf_Die unit;
        if (!dwarf_diecu(function, &unit, nullptr, nullptr)) return std::nullopt;
        const std::optional<Dwarf_Addr> begin = debug_unit_of(&unit).begin_of(text_of(function));
        return begin ? begin : only_symbol(symbol_of(function));
    }

    std::vector<debug_unit::tail_call> tail_calls_of(Dwarf_Die *function) {
        const std::optional<Dwarf_Addr> begin = begin_of(function);
        if (!begin) return {};
        const unit_range found = unit_at(*begin + bias_);
        return found.unit ? debug_unit_of(found.unit).tail_calls(*begin)
                          : std::vector<debug_unit::tail_call>{};
    }

    std::optional<Dwarf_Die> function_named(const char *symbol) {
        const std::optional<GElf_Addr> found = only_symbol(symbol);
        std::vector<Dwarf_Die> calls;
        if (found) calls = scopes_at(*found + 1).innermost_first;
        return calls.empty() ? std::nullopt : std::optional(calls.back());
    }

    // With -gsplit-dwarf, most of a unit lies in a file of its own, which elfutils finds.
    debug_unit &debug_unit_of(Dwarf_Die *unit) {
        Dwarf_Die split{};
        std::uint8_t type = 0;
        const bool is_split = dwarf_cu_info(unit->cu, nullptr, &type, nullptr, &split, nullptr,
                                            nullptr, nullptr) == 0 &&
                              type == DW_UT_skeleton && split.addr;
        return units_.try_emplace(unit->cu, is_split ? split : *unit).first->second;
    }

    // Compilers set apart what is seldom run, as exceptions' ways out, and name it "serve.cold".
    std::uint64_t whole(std::uint64_t begin) const {
        const char *name = symbol_at(begin);
        const std::string_view part = name ? name : "";
        const std::size_t cold = part.rfind(".cold");
        if (cold == std::string_view::npos) return begin;
        return only_symbol(std::string(part.substr(0, cold)).c_str()).value_or(begin);
    }

    // Where it lies in the file; none without a name, too.
    std::optional<GElf_Addr> only_symbol(const char *name) const {
        if (!module_ || !name) return std::nullopt;
        std::optional<GElf_Addr> found = symbols().only(name);
        if (found) *found -= bias_;
        return found;
    }

    // False when there is no such file, or it is of another build. A recording may name a pipe: to
    // open that would wait for somebody who writes to it.
    bool open(const std::string &path) {
        module_ = nullptr;
        std::error_code ignored;
        if (!std::filesystem::is_regular_file(path, ignored)) return false;
        dwfl_report_begin(session_.get());
        Dwfl_Module *found = dwfl_report_offline(session_.get(), path.c_str(), path.c_str(), -1);
        dwfl_report_end(session_.get(), nullptr, nullptr);
        if (!found || !is_same_build(found)) return false;
        module_ = found;
        GElf_Addr bias = 0;
        if (dwfl_module_getelf(module_, &bias)) bias_ = bias;
        return true;
    }

    // Debug information, which tells the program's text.
    bool has_text() {
        Dwarf_Addr bias = 0;
        return dwfl_module_getdwarf(module_, &bias) != nullptr;
    }

    struct end_session {
        void operator()(Dwfl *d) const { dwfl_end(d); }
    };

    // A program that was built anew has other code at these addresses.
    bool is_same_build(Dwfl_Module *m) const {
        const unsigned char *bits = nullptr;
        GElf_Addr where = 0;
        const int length = dwfl_module_build_id(m, &bits, &where);
        if (of_.build_id.empty() || length <= 0) return of_.build_id.empty();
        std::string text;
        for (int i = 0; i != length; ++i) text += fmt::format("{:02x}", bits[i]);
        return text == of_.build_id;
    }

    // elfutils finds units by a table that clang doesn't write.
    void list_units() {
        Dwarf_Addr bias = 0;
        for (Dwarf_Die *unit = nullptr; (unit = dwfl_module_nextcu(module_, unit, &bias));) {
            Dwarf_Addr base = 0, begin = 0, end = 0;
            for (std::ptrdiff_t at = 0; (at = dwarf_ranges(unit, at, &base, &begin, &end)) > 0;)
                ranges_[begin + bias] = {end + bias, bias, unit};
        }
    }

    struct unit_range {
        Dwarf_Addr end = 0, bias = 0;
        Dwarf_Die *unit = nullptr;
    };

    // Without a unit: none is known.
    unit_range unit_at(Dwarf_Addr address) {
        if (!units_are_listed_) list_units();
        units_are_listed_ = true;
        const auto behind = ranges_.upper_bound(address);
        if (behind == ranges_.begin()) return {};
        const unit_range &found = std::prev(behind)->second;
        return address < found.end ? found : unit_range{};
    }

    recorded_module of_;
    std::unique_ptr<Dwfl, end_session> session_;
    Dwfl_Module *module_ = nullptr; // null: not there, or of another build
    Dwarf_Addr bias_ = 0;
    mutable std::optional<symbol_table> symbols_;
    std::map<Dwarf_Addr, unit_range> ranges_; // by their begins
    std::map<Dwarf_CU *, debug_unit> units_;  // that were asked for
    bool units_are_listed_ = false;
};

class all_modules {
  public:
    module_symbols &of(const recorded_module &m) {
        std::unique_ptr<module_symbols> &found = known_[m.build_id + " " + m.path];
        if (!found) found = std::make_unique<module_symbols>(m);
        return *found;
    }

  private:
    std::map<std::string, std::unique_ptr<module_symbols>> known_;
};

} // namespace

program_symbols read_symbols() {
    const auto all = std::make_shared<all_modules>();
    return {
        .places = [all](const recorded_module &m,
                        std::uint64_t address) { return all->of(m).places(address); },
        .calls = [all](const recorded_module &m, std::uint64_t address,
                       std::uint64_t begin) { return all->of(m).text_calls(address, begin); },
        .left =
            [all](const recorded_module &m, std::uint64_t address, const recorded_module &below,
                  std::uint64_t compiled) {
                return all->of(m).left(address, all->of(below), compiled);
            },
        .code = [all](const recorded_module &m, std::uint64_t address,
                      unsigned inside) { return all->of(m).code(address, inside); },
    };
}

} // namespace toft::lab
