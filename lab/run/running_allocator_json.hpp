// SPDX-License-Identifier: MIT
#pragma once

#include "result/json_fields.hpp"
#include "subject/allocator.hpp"

namespace toft::lab {

// What a child answers when it is asked for its malloc.
template <>
struct json_fields<running_allocator> {
    static constexpr std::tuple list = {json_field{"name", &running_allocator::name},
                                        json_field{"version", &running_allocator::version},
                                        json_field{"library", &running_allocator::library}};
};

} // namespace toft::lab
