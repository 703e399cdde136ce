// SPDX-License-Identifier: MIT
// The heap counter, loaded into this process beside its own malloc: called by name.
#include "subject/heap_counter.h"

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <initializer_list>

namespace {

class counter {
  public:
    counter() : module_(dlopen(TOFT_HEAP_COUNTER, RTLD_NOW | RTLD_LOCAL)) {
        REQUIRE(module_ != nullptr);
    }

    template <class Function>
    Function *find(const char *name) {
        void *found = dlsym(module_, name);
        REQUIRE(found != nullptr);
        return reinterpret_cast<Function *>(found);
    }

    toft_heap_counts read() {
        toft_heap_counts counts{};
        find<toft_heap_counts_read_fn>(TOFT_HEAP_COUNTS_READ)(&counts);
        return counts;
    }

  private:
    void *module_;
};

} // namespace

TEST_CASE("the heap counter counts what was asked for") {
    counter c;
    auto *allocate = c.find<void *(std::size_t)>("malloc");
    auto *allocate_zeroed = c.find<void *(std::size_t, std::size_t)>("calloc");
    auto *resize = c.find<void *(void *, std::size_t)>("realloc");
    auto *release = c.find<void(void *)>("free");
    auto *allocate_aligned = c.find<int(void **, std::size_t, std::size_t)>("posix_memalign");

    const toft_heap_counts before = c.read();
    void *p = allocate(10);
    void *q = allocate_zeroed(3, 5);
    p = resize(p, 100); // one deallocation, one allocation
    void *r = nullptr;
    CHECK(allocate_aligned(&r, 64, 64) == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(r) % 64 == 0);
    release(p);
    release(q);
    release(r);
    release(nullptr);
    const toft_heap_counts after = c.read();
    CHECK(after.allocations - before.allocations == 4);
    CHECK(after.deallocations - before.deallocations == 4);
    CHECK(after.bytes - before.bytes == 10 + 15 + 100 + 64);
}

TEST_CASE("what the heap refuses isn't counted") {
    counter c;
    volatile std::size_t most = SIZE_MAX;
    const toft_heap_counts before = c.read();
    CHECK(c.find<void *(std::size_t, std::size_t)>("calloc")(most, most) == nullptr);
    CHECK(c.find<void *(std::size_t)>("malloc")(most) == nullptr);
    CHECK(c.find<void *(void *, std::size_t, std::size_t)>("reallocarray")(nullptr, most, 2) ==
          nullptr);
    void *p = nullptr;
    CHECK(c.find<int(void **, std::size_t, std::size_t)>("posix_memalign")(&p, 3, 8) == EINVAL);
    const toft_heap_counts after = c.read();
    CHECK(after.allocations == before.allocations);
    CHECK(after.bytes == before.bytes);
}

TEST_CASE("the heap counter knows how much of an object was written") {
    counter c;
    auto *allocate = c.find<void *(std::size_t)>("malloc");
    auto *resize = c.find<void *(void *, std::size_t)>("realloc");
    auto *release = c.find<void(void *)>("free");
    const auto stored = [&] {
        toft_heap_stores stores{};
        c.find<toft_heap_stores_read_fn>(TOFT_HEAP_STORES_READ)(&stores);
        return stores;
    };
    auto *watch = c.find<toft_heap_stores_watch_fn>(TOFT_HEAP_STORES_WATCH);

    void *unwatched = allocate(32);
    watch(1);
    void *some = allocate(32), *grown = allocate(16), *none = allocate(100);
    void *large = allocate((64U << 10U) + 1), *gone = allocate(24);
    std::memset(some, 1, 8);
    std::memset(grown, 1, 16);
    grown = resize(grown, 4000); // keeps what was written, and the rest isn't
    watch(0);
    const toft_heap_stores before = stored();
    for (void *p : {unwatched, some, grown, none, large}) release(p);
    CHECK(resize(gone, 0) == nullptr);
    const toft_heap_stores after = stored();
    CHECK(after.objects - before.objects == 4); // not the unwatched one, nor the large one
    // A byte that is written as what was there before looks as if it weren't: one of 256.
    CHECK(after.bytes - before.bytes <= 8 + 16);
    CHECK(after.bytes - before.bytes >= 8 + 16 - 4);
}
