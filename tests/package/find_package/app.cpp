// SPDX-License-Identifier: MIT
#include <iostream>
#include <string>
#include <vector>

#include <toft/toft.hpp>

int main() {
    toft::arena arena;
    std::vector<std::string *, toft::allocator<std::string *>> words(arena);
    words.push_back(arena.make<std::string>("toft"));
    words.push_back(arena.make<std::string>(TOFT_VERSION));
    std::cout << *words[0] << ' ' << *words[1] << '\n';
}
