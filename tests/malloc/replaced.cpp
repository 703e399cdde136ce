// SPDX-License-Identifier: MIT
// A program that replaces one form of operator new and delete, as the standard allows: all forms
// must lead to these two, though libtoft-malloc is preloaded.
#include <cstdio>
#include <cstdlib>
#include <new>

// Clang takes it for granted that an operator new touches no variable of the program.
static volatile std::size_t live;

void *operator new(std::size_t size) {
    live = live + 1;
    return static_cast<char *>(std::malloc(size + 64)) + 64; // no object that malloc knows
}
void operator delete(void *object) noexcept {
    if (object == nullptr) return;
    live = live - 1;
    std::free(static_cast<char *>(object) - 64);
}

int main() {
    for (std::size_t size = 1; size < 5000000; size = size * 3 + 1) {
        void *object = ::operator new(size);
        ::operator delete(object, size);
        object = ::operator new(size, std::nothrow);
        ::operator delete(object, std::nothrow);
        object = ::operator new[](size);
        if (live != 1) return 1;
        ::operator delete[](object, size);
    }
    std::printf("%zu\n", std::size_t{live});
    return live == 0 ? 0 : 1;
}
