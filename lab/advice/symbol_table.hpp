// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <elfutils/libdwfl.h>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

// The names of a module's code, in order: elfutils reads all of them for each address.
namespace toft::lab {

class symbol_table {
  public:
    // The names are the module's, and live as long.
    explicit symbol_table(Dwfl_Module *);

    // The innermost function that has this address in it, a global one before others of the same
    // place; where none is known to, the label before it. Null: there is neither.
    const char *name_at(GElf_Addr) const;

    // None where several have the name, as functions of several files may.
    std::optional<GElf_Addr> only(std::string_view name) const;

  private:
    struct symbol {
        GElf_Addr begin, end; // of a label they are the same
        bool global;
        const char *name;
    };
    std::vector<symbol> by_begin_;
    std::vector<GElf_Addr> ends_until_; // the highest of all until there
    std::unordered_map<std::string_view, std::optional<GElf_Addr>> by_name_;
};

} // namespace toft::lab
