// SPDX-License-Identifier: MIT
#pragma once

#include "gate.hpp"
#include "memories.hpp"
#include "programs.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

// The programs, each a template that works with any memory. A container is built, churned,
// traversed and torn down with its memory, and each phase is timed separately.
namespace toft::lab {

// The size of the buffer on every thread's stack, which is there even for memories that don't use
// it. It is enough for a container of 50,000 to 100,000 small elements.
inline constexpr std::size_t stack_bytes = 5U << 20U;
static_assert(stack_bytes < gate::stack_bytes - (1U << 20U));
inline constexpr std::size_t small_stack_bytes = 1024; // a short-lived vector's

// The number of ints in a vector: 16, or the number at the end of the case's name.
inline int elements_of_small_vector(const session &run) {
    return run.case_name() == "small-vector-64" ? 64 : 16;
}

template <class T>
void escape(const T &value) {
    asm volatile("" : : "r"(&value) : "memory");
}

inline unsigned rounds_of(const session &run) { return run.counted() ? 1 : container_rounds; }

// Each number below n once, in a random order, so that the order favours no container.
inline std::vector<int> shuffled(std::uint64_t n) {
    std::vector<int> numbers(n);
    std::iota(numbers.begin(), numbers.end(), 0);
    std::shuffle(numbers.begin(), numbers.end(), std::mt19937(1));
    return numbers;
}

// The parts in which the containers' programs differ. n is the number of elements. A churn replaces
// every element once; for strings, it makes each string once more.
template <class Memory>
struct list_shape {
    using type = std::list<int, typename Memory::template allocator<int>>;
    static constexpr std::uint64_t share = 1; // of the suite's size
    static constexpr bool nodes = true;       // one for each element
    static void build(type &c, const std::vector<int> &values) {
        for (const int v : values) c.push_back(v);
    }
    static void churn(type &c, const std::vector<int> &values) {
        for (const int v : values) {
            c.pop_front();
            c.push_back(v);
        }
    }
    static std::uint64_t traverse(const type &c) {
        std::uint64_t sum = 0;
        for (const int v : c) sum += static_cast<std::uint64_t>(v);
        return sum;
    }
};

// The vector grows by push_back, without a reserve. A churn empties it and lets it grow again.
template <class Memory>
struct vector_shape {
    using type = std::vector<int, typename Memory::template allocator<int>>;
    static constexpr std::uint64_t share = 1;
    static constexpr bool nodes = false;
    static void build(type &c, const std::vector<int> &values) {
        for (const int v : values) c.push_back(v);
    }
    static void churn(type &c, const std::vector<int> &values) {
        c = type(c.get_allocator());
        build(c, values);
    }
    static std::uint64_t traverse(const type &c) {
        return std::accumulate(c.begin(), c.end(), std::uint64_t{0});
    }
};

template <class Map>
struct map_shape {
    using type = Map;
    static constexpr std::uint64_t share = 2;
    static constexpr bool nodes = true;
    static void build(type &c, const std::vector<int> &values) {
        for (const int v : values) c.emplace(v, v);
    }
    static void churn(type &c, const std::vector<int> &values) {
        for (const int v : values) {
            c.erase(v);
            c.emplace(v, v);
        }
    }
    static std::uint64_t traverse(const type &c) {
        std::uint64_t sum = 0;
        for (const auto &[key, value] : c) sum += static_cast<std::uint64_t>(value);
        return sum;
    }
};
template <class Memory>
using allocator_of_entries = typename Memory::template allocator<std::pair<const int, int>>;
template <class Memory>
using tree_shape = map_shape<std::map<int, int, std::less<int>, allocator_of_entries<Memory>>>;
template <class Memory>
using hash_shape = map_shape<
    std::unordered_map<int, int, std::hash<int>, std::equal_to<int>, allocator_of_entries<Memory>>>;

// A list of texts, each appended to in eight steps to 80 characters.
template <class Memory>
struct string_shape {
    using string =
        std::basic_string<char, std::char_traits<char>, typename Memory::template allocator<char>>;
    using type = std::list<string, typename Memory::template allocator<string>>;
    static constexpr std::uint64_t share = 10;
    static constexpr bool nodes = true;
    static void add(type &c, int v) {
        string &text = c.emplace_back();
        for (int i = 0; i != 8; ++i) text.append("123456789").push_back(char('0' + v % 10));
    }
    static void build(type &c, const std::vector<int> &values) {
        for (const int v : values) add(c, v);
    }
    static void churn(type &c, const std::vector<int> &values) {
        for (const int v : values) {
            c.pop_front();
            add(c, v);
        }
    }
    static std::uint64_t traverse(const type &c) {
        std::uint64_t sum = 0;
        for (const string &text : c) sum += static_cast<std::uint64_t>(text.back() - '0');
        return sum;
    }
};

// If fewer calls of the heap are counted than this, the compiler has removed some.
template <class Memory>
void expect_allocations(session &run, std::uint64_t n) {
    if (std::is_same_v<Memory, heap_memory>) run.expect_heap_allocations(n);
}

template <class Memory, class Shape>
void container_program_of(session &run, unsigned threads) {
    const std::vector<int> values = shuffled(run.size() / Shape::share);
    const std::uint64_t n = values.size();
    const amount work = Shape::nodes ? allocations(n) : operations(n);
    expect_allocations<Memory>(run, Shape::nodes ? 2 * n * threads : 0);
    gate(run, threads).run([&](gate::crew &crew) {
        alignas(64) std::array<std::byte, stack_bytes> stack;
        std::optional<Memory> memory;
        std::optional<typename Shape::type> container;
        for (unsigned round = 1; round <= rounds_of(run); ++round) {
            std::uint64_t sum = 0;
            crew.phase("build", round, work, [&] {
                memory.emplace(stack, crew.counted());
                container.emplace(
                    memory->template get<typename Shape::type::allocator_type::value_type>());
                Shape::build(*container, values);
            });
            crew.phase("churn", round, work, [&] { Shape::churn(*container, values); });
            crew.phase("traverse", round, operations(n),
                       [&] { sum = Shape::traverse(*container); });
            crew.check(container->size() == n && sum == Shape::traverse(*container),
                       "elements are missing");
            crew.phase("teardown", round, operations(n), [&] {
                container.reset();
                memory.reset();
            });
        }
    });
}

// A list that is built, changed and torn down again and again in one process. What the heap gets
// back, it hands out in another order each time.
template <class Memory>
void rolling_list_program(session &run, unsigned threads) {
    constexpr std::uint64_t elements = 100'000;
    const std::uint64_t steps = std::max<std::uint64_t>(1, run.size() / 100);
    using list = typename list_shape<Memory>::type;
    expect_allocations<Memory>(run, (elements + steps) * threads);
    gate(run, threads).run([&](gate::crew &crew) {
        alignas(64) std::array<std::byte, stack_bytes> stack;
        std::optional<Memory> memory;
        std::optional<list> numbers;
        for (unsigned round = 1; round <= (run.counted() ? 1 : rolling_list_rounds); ++round) {
            crew.phase("build", round, allocations(elements), [&] {
                memory.emplace(stack, crew.counted());
                numbers.emplace(memory->template get<int>());
                for (std::uint64_t i = 0; i != elements; ++i) numbers->push_back(0);
            });
            crew.phase("steps", round, operations(steps), [&] {
                for (std::uint64_t step = 0; step != steps; ++step) {
                    for (int &number : *numbers) ++number;
                    numbers->erase(numbers->begin());
                    numbers->push_back(0);
                }
            });
            crew.check(numbers->size() == elements && numbers->back() == 0 &&
                           numbers->front() == static_cast<int>(steps),
                       "elements are missing");
            crew.phase("teardown", round, operations(elements), [&] {
                numbers.reset();
                memory.reset();
            });
        }
    });
}

// Small vectors that live for a short time, each in a memory of its own. fill(memory, elements)
// makes a vector and appends the numbers 0, 1, ... to it.
template <class Memory, class Fill>
void measure_small_vectors(session &run, unsigned threads, std::uint64_t heap_calls, Fill fill) {
    const int elements = elements_of_small_vector(run);
    const std::uint64_t n = std::max<std::uint64_t>(1, run.size() / 4);
    expect_allocations<Memory>(run, heap_calls * n * threads);
    gate(run, threads).run([&](gate::crew &crew) {
        for (unsigned round = 1; round <= rounds_of(run); ++round) {
            crew.phase("pushes", round, allocations(n), [&] {
                for (std::uint64_t i = 0; i != n; ++i) {
                    alignas(64) std::array<std::byte, small_stack_bytes> stack;
                    Memory memory(stack, crew.counted());
                    fill(memory, elements);
                }
            });
        }
    });
}

template <class Memory, bool Reserve>
void small_vector_program(session &run, unsigned threads) {
    const unsigned doublings = std::bit_width(static_cast<unsigned>(elements_of_small_vector(run)));
    measure_small_vectors<Memory>(
        run, threads, Reserve ? 1 : doublings, [](Memory &memory, int elements) {
            std::vector<int, typename Memory::template allocator<int>> numbers(
                memory.template get<int>());
            if (Reserve) numbers.reserve(static_cast<std::size_t>(elements));
            for (int number = 0; number != elements; ++number) numbers.push_back(number);
            escape(*numbers.data());
        });
}

template <class Memory>
constexpr container_programs programs_of() {
    container_programs programs;
    programs.list = container_program_of<Memory, list_shape<Memory>>;
    programs.vector = container_program_of<Memory, vector_shape<Memory>>;
    programs.map = container_program_of<Memory, tree_shape<Memory>>;
    programs.hash = container_program_of<Memory, hash_shape<Memory>>;
    programs.string = container_program_of<Memory, string_shape<Memory>>;
    programs.rolling_list = rolling_list_program<Memory>;
    programs.small_vector = small_vector_program<Memory, false>;
    return programs;
}

// Allocates 64 bytes and frees them, again and again. This is the least that a container's node can
// cost.
template <class Take, class Give>
void measure_pairs(session &run, Take take, Give give) {
    const std::uint64_t n = run.size() * 100;
    for (unsigned round = 1; round <= rounds_of(run); ++round)
        run.timed("pairs", round, allocations(n), [&] {
            for (std::uint64_t i = 0; i != n; ++i) {
                void *object = take();
                asm volatile("" : "+r"(object) : : "memory");
                give(object);
            }
        });
}
inline constexpr std::size_t pair_bytes = 64;

// Allocates objects through a memory_resource whose type the compiler doesn't know, and then
// releases them all. There are 1000 of them, which stay in the cache, or ten times the suite's
// size.
template <class Release>
void measure_resource(session &run, std::pmr::memory_resource &resource, Release release) {
    const bool hot = run.case_name() == "resource-hot";
    const std::uint64_t objects = hot ? 1000 : run.size() * 10;
    const std::uint64_t times = hot ? std::max<std::uint64_t>(1, run.size() / 20) : 1;
    std::pmr::memory_resource *hidden = &resource;
    asm volatile("" : "+r"(hidden) : : "memory");
    for (unsigned round = 1; round <= rounds_of(run); ++round)
        run.timed("allocations", round, allocations(times * objects), [&] {
            for (std::uint64_t i = 0; i != times; ++i) {
                for (std::uint64_t k = 0; k != objects; ++k) {
                    void *object = hidden->allocate(8, 8);
                    *static_cast<std::uint64_t *>(object) = k;
                    asm volatile("" : : "r"(object) : "memory");
                }
                release();
            }
        });
}

} // namespace toft::lab
