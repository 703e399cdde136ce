// SPDX-License-Identifier: MIT
#pragma once

#include "advice.hpp"
#include "malloc_text.hpp"

#include <cstdint>
#include <string>
#include <vector>

// What `toft advise` says. The terminal prints it, and the page lays it out.
namespace toft::lab {

struct paragraph {
    std::string text;
    std::vector<std::string> items = {}; // listed below it
};

// One line of the program that makes objects.
struct maker_words {
    std::string place, objects, sizes, bytes;
    std::string way;    // "by way of xmlStrdup, malloc"; empty: directly
    std::string others; // "3,000 in advice 2 are made there too, on another way"; empty: none are
};

struct advice_words {
    unsigned number = 0;
    remedy what = remedy::leave;
    std::string function;  // the region's; empty: none
    bool is_small = false; // not worth a change even at its best
    std::string headline;
    std::string gain, origin; // empty: nothing is to be changed; a replay found it
    std::vector<paragraph> reasons;
    std::string made; // "They take 40 to 96 bytes, 12 KiB in all, and are made by"
    std::vector<maker_words> makers;
    std::uint64_t more_makers = 0;
    std::vector<paragraph> fate; // how they end, and which of them don't
    std::string sketch;
};

struct report_words {
    std::string program, about;
    malloc_words mallocs;
    std::vector<std::string> conclusions; // which have a heading each
    std::vector<advice_words> lines;      // in the report's order
    std::vector<std::string> closing;
};

report_words words_of(const advice_report &);

} // namespace toft::lab
