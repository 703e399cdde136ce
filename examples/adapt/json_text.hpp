// SPDX-License-Identifier: MIT
// A document that the programs for JSON in C++ read and write again.
#ifndef TOFT_EXAMPLES_ADAPT_JSON_TEXT_HPP
#define TOFT_EXAMPLES_ADAPT_JSON_TEXT_HPP

#include <string>

// An array of 2000 objects.
inline std::string make_json_text() {
    std::string text;
    for (int i = 0; i < 2000; i++) {
        text += i == 0 ? '[' : ',';
        text += "{\"number\":";
        text += std::to_string(i);
        text += ",\"text\":\"a text that is longer than what a string holds itself\"}";
    }
    return text + "]";
}

#endif
