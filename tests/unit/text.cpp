// SPDX-License-Identifier: MIT
// src/base/text.h: lines that are put together and written without an allocation.
#include <doctest/doctest.h>

#include <cerrno>
#include <string>
#include <string_view>

extern "C" {
#include "base/text.h"
}

namespace {

std::string_view view(const toft_text &text) { return {text.bytes, text.length}; }

} // namespace

TEST_CASE("a text is what was added, and numbers as printf prints them") {
    toft_text text = {};
    toft_text_add(&text, "a ");
    toft_text_add_number(&text, 0);
    toft_text_add(&text, " ");
    toft_text_add_number(&text, 1234567890);
    toft_text_add(&text, " ");
    toft_text_add_address(&text, reinterpret_cast<void *>(0xab10));
    CHECK(view(text) == "a 0 1234567890 0xab10");
}

TEST_CASE("a text that is too long ends with its line's end all the same") {
    constexpr std::size_t room = TOFT_TEXT_BYTES;
    for (std::size_t length : {room - 1, room, 3 * room}) {
        toft_text text = {};
        toft_text_add(&text, std::string(length, 'x').c_str());
        toft_text_add(&text, "y\n");
        CHECK(view(text) == std::string(room - 1, 'x') + "\n");
    }
}

TEST_CASE("errno stays, though a text can't be written") {
    toft_text text = {};
    toft_text_add(&text, "a line\n");
    errno = 12345;
    toft_text_write(&text, -1);
    CHECK(errno == 12345);
}
