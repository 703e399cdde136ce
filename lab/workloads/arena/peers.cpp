// SPDX-License-Identifier: MIT
#include "peers.hpp"

#include "run/paths.hpp"

#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>

namespace toft::lab {

const std::vector<peer> &known_peers() {
    static const std::vector<peer> peers = {
        {"bumpalo (Rust)", "peer_bumpalo.so", "cargo and crates.io"},
        {"LLVM BumpPtr", "peer_llvm.so", "llvm-dev"},
        {"APR pool", "peer_apr.so", "libapr1-dev"},
        {"mimalloc heap", "peer_mimalloc_heap.so", "libmimalloc-dev"},
        {"protobuf Arena", "peer_protobuf.so", "libprotobuf-dev"},
        {"talloc pool", "peer_talloc.so", "libtalloc-dev"},
    };
    return peers;
}

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
