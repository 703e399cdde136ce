// SPDX-License-Identifier: MIT
#include "mapping.hpp"

#include <cstdint>
#include <new>
#include <sys/mman.h>

namespace toft::lab {

mapping map_memory(std::size_t bytes, huge_pages pages) {
    constexpr std::size_t huge = std::size_t{2} << 20;
    mapping m;
    m.whole_bytes = bytes + huge;
    m.whole = mmap(nullptr, m.whole_bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (m.whole == MAP_FAILED) throw std::bad_alloc();
    // When the kernel refuses the advice, its default stays: the loop still runs, and the result
    // file records the kernel's setting.
    madvise(m.whole, m.whole_bytes, pages == huge_pages::wanted ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    const auto address = reinterpret_cast<std::uintptr_t>(m.whole);
    m.begin = static_cast<char *>(m.whole) + (huge - address % huge) % huge;
    return m;
}

void unmap_memory(const mapping &m) { munmap(m.whole, m.whole_bytes); }

} // namespace toft::lab
