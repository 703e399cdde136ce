// SPDX-License-Identifier: MIT
// The lock of src/process/owned_lock.h under a model checker: its owner and a thief, in random
// schedules, with every value that the memory orders allow each load to return.
//
// The system's barrier in all threads interrupts the owner between two of its instructions. So the
// owner asks before each step whether a barrier is wanted, executes it, and says so: the barrier's
// own two messages order what came before them, as the system's interrupt does.
#include <sstream>

#include "model/main.hpp"

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
    bool stole;           // the thief's own
    rl::var<int> guarded; // plain memory: two who are inside at once are a race

    void before() {
        inside.store(0, rl::mo_relaxed, $);
        wanted.store(0, rl::mo_relaxed, $);
        interrupt.store(0, rl::mo_relaxed, $);
        interrupted.store(0, rl::mo_relaxed, $);
        was_interrupted = false;
        stole = false;
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
                rl::yield(1, $); // until the thief is done
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
        bool waits = rl::rand(2) != 0; // the other kind of thief gives up
        while (!(stole = inside.load(rl::mo_acquire, $) == 0) && waits) rl::yield(1, $);
        if (stole) guarded($) = static_cast<int>(guarded($)) + 1;
        wanted.store(0, Rules::steal_end, $);
    }

    void thread(unsigned index) {
        if (index == 0)
            own();
        else
            steal();
    }
    void after() { RL_ASSERT(static_cast<int>(guarded($)) == (stole ? 4 : 3)); }
};

constexpr toft_test::way ways[] = {
    {"right", toft_test::passes<owner_and_thief<right>>},
    {"no_barrier", toft_test::passes<owner_and_thief<no_barrier>>},
    {"leave", toft_test::passes<owner_and_thief<weak_leave>>},
    {"steal_end", toft_test::passes<owner_and_thief<weak_steal_end>>},
};

} // namespace

int main(int argc, char **argv) { return toft_test::run_way(argc, argv, ways); }
