// SPDX-License-Identifier: MIT
// The lock of src/process/owned_lock.h under a model checker: its owner and a thief, in random
// schedules, with every value that the memory orders allow each load to return.
//   model_owned_lock right|no_barrier|leave|steal_end SCHEDULES
// Each but the first plants a fault, which must be found. Ends with 0 when all is as it must be.
//
// The system's barrier in all threads interrupts the owner between two of its instructions. So the
// owner asks before each step whether a barrier is wanted, executes it, and says so: the barrier's
// own two messages order what came before them, as the system's interrupt does.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include <relacy/relacy.hpp>

namespace {

struct right {
    static constexpr bool barrier = true;
    static constexpr rl::memory_order leave = rl::mo_release;
    static constexpr rl::memory_order steal_end = rl::mo_release;
};
struct no_barrier : right {
    static constexpr bool barrier = false;
};
struct weak_leave : right {
    static constexpr rl::memory_order leave = rl::mo_relaxed;
};
struct weak_steal_end : right {
    static constexpr rl::memory_order steal_end = rl::mo_relaxed;
};

template <class Rules>
struct owner_and_thief : rl::test_suite<owner_and_thief<Rules>, 2> {
    rl::atomic<int> inside, wanted, interrupt, interrupted;
    bool was_interrupted; // the owner's own
    rl::var<int> guarded; // plain memory: two who are inside at once are a race

    void before() {
        inside.store(0, rl::mo_relaxed, $);
        wanted.store(0, rl::mo_relaxed, $);
        interrupt.store(0, rl::mo_relaxed, $);
        interrupted.store(0, rl::mo_relaxed, $);
        was_interrupted = false;
        guarded($) = 0;
    }

    void step() {
        if (was_interrupted || interrupt.load(rl::mo_acquire, $) == 0) return;
        was_interrupted = true;
        rl::atomic_thread_fence(rl::mo_seq_cst, $);
        interrupted.store(1, rl::mo_release, $);
    }

    bool try_enter() {
        step();
        inside.store(1, rl::mo_relaxed, $);
        step();
        return wanted.load(rl::mo_acquire, $) == 0;
    }
    void leave() {
        step();
        inside.store(0, Rules::leave, $);
        step();
    }

    void own() {
        for (int i = 0; i < 3; i++) {
            while (!try_enter()) {
                leave();
                rl::yield(1, $); // the thief's lock is waited for here
            }
            step();
            guarded($) = static_cast<int>(guarded($)) + 1;
            leave();
        }
        interrupted.store(1, rl::mo_release, $); // a thread that isn't running needs no barrier
    }

    void barrier_in_all_threads() {
        rl::atomic_thread_fence(rl::mo_seq_cst, $);
        if (!Rules::barrier) return;
        interrupt.store(1, rl::mo_release, $);
        while (interrupted.load(rl::mo_acquire, $) == 0) rl::yield(1, $);
    }

    void steal() {
        wanted.store(1, rl::mo_relaxed, $);
        barrier_in_all_threads();
        while (inside.load(rl::mo_acquire, $) != 0) rl::yield(1, $);
        guarded($) = static_cast<int>(guarded($)) + 1;
        wanted.store(0, Rules::steal_end, $);
    }

    void thread(unsigned index) {
        if (index == 0)
            own();
        else
            steal();
    }
    void after() { RL_ASSERT(static_cast<int>(guarded($)) == 4); }
};

template <class Rules>
bool passes(unsigned long schedules) {
    rl::test_params params;
    params.iteration_count = static_cast<rl::iteration_t>(schedules);
    params.search_type = rl::random_scheduler_type;
    return rl::simulate<owner_and_thief<Rules>>(params);
}

bool as_it_must_be(const char *what, unsigned long schedules) {
    if (std::strcmp(what, "right") == 0) return passes<right>(schedules);
    if (std::strcmp(what, "no_barrier") == 0) return !passes<no_barrier>(schedules);
    if (std::strcmp(what, "leave") == 0) return !passes<weak_leave>(schedules);
    if (std::strcmp(what, "steal_end") == 0) return !passes<weak_steal_end>(schedules);
    std::fprintf(stderr, "unknown: %s\n", what);
    return false;
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    if (as_it_must_be(argv[1], std::strtoul(argv[2], nullptr, 10))) return 0;
    std::fprintf(stderr, "%s: %s\n", argv[1],
                 std::strcmp(argv[1], "right") == 0 ? "a schedule goes wrong"
                                                    : "the planted fault was not found");
    return 1;
}
