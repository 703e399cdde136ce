// SPDX-License-Identifier: MIT
// The suite `latency`: the time of every single call. Each thread has 10,000 places for objects of
// 8 to 512 bytes; again and again it frees what is in one of them and allocates another, and each
// of the two calls is timed by itself. What a mean hides shows here: locks, calls of the system,
// objects of other threads that come back in bulk.
#include "call_times.hpp"
#include "subject/meeting_point.hpp"
#include "subject/registry.hpp"

#include <algorithm>

#include <cstdlib>
#include <cstring>
#include <memory_resource>
#include <mutex>
#include <random>
#include <thread>
#include <toft/pool.hpp>
#include <toft/reap.hpp>
#include <vector>

namespace toft::lab {
namespace {

constexpr std::size_t places = 10'000;
constexpr unsigned round_after_filling = 2; // the first fills the places, and isn't timed

struct malloc_door {
    void *allocate(std::size_t size) { return std::malloc(size); }
    void free(void *object, std::size_t) { std::free(object); }
};

struct shared_pool_door {
    void *allocate(std::size_t size) { return toft_pool_alloc(toft_pool_shared(), size); }
    void free(void *object, std::size_t size) { toft_pool_free(toft_pool_shared(), object, size); }
};

struct pool_handle_door {
    toft_pool_cache *handle = toft_pool_thread_cache(toft_pool_shared());
    void *allocate(std::size_t size) { return toft_pool_cache_alloc(handle, size); }
    void free(void *object, std::size_t size) { toft_pool_cache_free(handle, object, size); }
};

// One for each thread: a reap is of one thread at a time.
struct reap_door {
    reap own;
    void *allocate(std::size_t size) { return own.allocate(size, 8); }
    void free(void *object, std::size_t size) { own.deallocate(object, size, 8); }
};

struct pmr_pool_door {
    std::pmr::unsynchronized_pool_resource own;
    void *allocate(std::size_t size) { return own.allocate(size, 8); }
    void free(void *object, std::size_t size) { own.deallocate(object, size, 8); }
};

struct place {
    void *object = nullptr;
    std::size_t size = 0;
};

std::size_t some_size(std::minstd_rand &random) { return 8 + random() % 505; }
constexpr double mean_size = (8 + 512) / 2.;

void take(place &p, void *object, std::size_t size) {
    if (!object) throw std::bad_alloc();
    std::memset(object, static_cast<int>(size & 0xFFU), size);
    p = {object, size};
}

bool is_whole(const place &p) {
    const auto *bytes = static_cast<const unsigned char *>(p.object);
    return bytes[0] == (p.size & 0xFFU) && bytes[p.size - 1] == (p.size & 0xFFU);
}

// One thread's calls; all its objects are written whole, outside the timed calls.
template <class Door>
class caller {
  public:
    explicit caller(unsigned seed) : random_(seed + 1), all_(places) {
        for (place &p : all_) {
            const std::size_t size = some_size(random_);
            take(p, door_.allocate(size), size);
        }
    }
    caller(const caller &) = delete;
    caller &operator=(const caller &) = delete;
    ~caller() {
        for (const place &p : all_) door_.free(p.object, p.size);
    }

    void call(std::uint64_t pairs) {
        for (std::uint64_t i = 0; i != pairs; ++i) {
            place &p = all_[random_() % places];
            sound_ &= is_whole(p);
            const std::uint64_t begin = read_ticks();
            door_.free(p.object, p.size);
            const std::uint64_t freed = read_ticks();
            const std::size_t size = some_size(random_);
            const std::uint64_t again = read_ticks();
            void *object = door_.allocate(size);
            const std::uint64_t end = read_ticks();
            times_.add(freed - begin);
            times_.add(end - again);
            take(p, object, size);
        }
    }

    const time_histogram &times() const { return times_; }
    bool is_sound() const { return sound_; }

  private:
    std::minstd_rand random_;
    Door door_;
    std::vector<place> all_;
    time_histogram times_;
    bool sound_ = true;
};

struct found_times {
    time_histogram times;
    std::uint64_t clock_ticks = 0;
    bool sound = true;
    std::mutex lock = {};
};

void report(session &run, const found_times &found, double nanoseconds_of_tick) {
    const auto nanoseconds = [&](std::uint64_t ticks) {
        const std::uint64_t own = ticks - std::min(ticks, found.clock_ticks);
        return static_cast<double>(own) * nanoseconds_of_tick;
    };
    for (const auto &[name, share] : {std::pair{"p50", .5}, std::pair{"p99", .99},
                                      std::pair{"p99.9", .999}, std::pair{"p99.99", .9999}})
        run.set_figure(name, nanoseconds(found.times.quantile(share)));
    run.set_figure("longest", nanoseconds(found.times.longest()));
    run.set_figure("clock", static_cast<double>(found.clock_ticks) * nanoseconds_of_tick);
}

template <class Door, unsigned Threads>
void measure_calls(session &run) {
    using clock = std::chrono::steady_clock;
    const std::uint64_t pairs = run.size() / Threads;
    found_times found;
    meeting_point ready(Threads + 1), start(Threads + 1), done(Threads + 1);
    std::vector<std::jthread> team;
    for (unsigned i = 0; i != Threads; ++i)
        team.emplace_back([&, i] {
            caller<Door> mine(i);
            const std::uint64_t clock_ticks = ticks_of_the_clock();
            ready.pass();
            start.pass();
            mine.call(pairs);
            done.pass();
            const std::scoped_lock hold(found.lock);
            found.times.add(mine.times());
            found.clock_ticks = std::max(found.clock_ticks, clock_ticks);
            found.sound &= mine.is_sound();
        });
    ready.pass();
    const clock::time_point begin = clock::now();
    const std::uint64_t begin_ticks = read_ticks();
    run.timed_on_threads("calls", round_after_filling, operations(2 * pairs * Threads), [&] {
        start.pass();
        done.pass();
    });
    const std::chrono::duration<double, std::nano> passed = clock::now() - begin;
    const auto ticks = static_cast<double>(read_ticks() - begin_ticks);
    team.clear(); // joins
    run.check(found.sound, "an object lost its bytes");
    run.check(found.times.count() == 2 * pairs * Threads, "calls are missing");
    report(run, found, passed.count() / ticks);
}

template <class Door>
void measure(session &run) {
    if (run.case_name() == "calls-10")
        measure_calls<Door, 10>(run);
    else
        measure_calls<Door, 1>(run);
}

suite_table make_table() {
    suite_table t = {.heading = "latency: {case}, wall-clock ns of a single call"};
    for (const char *name : {"p50", "p99", "p99.9", "p99.99", "longest", "clock"})
        t.columns.push_back({.header = name, .shows = quantity::figure, .name = name});
    const selection calls{{"calls"}, round_after_filling, round_after_filling};
    t.columns.push_back(decides({"ns", quantity::nanoseconds, calls, "CPU", true}, "CPU time"));
    t.columns.push_back({"MiB", quantity::peak_mebibytes, {}, "peak"});
    t.note =
        "p99.9: 999 of 1000 calls are no longer; medians of the processes. longest: of a "
        "process. clock: what reading the processor's counter twice costs, which is taken off; "
        "times are counted in steps of a 64th. CPU: of all calls, for each of them, the clock's "
        "readings and the writing of objects included. A thread that loses its CPU in a call has a "
        "long one, so with more threads than CPUs p99.99 and longest show the kernel's "
        "turns, too. Objects are written outside the timed calls: the faults of fresh memory "
        "aren't "
        "in them.";
    return t;
}

const added_suite added([] {
    return suite{
        .name = "latency",
        .summary = "the time of every single call, from the median to the longest",
        .size = {"pairs of a free and an allocation", 10'000, 1'000'000'000, 10'000'000, 500'000},
        .cases =
            {{.name = "calls", .title = "one thread", .family = "calls", .stored_bytes = mean_size},
             {.name = "calls-10",
              .title = "10 threads",
              .threads = 10,
              .family = "calls",
              .stored_bytes = mean_size}},
        .subjects =
            {{.name = "toft::pool, handle", .is_toft = true, .run = measure<pool_handle_door>},
             {.name = "toft::pool, shared", .is_toft = true, .run = measure<shared_pool_door>},
             {.name = "toft::reap, one a thread", .is_toft = true, .run = measure<reap_door>},
             {.name = "malloc", .by_allocator = true, .run = measure<malloc_door>},
             {.name = "pmr unsync. pool, one a thread", .run = measure<pmr_pool_door>}},
        .tables = {make_table()},
        .place = 3,
    };
});

} // namespace
} // namespace toft::lab
