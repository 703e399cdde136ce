// SPDX-License-Identifier: MIT
#pragma once

// What most files of the lab include, parsed once for all of them. Each file still includes what it
// uses: a long run of the tests builds without this.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
