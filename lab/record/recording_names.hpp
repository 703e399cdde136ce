// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

// What the recorder calls its files. A recorded run has the one that was asked for, FILE. Behind
// that name, those of other processes have ".PID", or ".PID.N" where that was there already, and
// those of what the program was before an exec have ".exec-N".
namespace toft::lab {

bool is_named_for_process(std::string_view path, std::string_view asked, std::uint64_t process);

bool is_named_before_exec(std::string_view path, std::string_view asked);

} // namespace toft::lab
