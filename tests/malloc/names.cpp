// SPDX-License-Identifier: MIT
// malloc's own names, as glibc documents them: linked with libtoft-malloc, by tests/CMakeLists.txt.
#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <malloc.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include "support/child.hpp"

using namespace toft_test;

namespace {

// Through pointers that the compiler can't see through: it leaves pairs of malloc and free out.
void *(*volatile do_malloc)(std::size_t) = std::malloc;
void *(*volatile do_calloc)(std::size_t, std::size_t) = std::calloc;
void *(*volatile do_realloc)(void *, std::size_t) = std::realloc;
void (*volatile do_free)(void *) = std::free;
void *(*volatile do_aligned_alloc)(std::size_t, std::size_t) = aligned_alloc;
int (*volatile do_posix_memalign)(void **, std::size_t, std::size_t) = posix_memalign;

volatile std::size_t too_much = static_cast<std::size_t>(PTRDIFF_MAX) + 1; // for compilers too
volatile std::size_t all = SIZE_MAX;

std::uintptr_t address(const void *p) { return reinterpret_cast<std::uintptr_t>(p); }

void fails_with(int expected, const std::function<void *()> &call) {
    errno = 0;
    CHECK(call() == nullptr);
    CHECK(errno == expected);
}

// What was there before main, and before any constructor of this program.
void *early = std::malloc(1000);

} // namespace

TEST_CASE("malloc is ours") {
    for (const char *name : {"malloc", "free", "calloc", "realloc", "_Znwm", "_ZdlPv", "_ZdlPvm"}) {
        CAPTURE(name);
        Dl_info info;
        REQUIRE(dladdr(dlsym(RTLD_DEFAULT, name), &info) != 0);
        CHECK(std::string(info.dli_fname).find("libtoft-malloc") != std::string::npos);
    }
    CHECK(dlsym(RTLD_DEFAULT, "cfree") == nullptr);
    CHECK(early != nullptr);
    std::free(early);
}

TEST_CASE("sizes, alignment and contents") {
    std::vector<char *> objects;
    for (std::size_t size = 0; size < 3000000; size += 1 + size / 7) {
        auto *object = static_cast<char *>(do_malloc(size));
        REQUIRE(object != nullptr);
        CHECK(address(object) % (size > 8 ? 16 : 8) == 0);
        CHECK(malloc_usable_size(object) >= size);
        std::memset(object, 'x', malloc_usable_size(object));
        objects.push_back(object);
    }
    std::sort(objects.begin(), objects.end());
    CHECK(std::adjacent_find(objects.begin(), objects.end()) == objects.end());
    for (char *object : objects) do_free(object);
    CHECK(malloc_usable_size(nullptr) == 0);
}

TEST_CASE("errno: ENOMEM for what can't be, and untouched by success and by free") {
    fails_with(ENOMEM, [] { return do_malloc(too_much); });
    fails_with(ENOMEM, [] { return do_malloc(all); });
    fails_with(ENOMEM, [] { return do_calloc(too_much, 1); });
    fails_with(ENOMEM, [] { return do_calloc(all / 2, 3); });
    fails_with(ENOMEM, [] { return reallocarray(nullptr, all / 2, 3); });
    fails_with(ENOMEM, [] { return reallocarray(nullptr, all / 8 + 2, 8); }); // wraps to 8
    fails_with(ENOMEM, [] { return do_calloc(all / 8 + 2, 8); });
    fails_with(ENOMEM, [] { return memalign(64, too_much); });
    fails_with(ENOMEM, [] { return memalign(too_much, 10); });
    fails_with(EINVAL, [] { return memalign(all, 10); }); // no power of two is as large
    fails_with(ENOMEM, [] { return valloc(too_much); });
    fails_with(ENOMEM, [] { return pvalloc(all); });
    fails_with(EINVAL, [] { return do_aligned_alloc(24, 48); });
    errno = 55;
    for (std::size_t size : {10u, 2000u, 50000u, 5000000u}) {
        do_free(do_malloc(size));
        do_free(do_calloc(1, size));
        do_free(do_realloc(do_malloc(size), size * 3));
        do_free(do_aligned_alloc(4096, size));
    }
    malloc_trim(0);
    CHECK(errno == 55);
}

TEST_CASE("realloc") {
    auto *object = static_cast<char *>(do_realloc(nullptr, 10));
    std::strcpy(object, "123456789");
    for (std::size_t size : {20u, 5000u, 100000u, 9000000u, 50000000u, 700000u, 60u, 10u}) {
        object = static_cast<char *>(do_realloc(object, size));
        REQUIRE(object != nullptr);
        CHECK(std::strcmp(object, "123456789") == 0);
        object[size - 1] = '\0';
    }
    fails_with(ENOMEM, [&] { return do_realloc(object, too_much); });
    CHECK(std::strcmp(object, "123456789") == 0);
    CHECK(do_realloc(object, 0) == nullptr); // freed, as glibc does it
    void *empty = do_realloc(nullptr, 0);
    CHECK(empty != nullptr);
    empty = reallocarray(empty, 100, 7);
    CHECK(malloc_usable_size(empty) >= 700);
    do_free(empty);
}

TEST_CASE("calloc is zero where dirty memory was freed before") {
    for (std::size_t size : {24u, 500u, 3000u, 40000u, 900000u, 4000000u}) {
        for (int i = 0; i < 3; i++) {
            auto *object = static_cast<unsigned char *>(do_calloc(size, 1));
            CHECK(std::all_of(object, object + size, [](unsigned char byte) { return byte == 0; }));
            std::memset(object, 0xff, size);
            do_free(object);
        }
    }
}

TEST_CASE("aligned memory") {
    for (std::size_t alignment = 8; alignment <= (std::size_t{1} << 22); alignment *= 2) {
        for (std::size_t size : {0u, 1u, 24u, 100u, 5000u, 70000u}) {
            std::size_t usual = size > 8 ? 16 : 8; // what malloc's memory has in any case
            void *object = nullptr;
            CHECK(do_posix_memalign(&object, alignment, size) == 0);
            void *other = do_aligned_alloc(alignment, size), *third = memalign(alignment, size);
            for (void *each : {object, other, third}) {
                CHECK(each != nullptr);
                CHECK(address(each) % std::max(alignment, usual) == 0);
                std::memset(each, 'x', size);
                do_free(each);
            }
        }
    }
    auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void *page = valloc(10), *pages = pvalloc(page_bytes + 1);
    CHECK((address(page) % page_bytes == 0 && address(pages) % page_bytes == 0));
    CHECK(malloc_usable_size(pages) >= 2 * page_bytes);
    do_free(page);
    do_free(pages);
    volatile std::size_t no_power_of_two = 48; // hidden from the compiler, which would warn of it
    void *odd = memalign(no_power_of_two, 100);
    CHECK(address(odd) % 64 == 0); // rounded up, as glibc does
    do_free(odd);
}

TEST_CASE("posix_memalign tells by its result, and leaves the rest alone") {
    void *untouched = &untouched;
    errno = 55;
    for (std::size_t alignment : {0u, 1u, 2u, 4u, 12u, 24u, 100u})
        CHECK(do_posix_memalign(&untouched, alignment, 10) == EINVAL);
    CHECK(do_posix_memalign(&untouched, 64, too_much) == ENOMEM);
    CHECK(untouched == &untouched);
    CHECK(errno == 55);
}

TEST_CASE("mallinfo2, mallopt, malloc_info, malloc_trim") {
    void *object = do_malloc(3000000);
    struct mallinfo2 info = mallinfo2();
    CHECK(info.uordblks >= 3000000);
    CHECK(info.arena >= info.uordblks);
    CHECK(info.fordblks == info.arena - info.uordblks);
    do_free(object);
    CHECK(mallinfo2().uordblks <= info.uordblks - 3000000);

    char *text = nullptr;
    std::size_t length = 0;
    std::FILE *stream = open_memstream(&text, &length);
    CHECK(malloc_info(0, stream) == 0);
    errno = 0;
    CHECK(malloc_info(1, stream) == -1);
    CHECK(errno == EINVAL);
    std::fclose(stream);
    CHECK(std::string(text).starts_with("<malloc version=\"toft-"));
    CHECK(std::string(text).ends_with("</malloc>\n"));
    std::free(text);

    const volatile std::size_t beyond_int = std::size_t{9} << 28;
    if (void *much = do_malloc(beyond_int); much != nullptr) {
        auto *old = reinterpret_cast<struct mallinfo (*)()>(dlsym(RTLD_DEFAULT, "mallinfo"));
        CHECK(old().uordblks == INT_MAX);
        do_free(much);
    }

    CHECK(mallopt(M_ARENA_MAX, 1) == 1);
    CHECK(mallopt(-12345, 1) == 0);
    std::vector<void *> objects;
    for (int i = 0; i < 20000; i++) objects.push_back(do_malloc(500));
    for (void *each : objects) do_free(each);
    CHECK(malloc_trim(0) == 1);
}

extern "C" {
void *__libc_malloc(std::size_t);
void *__libc_memalign(std::size_t, std::size_t);
void __libc_free(void *);
}

TEST_CASE("glibc's second names are ours too") {
    do_free(__libc_malloc(100));
    do_free(__libc_memalign(64, 100));
    __libc_free(do_malloc(100));
    CHECK(malloc_usable_size(__libc_malloc(100)) >= 100);
}

TEST_CASE("pointers of other allocators are left alone, and known as such") {
    // glibc's own, as a library that was linked to it more closely might hand out.
    void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    auto *foreign_malloc = reinterpret_cast<void *(*)(std::size_t)>(dlsym(libc, "malloc"));
    bool is_another = foreign_malloc != nullptr && foreign_malloc != &std::malloc;
    REQUIRE(is_another);
    static char data[100];
    char on_stack[100];
    void *mapped =
        mmap(nullptr, 100000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::vector<void *> foreign = {data, on_stack, mapped, static_cast<char *>(mapped) + 64};
    for (std::size_t size : {10u, 1000u, 100000u, 5000000u})
        foreign.push_back(foreign_malloc(size));
    for (void *pointer : foreign) {
        CHECK(malloc_usable_size(pointer) == 0);
        do_free(pointer);
        fails_with(ENOMEM, [&] { return do_realloc(pointer, 100); });
        std::memset(pointer, 'x', 8); // still there
    }
}
