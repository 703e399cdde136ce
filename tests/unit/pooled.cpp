// SPDX-License-Identifier: MIT
// Classes whose own new and delete are the shared pool's.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <vector>

#include <toft/arena.hpp>
#include <toft/pooled.hpp>

#ifdef __cpp_impl_coroutine
    #include <coroutine>
#endif

namespace {

std::size_t live_bytes() { return toft::pool::shared().stats().live_bytes; }

struct node : toft::pooled<node> {
    std::unique_ptr<node> left, right;
};
static_assert(sizeof(node) == 2 * sizeof(void *), "the base takes no room");

// A coroutine would take it for its state, if its one argument is a pointer.
template <class T>
concept places =
    requires(void *memory) { new (memory) T; } || requires(void *memory) { new (memory) T[2]; };
static_assert(!places<node> && places<int>);

struct pair : toft::pooled<pair> { // whose first member has an empty base as well
    node first;
    std::uint32_t second = 0;
};
static_assert(sizeof(pair) == 3 * sizeof(void *));

struct shape : toft::pooled<shape> {
    virtual ~shape() = default;
};
struct picture final : shape {
    char pixels[5000] = {};
    ~picture() override { destroyed++; }
    static inline int destroyed = 0;
};

struct listener : toft::pooled<listener> {
    virtual ~listener() = default;
};
struct button final : shape, listener { // with two pooled bases
    using shape::operator new, shape::operator delete;
};

struct alignas(256) wide : toft::pooled<wide> {
    char bytes[300];
    ~wide() {} // so that an array says how long it is
};

struct refuses : toft::pooled<refuses> {
    char bytes[1000];
    refuses() { throw std::runtime_error("refused"); }
};
struct alignas(64) refuses_wide : toft::pooled<refuses_wide> {
    refuses_wide() { throw std::runtime_error("refused"); }
};

#ifdef __cpp_impl_coroutine
// What a coroutine that runs at once needs of its promise.
template <class Promise, class Task>
struct promise_that_begins {
    Task get_return_object() {
        return {std::coroutine_handle<Promise>::from_promise(static_cast<Promise &>(*this))};
    }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
};

struct task {
    struct promise_type : toft::pooled<promise_type>, promise_that_begins<promise_type, task> {};
    std::coroutine_handle<promise_type> coroutine;
};

struct shared_promise : toft::pooled<shared_promise> {}; // as tasks of several results have it
struct other_task {
    struct promise_type : shared_promise, promise_that_begins<promise_type, other_task> {};
    std::coroutine_handle<promise_type> coroutine;
};

// As docs/adopting.md has it. gcc 12 warns at -O0 of any operator delete here.
    #pragma GCC diagnostic push
    #pragma GCC diagnostic ignored "-Wmismatched-new-delete"
struct arena_task {
    struct promise_type : promise_that_begins<promise_type, arena_task> {
        static void *operator new(std::size_t bytes, toft::arena &arena, auto &&...) {
            return arena.allocate(bytes);
        }
        static void *operator new(std::size_t bytes, auto &&, toft::arena &arena, auto &&...) {
            return arena.allocate(bytes);
        }
        static void operator delete(void *, std::size_t) {}
    };
    std::coroutine_handle<promise_type> coroutine;
};

[[gnu::noinline]] arena_task count_in_arena(toft::arena &, int *numbers) {
    for (int i = 0; i < 4; i++) numbers[i] = i;
    co_return;
}
struct counter {
    int counted = 0;
    [[gnu::noinline]] arena_task add(toft::arena &, int n) {
        counted += n;
        co_return;
    }
};
const auto add_in_lambda = [](toft::arena &, counter &to, int n) -> arena_task {
    to.counted += n;
    co_return;
};
    #pragma GCC diagnostic pop

// Not inlined: a compiler that sees where the state ends may do without memory for it.
template <class Task, class Pointer>
[[gnu::noinline]] Task count_from_zero(Pointer memory) {
    int *numbers = static_cast<int *>(memory);
    for (int i = 0; i < 4; i++) numbers[i] = i;
    co_return;
}
#endif

int handler_calls = 0;

template <class Make>
void check_refused(Make make) {
    CHECK_THROWS_AS((void)make(), std::runtime_error);
}

} // namespace

TEST_CASE("pooled: new takes from the shared pool, and delete gives back what new took") {
    const std::size_t before = live_bytes();
    {
        auto root = std::make_unique<node>();
        CHECK(live_bytes() >= before + sizeof(node)); // more under a sanitizer
        root->left = std::make_unique<node>();
        root->right = std::make_unique<node>();
        CHECK(live_bytes() >= before + 3 * sizeof(node));
        CHECK(toft_pool_usable_bytes(root.get()) >= sizeof(node));
    }
    CHECK(live_bytes() == before);
}

TEST_CASE("pooled: what is derived goes with its own size") {
    const std::size_t before = live_bytes();
    std::unique_ptr<shape> made = std::make_unique<picture>();
    CHECK(live_bytes() >= before + sizeof(picture));
    made.reset();
    CHECK(picture::destroyed == 1);
    std::unique_ptr<listener> second = std::make_unique<button>();
    second.reset();
    CHECK(live_bytes() == before);
}

TEST_CASE("pooled: arrays, strong alignments, and memory of the caller's") {
    const std::size_t before = live_bytes();
    {
        std::unique_ptr<wide> one(new wide);
        std::unique_ptr<wide[]> many(new wide[7]);
        std::unique_ptr<node[]> nodes = std::make_unique<node[]>(1000);
        std::unique_ptr<node> quiet(new (std::nothrow) node);
        std::unique_ptr<wide> quiet_wide(new (std::nothrow) wide);
        std::unique_ptr<wide[]> quiet_many(new (std::nothrow) wide[3]);
        for (const wide *aligned : {one.get(), many.get(), quiet_wide.get(), quiet_many.get()})
            CHECK(reinterpret_cast<std::uintptr_t>(aligned) % 256 == 0);
        CHECK(live_bytes() >= before + 12 * sizeof(wide) + 1001 * sizeof(node));
    }
    CHECK(live_bytes() == before);
    alignas(node) std::byte memory[sizeof(node)];
    node *mine = ::new (memory) node;
    CHECK(static_cast<void *>(mine) == memory);
    mine->~node();
    CHECK(live_bytes() == before);
}

#ifdef __cpp_impl_coroutine
TEST_CASE_TEMPLATE("pooled: a coroutine's state lies in the pool, not where its argument points to",
                   Task, task, other_task) {
    const std::size_t before = live_bytes();
    int numbers[64] = {};
    Task started = count_from_zero<Task>(numbers);
    CHECK(started.coroutine.address() != numbers);
    started.coroutine.destroy();
    started = count_from_zero<Task>(static_cast<void *>(numbers));
    CHECK(started.coroutine.address() != numbers);
    CHECK(live_bytes() > before);
    started.coroutine.destroy();
    CHECK(live_bytes() == before);
    for (int i = 0; i < 64; i++) CHECK(numbers[i] == (i < 4 ? i : 0));
}

TEST_CASE("a coroutine's state lies in the arena that its first parameter is") {
    toft::arena arena;
    const std::size_t before = live_bytes();
    int numbers[4] = {};
    counter count;
    auto check = [&](arena_task started) {
        CHECK(arena.stats().used_bytes > 0);
        CHECK(live_bytes() == before);
        started.coroutine.destroy();
        arena.reset(); // its memory goes with it
    };
    check(count_in_arena(arena, numbers));
    CHECK(numbers[3] == 3);
    check(count.add(arena, 3));
    check(add_in_lambda(arena, count, 4));
    CHECK(count.counted == 7);
}
#endif

TEST_CASE("pooled: a constructor that throws leaves nothing behind") {
    const std::size_t before = live_bytes();
    for (int round = 0; round < 100; round++) {
        check_refused([] { return new refuses; });
        check_refused([] { return new (std::nothrow) refuses; });
        check_refused([] { return new refuses[3]; });
        check_refused([] { return new (std::nothrow) refuses[3]; });
        check_refused([] { return new refuses_wide; });
        check_refused([] { return new (std::nothrow) refuses_wide; });
        check_refused([] { return new refuses_wide[3]; });
        check_refused([] { return new (std::nothrow) refuses_wide[3]; });
    }
    CHECK(live_bytes() == before);
}

TEST_CASE("pooled: without memory the new-handler is called, then std::bad_alloc is thrown") {
    volatile std::size_t much = PTRDIFF_MAX;
    CHECK(node::operator new(much, std::nothrow) == nullptr);
    CHECK_THROWS_AS((void)node::operator new(much), std::bad_alloc);
    std::set_new_handler([] {
        if (++handler_calls == 3) std::set_new_handler(nullptr);
    });
    CHECK_THROWS_AS((void)node::operator new(much), std::bad_alloc);
    CHECK(handler_calls == 3);
}

TEST_CASE("pooled: made by one thread, deleted by another") {
    const std::size_t before = live_bytes();
    for (int round = 0; round < 10; round++) {
        std::vector<std::unique_ptr<node>> made(1000);
        for (auto &each : made) each = std::make_unique<node>();
        std::thread([handed = std::move(made)]() mutable { handed.clear(); }).join();
    }
    CHECK(live_bytes() == before);
}
