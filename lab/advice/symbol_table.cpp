// SPDX-License-Identifier: MIT
#include "symbol_table.hpp"

#include <algorithm>

namespace toft::lab {
namespace {

bool names_code(const GElf_Sym &symbol) {
    const auto type = GELF_ST_TYPE(symbol.st_info);
    return symbol.st_shndx != SHN_UNDEF &&
           (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE);
}

} // namespace

symbol_table::symbol_table(Dwfl_Module *module) {
    const int count = dwfl_module_getsymtab(module);
    for (int i = 0; i < count; ++i) {
        GElf_Sym found;
        GElf_Addr begin = 0;
        const char *name =
            dwfl_module_getsym_info(module, i, &found, &begin, nullptr, nullptr, nullptr);
        if (!name || *name == 0 || !names_code(found)) continue;
        const bool global = GELF_ST_BIND(found.st_info) == STB_GLOBAL;
        by_begin_.push_back({begin, begin + found.st_size, global, name});
        const auto [known, added] = by_name_.try_emplace(name, begin);
        if (!added && known->second != begin) known->second.reset();
    }
    // From those that begin at one place a search from behind takes the tightest, a global one
    // rather than a local one, and the first.
    std::reverse(by_begin_.begin(), by_begin_.end());
    std::stable_sort(by_begin_.begin(), by_begin_.end(), [](const symbol &a, const symbol &b) {
        if (a.begin != b.begin) return a.begin < b.begin;
        if ((a.end == a.begin) != (b.end == b.begin)) return a.end == a.begin;
        return a.end != b.end ? a.end > b.end : a.global < b.global;
    });
    GElf_Addr highest = 0;
    for (const symbol &s : by_begin_) ends_until_.push_back(highest = std::max(highest, s.end));
}

const char *symbol_table::name_at(GElf_Addr address) const {
    const auto behind = std::upper_bound(by_begin_.begin(), by_begin_.end(), address,
                                         [](GElf_Addr a, const symbol &s) { return a < s.begin; });
    const symbol *label = nullptr;
    for (auto at = behind; at != by_begin_.begin();) {
        const symbol &s = *--at;
        if (address < s.end) return s.name;
        if (s.begin == s.end && !label) label = &s;
        // Nothing before this one reaches as far.
        const GElf_Addr reached = ends_until_[static_cast<std::size_t>(at - by_begin_.begin())];
        if (reached <= address) return label && reached <= label->begin ? label->name : nullptr;
    }
    return nullptr;
}

std::optional<GElf_Addr> symbol_table::only(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? std::nullopt : found->second;
}

} // namespace toft::lab
