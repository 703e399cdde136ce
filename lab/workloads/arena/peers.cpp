// SPDX-License-Identifier: MIT
#include "peers.hpp"

#include "run/helper_module.hpp"

namespace toft::lab {

std::string why_missing(const peer &p) { return why_not_built(p.file, p.needs); }

const toft_region_loops &load_peer(const peer &p) {
    void *entry = load_symbol(p.file, TOFT_PEER_SYMBOL);
    return *reinterpret_cast<toft_peer_fn *>(entry)();
}

} // namespace toft::lab
