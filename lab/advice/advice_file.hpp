// SPDX-License-Identifier: MIT
#pragma once

#include "advice.hpp"

#include <string>

namespace toft::lab {

// The text of the file that --json asks for.
std::string advice_document(const advice_report &);

} // namespace toft::lab
