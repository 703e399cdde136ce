// SPDX-License-Identifier: MIT
#include "advice_file.hpp"

#include "advice_json.hpp"

namespace toft::lab {

std::string advice_document(const advice_report &report) {
    nlohmann::json document = report;
    document["schema"] = advice_schema;
    document["schema_version"] = advice_schema_version;
    return document.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace toft::lab
