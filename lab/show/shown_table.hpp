// SPDX-License-Identifier: MIT
#pragma once

#include "result/row.hpp"
#include "table.hpp"

#include <string>
#include <vector>

namespace toft::lab {

// A table with the words around it, as the terminal prints it and as the report shows it.
struct shown_table {
    std::string heading;
    std::string case_name; // whose rows it shows; empty: those of several cases
    table lines;
    std::vector<std::vector<const row *>> rows; // of each line; they live in the result
    std::string note = {};                      // below it; empty: none
};

} // namespace toft::lab
