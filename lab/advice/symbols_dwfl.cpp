// SPDX-License-Identifier: MIT
// By elfutils' libdw. A module's file is read when the first of its addresses is asked for.
#include "symbols.hpp"

#include <cstdlib>
#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

namespace toft::lab {
namespace {

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

std::string name_of(Dwarf_Die *die) {
    Dwarf_Attribute found;
    for (const unsigned attribute : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
        const char *linkage = dwarf_formstring(dwarf_attr_integrate(die, attribute, &found));
        if (linkage) return without_parameters(demangled(linkage));
    }
    const char *plain = dwarf_diename(die);
    return plain ? plain : "";
}

std::string called_file(Dwarf_Die *unit, Dwarf_Die *inlined, unsigned &line) {
    Dwarf_Attribute attribute;
    Dwarf_Word number = 0;
    if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &number) == 0)
        line = static_cast<unsigned>(number);
    Dwarf_Files *files = nullptr;
    std::size_t count = 0;
    if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &number) != 0 ||
        dwarf_getsrcfiles(unit, &files, &count) != 0 || number >= count)
        return {};
    const char *name = dwarf_filesrc(files, number, nullptr, nullptr);
    return name ? name : "";
}

// The innermost scope of an address, and then what it lies in as the compiler has put it there,
// which isn't how the text has it.
void add_functions(Dwarf_Die *unit, Dwarf_Addr address, source_place next,
                   std::vector<source_place> &places) {
    Dwarf_Die *innermost = nullptr, *scopes = nullptr;
    const int any = dwarf_getscopes(unit, address, &innermost);
    const std::unique_ptr<Dwarf_Die, void (*)(void *)> first(innermost, std::free);
    if (any <= 0) return;
    const int count = dwarf_getscopes_die(innermost, &scopes);
    const std::unique_ptr<Dwarf_Die, void (*)(void *)> all(scopes, std::free);
    for (int i = 0; i < count; ++i) {
        const int tag = dwarf_tag(&scopes[i]);
        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
        next.function = name_of(&scopes[i]);
        places.push_back(next);
        if (tag == DW_TAG_subprogram) return;
        next.file = called_file(unit, &scopes[i], next.line);
    }
}

// Debug files are looked for as debuggers do, beside the file and under /usr/lib/debug.
const Dwfl_Callbacks callbacks = {nullptr, dwfl_standard_find_debuginfo,
                                  dwfl_offline_section_address, nullptr};

class module_symbols {
  public:
    explicit module_symbols(const recorded_module &m) : of_(m), session_(dwfl_begin(&callbacks)) {
        if (!session_ || open(m.path)) return;
        // Another recording's machine may have had it where this one has it.
        for (const std::string &path : m.other_paths)
            if (open(path)) return;
    }

    std::vector<source_place> at(std::uint64_t return_address) {
        if (!module_) return {unknown_place(of_, return_address)};
        // The call stands before the place to which it returns.
        const Dwarf_Addr address = return_address - 1 + bias_;
        std::vector<source_place> places = by_debug_information(address);
        if (!places.empty()) return places;
        const char *name = dwfl_module_addrname(module_, address);
        if (!name) return {unknown_place(of_, return_address)};
        return {{without_parameters(demangled(name)), "", 0}};
    }

    std::uint64_t whole(std::uint64_t begin) {
        const char *name = module_ ? dwfl_module_addrname(module_, begin + bias_) : nullptr;
        const std::string_view part = name ? name : "";
        const std::size_t cold = part.rfind(".cold");
        if (cold == std::string_view::npos) return begin;
        const std::optional<GElf_Addr> found = only_symbol(part.substr(0, cold));
        return found ? *found - bias_ : begin;
    }

  private:
    // None where several have the name, as functions of several files may.
    std::optional<GElf_Addr> only_symbol(std::string_view name) {
        std::optional<GElf_Addr> found;
        const int count = dwfl_module_getsymtab(module_);
        for (int i = 0; i < count; ++i) {
            GElf_Sym symbol;
            GElf_Addr address = 0;
            const char *own =
                dwfl_module_getsym_info(module_, i, &symbol, &address, nullptr, nullptr, nullptr);
            if (!own || own != name) continue;
            if (found && *found != address) return std::nullopt;
            found = address;
        }
        return found;
    }

    // False when there is no such file, or it is of another build.
    bool open(const std::string &path) {
        dwfl_report_begin(session_.get());
        Dwfl_Module *found = dwfl_report_offline(session_.get(), path.c_str(), path.c_str(), -1);
        dwfl_report_end(session_.get(), nullptr, nullptr);
        if (!found || !is_same_build(found)) return false;
        module_ = found;
        GElf_Addr bias = 0;
        if (dwfl_module_getelf(module_, &bias)) bias_ = bias;
        return true;
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
                units_[begin + bias] = {end + bias, bias, unit};
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
        const auto behind = units_.upper_bound(address);
        if (behind == units_.begin()) return {};
        const unit_range &found = std::prev(behind)->second;
        return address < found.end ? found : unit_range{};
    }

    std::vector<source_place> by_debug_information(Dwarf_Addr address) {
        const unit_range found = unit_at(address);
        if (!found.unit) return {};
        std::vector<source_place> places;
        source_place next;
        if (Dwarf_Line *l = dwarf_getsrc_die(found.unit, address - found.bias)) {
            int line = 0;
            if (const char *file = dwarf_linesrc(l, nullptr, nullptr)) next.file = file;
            if (dwarf_lineno(l, &line) == 0) next.line = static_cast<unsigned>(line);
        }
        add_functions(found.unit, address - found.bias, next, places);
        return places;
    }

    recorded_module of_;
    std::unique_ptr<Dwfl, end_session> session_;
    Dwfl_Module *module_ = nullptr; // null: not there, or of another build
    Dwarf_Addr bias_ = 0;
    std::map<Dwarf_Addr, unit_range> units_; // by their begins
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

symbol_source read_symbols() {
    return [all = std::make_shared<all_modules>()](
               const recorded_module &m, std::uint64_t address) { return all->of(m).at(address); };
}

whole_function read_whole_functions() {
    return [all = std::make_shared<all_modules>()](const recorded_module &m, std::uint64_t begin) {
        return all->of(m).whole(begin);
    };
}

} // namespace toft::lab
