// SPDX-License-Identifier: MIT
#pragma once

#include "result.hpp"

#include <string>

// Every row follows now the one neighbour, now the other (see runner.hpp). When its time depends on
// which one, something is handed on from process to process, and its median means little.
namespace toft::lab {

// What is seen, or nothing: the processes after one row and those after another, three of each at
// least, differ altogether and by more than noise may.
std::string describe_order_effect(const row &);

} // namespace toft::lab
