// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace toft::lab {

// The page that lab/report was built into; empty when it wasn't. Defined by a source file that the
// build makes: see lab/report/CMakeLists.txt.
std::string_view report_template();
// That of `toft advise --html`, likewise.
std::string_view advice_template();

} // namespace toft::lab
