# SPDX-License-Identifier: MIT
# How everything of ours is compiled; what uses the library sees none of it.
add_library(toft_compile INTERFACE)
target_compile_features(toft_compile INTERFACE c_std_11 cxx_std_20)
if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
    target_compile_options(toft_compile INTERFACE
        -Wall -Wextra -Wpedantic -Wconversion -Wshadow
        $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>)
    if(TOFT_WERROR)
        target_compile_options(toft_compile INTERFACE -Werror)
    endif()
endif()
if(TOFT_CHECKS)
    target_compile_definitions(toft_compile INTERFACE TOFT_CHECKS=1)
endif()
if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_C_EXTENSIONS OFF)
    set(CMAKE_CXX_EXTENSIONS OFF)
    set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
endif()
