// SPDX-License-Identifier: MIT
// Toft's C++ headers need C++20. An older compiler is told so once, and sees nothing else of them:
// each defines its contents only where TOFT_CPP20 is defined. The C headers suit C++11.
#ifndef TOFT_DETAIL_CPP20_HPP
#define TOFT_DETAIL_CPP20_HPP

#if __cplusplus > 201703L || (defined(_MSVC_LANG) && _MSVC_LANG > 201703L)
    #define TOFT_CPP20 1
#else
    #error "Toft's C++ headers need C++20, such as by -std=c++20; its C headers (.h) suit C++11"
#endif

#endif
