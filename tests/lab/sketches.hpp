// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>

// Sketches, for tests of what they say and not of where it stands.

// Which column the comments begin at is another line's matter.
inline std::string squeezed(std::string text) {
    const auto both_blank = [](char a, char b) { return a == ' ' && b == ' '; };
    text.erase(std::unique(text.begin(), text.end(), both_blank), text.end());
    return text;
}

// Likewise whether a comment stands above its code, as a long one does.
inline std::string with_comments_beside(const std::string &sketch) {
    std::istringstream lines(sketch);
    std::string all, above;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("// "))
            above += (above.empty() ? " // " : " ") + line.substr(3);
        else
            all += line + std::exchange(above, "") + "\n";
    }
    return squeezed(all + above);
}
