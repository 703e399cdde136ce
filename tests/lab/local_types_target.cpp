// SPDX-License-Identifier: MIT
// A program whose containers hold types that lie in functions, to be recorded: gcc gives their
// instances of the library's templates no linkage name. Each function's objects die in it.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace {

__attribute__((noinline)) int serve(int number) {
    struct row {
        int number;
        char text[40];
    };
    std::vector<row> rows;
    std::map<int, row> by_number;
    for (int i = 0; i != 40; ++i) {
        rows.push_back({number + i, "in a vector"});
        by_number.emplace(i, row{number + i, "in a map"});
    }
    const auto shared = std::make_shared<row>(row{number, "alone"});
    int sum = shared->number;
    for (const row &r : rows) sum += r.number + r.text[0];
    for (const auto &r : by_number) sum += r.second.number;
    return sum;
}

__attribute__((noinline)) int sort(int number) {
    struct row {
        int key, place;
    };
    std::vector<row> rows(100);
    for (int i = 0; i != 100; ++i) rows[static_cast<std::size_t>(i)] = {(number + i * 79) % 100, i};
    for (int i = 0; i != 4; ++i)
        std::stable_sort(rows.begin(), rows.end(), // with memory of its own
                         [i](const row &a, const row &b) { return (a.key ^ i) < (b.key ^ i); });
    return rows[7].place;
}

__attribute__((noinline)) int call(int number) {
    std::vector<std::function<int(int)>> calls;
    for (long i = 0; i != 10; ++i) {
        const long other = i * number, third = i + number;
        calls.emplace_back([i, other, third](int x) { // too large to lie in the function object
            return x + static_cast<int>(i + other + third);
        });
    }
    int sum = 0;
    for (const std::function<int(int)> &f : calls) sum += f(number);
    return sum;
}

} // namespace

int main() {
    int sum = 0;
    for (int i = 0; i != 500; ++i) sum += serve(i) + sort(i) + call(i);
    std::printf("%d\n", sum);
}
