// SPDX-License-Identifier: MIT
#include "peers.hpp"

#include "run/paths.hpp"

#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>

namespace toft::lab {

std::string why_missing(const peer &p) {
    std::error_code ignored;
    if (std::filesystem::exists(helper_path(p.file), ignored)) return {};
    return fmt::format("not built: it needs {}", p.needs);
}

const toft_region_loops &load_peer(const peer &p) {
    void *module = dlopen(helper_path(p.file).c_str(), RTLD_NOW | RTLD_LOCAL);
    void *entry = module ? dlsym(module, TOFT_PEER_SYMBOL) : nullptr;
    if (!entry) throw std::runtime_error(fmt::format("can't load {}: {}", p.file, dlerror()));
    return *reinterpret_cast<toft_peer_fn *>(entry)();
}

} // namespace toft::lab
