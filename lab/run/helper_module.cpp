// SPDX-License-Identifier: MIT
#include "helper_module.hpp"

#include "paths.hpp"

#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>

namespace toft::lab {

std::string why_not_built(const std::string &file, const std::string &needs) {
    std::error_code ignored;
    if (std::filesystem::exists(helper_path(file), ignored)) return {};
    return fmt::format("not built: it needs {}", needs);
}

void *load_symbol(const std::string &file, const char *symbol) {
    void *module = dlopen(helper_path(file).c_str(), RTLD_NOW | RTLD_LOCAL);
    void *found = module ? dlsym(module, symbol) : nullptr;
    if (!found) throw std::runtime_error(fmt::format("can't load {}: {}", file, dlerror()));
    return found;
}

} // namespace toft::lab
