/* SPDX-License-Identifier: MIT */
/* For builds by the compiler alone: says once that no file here knows the system, where the linker
 * would say so for each function of os/os.h. CMake says it by itself, and doesn't compile this. A
 * port adds its guard to the condition; TOFT_PORT stands for it meanwhile. */
#include "os/os.h"

#if !defined(__linux__) && !defined(TOFT_PORT)
    #error "Toft doesn't know this system yet: write a file of src/os, as docs/porting.md says"
#endif
