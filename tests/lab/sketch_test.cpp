// SPDX-License-Identifier: MIT
// The sketches of toft advise: where an arena lives and ends, and how objects are made in it.
#include "advice/advice.hpp"
#include "planted_program.hpp"
#include "sketches.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <string>

using namespace toft::lab;

namespace {

using objects = std::vector<planted_program::object>;

// In this function from now on, a round of objects that die together.
void round_in(planted_program &p, int makes = 100, std::uint64_t bytes = 64) {
    objects parts;
    for (int i = 0; i != makes; ++i) parts.push_back(p.make(5, bytes));
    for (const planted_program::object part : parts) p.free(9, part);
}

std::string sketch_of(const planted_program &p) {
    const advice_report report = advise({p.recorded()}, p.symbols());
    REQUIRE(!report.lines.empty());
    REQUIRE(report.lines[0].what == remedy::arena);
    return report.lines[0].sketch;
}

bool has(const std::string &text, const std::string &words) {
    INFO(text);
    const bool found = squeezed(text).find(squeezed(words)) != text.npos ||
                       with_comments_beside(text).find(squeezed(words)) != text.npos;
    CHECK_MESSAGE(found, words);
    return found;
}

// Objects that are made by way of these functions, outermost first, in calls of `serve`.
planted_program made_by_way_of(const std::vector<std::string> &way, std::uint64_t growth = 0) {
    planted_program p;
    for (int request = 0; request != 50; ++request)
        p.call("serve", 3, [&] {
            objects parts;
            for (std::uint64_t i = 0; i != 100; ++i) {
                for (const std::string &function : way) p.enter(function, 4);
                parts.push_back(p.make(1, 32 + i * growth));
                for (std::size_t n = 0; n != way.size(); ++n) p.leave();
            }
            for (const planted_program::object part : parts) p.free(9, part);
        });
    return p;
}

// Calls of a function that make so many objects each, which die together.
template <class Make>
planted_program requests_of(const std::string &function, int many, Make make) {
    planted_program p;
    for (int request = 0; request != 500; ++request) {
        p.call(function, 3, [&] {
            objects parts;
            for (int i = 0; i != many; ++i) parts.push_back(make(p, static_cast<unsigned>(i)));
            for (const planted_program::object part : parts) p.free(9, part);
        });
        p.free(4, p.make(4, 5000));
    }
    return p;
}

} // namespace

TEST_CASE("sketch: in a loop, an arena is reset where each round ends") {
    planted_program p;
    for (int round = 0; round != 5000; ++round) round_in(p);
    const std::string sketch = sketch_of(p);
    has(sketch,
        "toft_arena_reset(&arena);           // each of the 5,000 times, after planted.c:9, "
        "when none is used any more\n");
    has(sketch, "toft_arena_release(&arena);         // before main returns");
}

TEST_CASE("sketch: an arena of one call is released before it returns") {
    planted_program p;
    for (int request = 0; request != 50; ++request) {
        p.call("serve", 3, [&] { round_in(p); });
        p.free(4, p.make(4, 10));
    }
    const advice a = advise({p.recorded()}, p.symbols()).lines.at(0);
    CHECK(a.lives == 50);
    CHECK(a.calls == 50);
    has(a.sketch, "toft_arena_release(&arena);         // before serve returns, on each way out\n");
    CHECK(a.sketch.find("reset") == std::string::npos);
}

TEST_CASE("sketch: an arena of the whole program is not reset because it was recorded twice") {
    planted_program p;
    for (int i = 0; i != 5000; ++i) p.make(5, 64);
    const advice a = advise({p.recorded(), p.recorded()}, p.symbols()).lines.at(0);
    REQUIRE(a.what == remedy::arena);
    CHECK(a.lives == 2);
    CHECK(a.calls == 2);
    has(a.sketch, "toft_arena arena = TOFT_ARENA_INIT; // at file scope: it is never released\n");
    CHECK_MESSAGE(a.sketch.find("reset") == a.sketch.npos, a.sketch);
    CHECK_MESSAGE(a.sketch.find("_release(") == a.sketch.npos, a.sketch);
}

TEST_CASE("sketch: threads that keep objects for their whole life have an arena each") {
    planted_program p;
    for (std::uint32_t thread = 0; thread != 3; ++thread) {
        p.on_thread(thread);
        for (int i = 0; i != 5000; ++i) p.make(5, 64);
    }
    const advice a = advise({p.recorded()}, p.symbols()).lines.at(0);
    REQUIRE(a.what == remedy::arena);
    has(a.sketch,
        "_Thread_local toft_arena arena = TOFT_ARENA_INIT; // at file scope, one for each "
        "thread: it is never released\n");
    CHECK_MESSAGE(a.sketch.find("_release(") == a.sketch.npos, a.sketch); // others may use them
    CHECK_MESSAGE(a.sketch.find("reset") == a.sketch.npos, a.sketch);
}

TEST_CASE("sketch: in C++ no static arena goes before what uses its objects last") {
    planted_program p;
    for (int i = 0; i != 5000; ++i) p.call("app::node", 3, [&] { p.make(5, 64); });
    has(sketch_of(p),
        "toft::arena &arena = *new toft::arena; // at file scope: it is never released\n");
}

TEST_CASE("sketch: in C++ the end of the arena's block releases it") {
    planted_program p;
    for (int request = 0; request != 50; ++request) {
        p.call("app::serve", 3, [&] { round_in(p); });
        p.free(4, p.make(4, 10));
    }
    const std::string sketch = sketch_of(p);
    has(sketch, "in app::serve, before what uses it; its end frees what it holds\n");
    CHECK(sketch.find("reset") == std::string::npos);
    planted_program loop;
    loop.call("app::run", 3, [&] {
        for (int round = 0; round != 50; ++round) round_in(loop);
    });
    has(sketch_of(loop), "arena.reset();                  // after planted.c:9, if that "
                         "line is in a loop, not the function's last, and none is used any more\n");
}

TEST_CASE("sketch: objects in C are made as their sizes and their wrappers ask for") {
    const std::string one_size = sketch_of(made_by_way_of({}));
    has(one_size,
        "T *object = toft_new(&arena, T);               // where malloc(sizeof(T)) was; no free\n"
        "void *bytes = toft_arena_alloc(&arena, n, 16); // where malloc(n) was, with any other "
        "n; no free\n");
    has(sketch_of(made_by_way_of({}, 3)),
        "toft_arena_alloc(&arena, n, 16); // where malloc(n) was");
    has(sketch_of(made_by_way_of({"strdup"}, 3)), "toft_arena_strdup(&arena, s); // where strdup");
    has(sketch_of(made_by_way_of({"xstrndup", "xmalloc"}, 3)), "toft_arena_strndup(&arena, s, n);");
}

TEST_CASE("sketch: an arena is handed to other functions that make its objects") {
    has(sketch_of(made_by_way_of({"new_node", "xmalloc"})),
        "// in serve, which hands &arena to what allocates in it\n");
    planted_program own;
    for (int request = 0; request != 50; ++request) {
        own.call("serve", 3, [&] { round_in(own); });
        own.free(4, own.make(4, 10));
    }
    has(sketch_of(own), "TOFT_ARENA_INIT; // in serve\n");
    const char *handed_on = "// in app::serve, before what uses it, which takes it as "
                            "toft::arena &; its end frees what it holds\n";
    const auto new_node = [](planted_program &p, std::uint64_t) {
        p.enter("app::new_node", 4);
        p.enter("operator new", 4);
        const planted_program::object made = p.make(5, 64);
        p.leave(), p.leave();
        return made;
    };
    has(sketch_of(requests_of("app::serve", 40, new_node)), handed_on);
    const planted_program few = requests_of("app::serve", 2, new_node);
    const advice a = advise({few.recorded()}, few.symbols()).lines.at(0);
    REQUIRE(a.what == remedy::inline_buffer);
    has(a.sketch,
        "toft::inline_arena<128> arena;  // in app::serve, before what uses it, which takes "
        "it as toft::arena &, on the stack; its end frees what it holds\n");
}

TEST_CASE("sketch: objects of a container are made by that container") {
    const auto of = [](const char *function) {
        return sketch_of(made_by_way_of({function, "operator new"}, 3));
    };
    const char *text = "std::__cxx11::basic_string<char, std::char_traits<char> >::append";
    has(of(text), "toft::string string(arena); // where std::string was\n");
    has(of("std::vector<int, std::allocator<int> >::push_back"), "toft::vector<T> vector(arena);");
    const char *map = "std::map<std::__cxx11::basic_string<char>, int>::operator[]";
    has(of(map), "toft::map<K, T> map(arena); // where std::map was\n");
    has(of("std::make_shared<node, int>"),
        "auto object = std::allocate_shared<T>(toft::allocator<T>(arena)); // where "
        "std::make_shared was\n");
    has(sketch_of(made_by_way_of({"load", "std::make_shared<node, int>", "operator new"})),
        "toft::current_allocator<T> finds it\n");
    // Only the inner parts of a string are known, which is all in the standard library.
    has(of("std::__cxx11::basic_string<char, std::char_traits<char> >::_M_append"),
        "toft::string string(arena); // where std::string was\n");
    const std::string by_new = sketch_of(made_by_way_of({"operator new"}));
    has(by_new, "auto *object = arena.make<T>(); // where `new T` was; no delete\n");
    // A tail call may have left operator new[] out.
    for (const char *array : {"operator new[]", "operator new"})
        has(sketch_of(made_by_way_of({array}, 3)),
            "std::span<T> array = arena.make_span<T>(n); // where `new T[n]` was; no delete[]\n");
    has(sketch_of(made_by_way_of({"app::fill"}, 3)), "arena.allocate(n, 16); // where malloc(n)");
}

TEST_CASE("sketch: std::make_unique becomes Toft's, since its pointer frees the object") {
    const auto of = [](const char *function) {
        return sketch_of(made_by_way_of({function, "operator new"}));
    };
    has(of("std::make_unique<node, int>"),
        "auto object = toft::make_unique<T>(arena); // where std::make_unique was\n");
    has(of("std::make_unique<int[]>"), "auto array = toft::make_unique<T[]>(arena, n);");
}

TEST_CASE("sketch: where one life holds nearly all objects, a reset is worth nothing") {
    planted_program p;
    const auto live = [&](int many) {
        objects parts;
        for (int i = 0; i != many; ++i) parts.push_back(p.make(5, 64));
        for (const planted_program::object part : parts) p.free(9, part);
    };
    p.call("serve", 3, [&] {
        live(1);
        live(30'000);
        live(2);
    });
    const advice_report report = advise({p.recorded()}, p.symbols());
    REQUIRE(!report.lines.empty());
    CHECK(report.lines[0].lives == 3);
    CHECK_FALSE(report.lines[0].sketch.empty());
    CHECK_MESSAGE(report.lines[0].sketch.find("reset") == std::string::npos,
                  report.lines[0].sketch);
}

TEST_CASE("sketch: a buffer on the stack has room for one call, however many go on at once") {
    planted_program p;
    const auto walk = [&](const auto &deeper, int depth) -> void {
        p.call("walk", 3, [&] {
            const planted_program::object part = p.make(4, 200);
            if (depth != 0) deeper(deeper, depth - 1);
            p.free(9, part);
        });
    };
    for (int i = 0; i != 50; ++i) {
        walk(walk, 30);
        p.free(4, p.make(4, 5000));
    }
    const advice_report report = advise({p.recorded()}, p.symbols());
    const auto in_walk = std::ranges::find(report.lines, remedy::inline_buffer, &advice::what);
    REQUIRE(in_walk != report.lines.end());
    CHECK(in_walk->region_peak_bytes == 31 * 200);
    CHECK(in_walk->most_bytes_in_a_life == 200);
    has(in_walk->sketch, "_Alignas(16) char buffer[256];");
}

TEST_CASE("sketch: what calloc makes stays zero") {
    const auto requests = [](const std::string &function, int many, std::uint64_t growth) {
        return requests_of(function, many, [=](planted_program &p, std::uint64_t i) {
            return p.make_zeroed(5, 64 + growth * i);
        });
    };
    has(sketch_of(requests("serve", 40, 0)),
        "void *bytes = toft_arena_calloc(&arena, n, size, 16); // where calloc(n, size) was; no "
        "free\n");
    has(sketch_of(requests("serve", 40, 8)),
        "void *bytes = toft_arena_calloc(&arena, n, size, 16); // where calloc(n, size) was; no "
        "free\n");
    has(sketch_of(requests("app::serve", 40, 0)),
        "std::span<T> array = arena.make_span<T>(n); // where calloc(n, size) was; no free\n");
    has(sketch_of(requests("app::serve", 40, 8)),
        "std::span<T> array = arena.make_span<T>(n); // where calloc(n, size) was; no free\n");
    const planted_program few = requests("serve", 2, 0);
    const advice a = advise({few.recorded()}, few.symbols()).lines.at(0);
    REQUIRE(a.what == remedy::inline_buffer);
    has(a.sketch, "char buffer[128] = {0}; // in serve; calloc was, and is for what is larger\n");
}

TEST_CASE("sketch: what asked for an alignment beyond malloc's keeps it") {
    const auto requests = [](const std::string &function, int many, std::uint32_t alignment) {
        return requests_of(function, many, [=](planted_program &p, std::uint64_t) {
            return p.make_aligned(5, 64, alignment);
        });
    };
    has(sketch_of(requests("serve", 40, 64)),
        "void *bytes = toft_arena_alloc(&arena, n, 64); // where aligned_alloc was, or "
        "posix_memalign; no free\n");
    has(sketch_of(requests("app::serve", 40, 64)), "void *bytes = arena.allocate(n, 64);");
    has(sketch_of(requests("serve", 40, 16)), "T *object = toft_new(&arena, T);");
    planted_program by_new = requests_of("app::serve", 40, [](planted_program &p, std::uint64_t) {
        p.enter("operator new", 4);
        const planted_program::object made = p.make_aligned(5, 64, 64);
        p.leave();
        return made;
    });
    has(sketch_of(by_new), "auto *object = arena.make<T>();"); // its type says it
    const planted_program few = requests("serve", 2, 64), many_pages = requests("serve", 2, 4096);
    const advice a = advise({few.recorded()}, few.symbols()).lines.at(0);
    REQUIRE(a.what == remedy::inline_buffer);
    has(a.sketch, "_Alignas(64) char buffer[256];"); // one may begin anywhere behind the other
    CHECK(advise({many_pages.recorded()}, many_pages.symbols()).lines.at(0).what == remedy::arena);
}

TEST_CASE("sketch: realloc has a line where it resized a few of the objects") {
    const auto with_one_resized = [](const std::string &function, bool resized) {
        return sketch_of(requests_of(function, 40, [=](planted_program &p, unsigned i) {
            const planted_program::object made = p.make(5, 64);
            if (resized && i == 7) p.resize(6, made, 72);
            return made;
        }));
    };
    const std::string words =
        "bytes, old_n, n, 16); // where realloc was, which knew the old size; "
        "also of NULL, with old_n 0\n";
    has(with_one_resized("serve", true), "bytes = toft_arena_resize(&arena, " + words);
    has(with_one_resized("app::serve", true), "toft_arena_resize(arena.c_arena(), " + words);
    CHECK(with_one_resized("serve", false).find("realloc") == std::string::npos);
}

TEST_CASE("sketch: what comes from a pool is zero and aligned as it was") {
    const auto sketch_with = [](const auto &make) {
        planted_program p;
        objects handed_on;
        for (int i = 0; i != 1500; ++i) handed_on.push_back(make(p));
        p.on_thread(1);
        for (const planted_program::object object : handed_on) p.free(9, object);
        const advice a = advise({p.recorded()}, p.symbols()).lines.at(0);
        REQUIRE(a.what == remedy::pool);
        return a.sketch;
    };
    has(sketch_with([](planted_program &p) { return p.make_zeroed(5, 64); }),
        "toft_pool_calloc(toft_pool_shared(), 1, sizeof *object); // where calloc was\n");
    const std::string aligned =
        sketch_with([](planted_program &p) { return p.make_aligned(5, 64, 64); });
    has(aligned, "toft_pool_alloc_aligned(toft_pool_shared(), sizeof *object, 64); ");
    has(aligned, "toft_pool_free_aligned(toft_pool_shared(), object, sizeof *object, 64); ");
}

TEST_CASE("sketch: it is in the language of the function that has the region") {
    planted_program p;
    p.call("app::run", 3, [&] {
        for (int i = 0; i != 1000; ++i) p.call("parse", 4, [&] { round_in(p, 40, 48); });
    });
    const advice a = advise({p.recorded()}, p.symbols()).lines.at(0);
    CHECK(a.scope.function == "parse");
    CHECK_MESSAGE(a.sketch.starts_with("#include <toft/arena.h>"), a.sketch);
}

TEST_CASE("sketch: a container far from the arena finds it as the current strategy") {
    planted_program p = made_by_way_of({"load", "std::vector<int>::push_back", "operator new"}, 3);
    has(sketch_of(p), "toft::use use(arena);");
    has(sketch_of(p), "toft::vector<T, toft::current> finds it\n");
    planted_program loop;
    loop.call("app::run", 3, [&] {
        for (int round = 0; round != 50; ++round) {
            objects parts;
            for (std::uint64_t i = 0; i != 100; ++i)
                loop.call("app::load", 4, [&] {
                    loop.call("std::vector<int>::push_back", 4, [&] {
                        loop.call("operator new", 4,
                                  [&] { parts.push_back(loop.make(1, 32 + i * 3)); });
                    });
                });
            for (const planted_program::object part : parts) loop.free(9, part);
        }
    });
    has(sketch_of(loop), "where it can't be handed on, in a block that ends before the reset: ");
}

TEST_CASE("advice: nobody is told to change a line of the C library") {
    planted_program p;
    for (int round = 0; round != 50; ++round) round_in(p);
    p.call("puts", 3, [&] { p.call("_IO_file_doallocate", 7, [&] { p.make(2, 1024); }); });
    recording r = p.recorded();
    for (stack_node &n : r.stacks) {
        if (n.address == 0) continue;
        const std::string name = p.symbols().places(r.modules[0], n.address)[0].function;
        if (name == "puts" || name == "_IO_file_doallocate") n.module = 1;
    }
    r.modules.push_back({"/usr/lib/libc.so.6", "ef01"});
    const advice_report report = advise({r}, p.symbols());
    REQUIRE(report.lines.size() == 1);
    CHECK(report.lines[0].escaping == 0);
    CHECK(report.lines[0].escapes.empty());
}
