// SPDX-License-Identifier: MIT
#include "utf_8.hpp"

#include <nlohmann/json.hpp>

namespace toft::lab {

std::string as_utf_8(std::string_view bytes) {
    using nlohmann::json;
    return json::parse(json(bytes).dump(-1, ' ', false, json::error_handler_t::replace))
        .get<std::string>();
}

} // namespace toft::lab
