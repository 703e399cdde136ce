# SPDX-License-Identifier: MIT
# Writes a C++ source file that holds a page:
#   cmake -D PAGE=... -D SOURCE=... -D FUNCTION=... -P embed.cmake
file(READ ${PAGE} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${SOURCE} "// SPDX-License-Identifier: MIT
// Made by the build from the report's page.
#include \"show/report_template.hpp\"

static const unsigned char page[] = {
${bytes}};

std::string_view toft::lab::${FUNCTION}() {
    return {reinterpret_cast<const char *>(page), sizeof page};
}
")
