// SPDX-License-Identifier: MIT
// Says whether libtoft-malloc trusts the size that operator delete is given: then memory that was
// never allocated is the next object. Where REPLACES_NOTHROW is defined, it replaces a form of new.
#include <cstdio>
#include <cstdlib>
#include <new>

#ifdef REPLACES_NOTHROW
void *operator new(std::size_t size, const std::nothrow_t &) noexcept { return std::malloc(size); }
#endif

alignas(64) static char never_allocated[192];

// Through this, no compiler leaves a pair of new and delete out, nor warns of a wrong delete.
static void *volatile object;

int main() {
    const std::size_t size = 130;
    object = ::operator new(size); // the thread's first
    ::operator delete(object, size);
    object = never_allocated;
    ::operator delete(object, size);
    object = ::operator new(size);
    std::puts(object == never_allocated ? "trusted" : "looked up");
}
