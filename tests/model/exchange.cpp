// SPDX-License-Identifier: MIT
// How threads hand objects of one class on, on more processors than the machine has.
//
// Half of the processors allocate, each of the others frees what one of them has allocated. The
// pool's own code runs, over its own caches, shards and spans, one processor after the other in the
// order of a clock that is only counted:
//
//   - an object costs whoever allocates, writes or frees it object_ns;
//   - a lock costs own_lock_ns where the processor had it last. Elsewhere its line, that of the
//     lists which it guards and that of the magazine on top are fetched, one after the other, and
//     each takes line_ns;
//   - who finds a lock taken waits its turn, and nobody sleeps: a system that lets threads sleep is
//     slower than that, so that the single lock looks better here than it is;
//   - a look at whether a shard has full magazines costs line_ns, unless it is one of the two that
//     the cache knows;
//   - slots that are put into spans or taken out of them cost slot_ns each, under the depot's lock.
//
// Memory's bandwidth isn't limited, each line is as far away as any other, and threads don't move.
#include <algorithm>
#include <barrier>
#include <cstdio>
#include <deque>
#include <map>
#include <thread>
#include <vector>

#include <toft/pool.h>

#include "model/pool_inside.h"
#include "os/fake/fake.h"

namespace {

constexpr double object_ns = 8, line_ns = 80, own_lock_ns = 12, slot_ns = 1.5;
constexpr double lines_of_a_lock = 3, slots_of_a_refill = 48;
constexpr std::size_t object_bytes = 64, objects_of_a_producer = 120'000;
constexpr std::size_t channel_objects = 1024, batch = 64;

// What only one processor can have at a time.
struct token {
    double free_at = 0;
    const void *owner = nullptr;

    void take(const void *processor, double &now, double own_ns, double moved_ns) {
        now = std::max(now, free_at) + (owner == processor ? own_ns : moved_ns);
        owner = processor;
    }
    void release(double now) { free_at = now; }
};

// From one producer to one consumer.
struct channel {
    std::deque<void *> objects;
    std::size_t sent = 0, published = 0, received = 0;
};

struct processor {
    toft_pool_cache *cache = nullptr;
    channel *to = nullptr, *from = nullptr;
    processor *partner = nullptr;
    double now = 0;
    std::uint32_t random_then = 0; // see toft_model_looks
    bool waits = false;            // for its partner
};

class machine {
  public:
    machine(unsigned processors, bool sharded, bool in_pairs);
    ~machine();
    machine(const machine &) = delete;
    machine &operator=(const machine &) = delete;

    double objects_per_ns();
    void locked(toft_os_mutex *lock);
    void unlocked(toft_os_mutex *lock);

  private:
    void open_caches();
    // Each goes on until it has taken a lock, which may lead far ahead, or until its batch is done.
    void produce(processor &);
    void consume(processor &);
    void step(processor &);
    void wake(processor &sleeper, double now);

    toft_pool *pool_;
    std::vector<processor> processors_;
    std::vector<channel> channels_;
    std::map<const void *, token> locks_;
    std::size_t received_ = 0; // by all
    processor *running_ = nullptr;
    bool took_a_lock_ = false;
    std::vector<processor *> ready_; // a heap, the earliest on top
    std::vector<std::thread> owners_;
    std::barrier<> opened_, closed_;
};

machine *simulated = nullptr;

bool is_later(const processor *a, const processor *b) { return a->now > b->now; }

machine::machine(unsigned count, bool sharded, bool in_pairs)
    : pool_(nullptr),
      processors_(count),
      channels_(count / 2),
      opened_(count + 1),
      closed_(count + 1) {
    toft_fake_set_processors(sharded ? count : 1);
    pool_ = toft_pool_create(nullptr);
    open_caches();
    for (unsigned i = 0; i < count / 2; i++) {
        processor &producer = processors_[in_pairs ? 2 * i : i];
        processor &consumer = processors_[in_pairs ? 2 * i + 1 : count / 2 + i];
        producer.to = consumer.from = &channels_[i];
        producer.partner = &consumer;
        consumer.partner = &producer;
    }
    simulated = this;
}

machine::~machine() {
    simulated = nullptr;
    closed_.arrive_and_wait();
    for (std::thread &owner : owners_) owner.join();
    toft_pool_destroy(pool_);
}

// Each cache belongs to a thread, which does nothing with it. They are opened by turns.
void machine::open_caches() {
    for (processor &p : processors_) {
        std::barrier<> one(2);
        owners_.emplace_back([this, &p, &one] {
            p.cache = toft_pool_thread_cache(pool_);
            one.arrive_and_wait();
            opened_.arrive_and_wait();
            closed_.arrive_and_wait();
        });
        one.arrive_and_wait();
    }
    opened_.arrive_and_wait();
}

void machine::locked(toft_os_mutex *lock) {
    if (running_ == nullptr) return;
    took_a_lock_ = true;
    locks_[lock].take(running_, running_->now, own_lock_ns, lines_of_a_lock * line_ns);
    if (toft_model_is_depot_lock(pool_, lock)) running_->now += slots_of_a_refill * slot_ns;
}

void machine::unlocked(toft_os_mutex *lock) {
    if (running_ != nullptr) locks_[lock].release(running_->now);
}

void machine::wake(processor &sleeper, double now) {
    if (!sleeper.waits) return;
    sleeper.waits = false;
    sleeper.now = std::max(sleeper.now, now);
    ready_.push_back(&sleeper);
    std::push_heap(ready_.begin(), ready_.end(), is_later);
}

void machine::produce(processor &p) {
    channel &to = *p.to;
    p.waits = to.sent - to.received >= channel_objects;
    if (p.waits) return;
    do {
        to.objects.push_back(toft_pool_cache_alloc(p.cache, object_bytes));
        p.now += object_ns;
    } while (++to.sent % batch != 0 && !took_a_lock_);
    if (to.sent % batch != 0) return;
    to.published = to.sent;
    wake(*p.partner, p.now);
}

void machine::consume(processor &p) {
    channel &from = *p.from;
    p.waits = from.published == from.received;
    if (p.waits) return;
    do {
        toft_pool_cache_free(p.cache, from.objects.front(), object_bytes);
        from.objects.pop_front();
        p.now += object_ns;
        received_++;
    } while (++from.received % batch != 0 && !took_a_lock_);
    if (from.received % batch == 0) wake(*p.partner, p.now);
}

void machine::step(processor &p) {
    running_ = &p;
    took_a_lock_ = false;
    p.to != nullptr ? produce(p) : consume(p);
    p.now += toft_model_looks(p.cache, &p.random_then) * line_ns;
    running_ = nullptr;
}

// In the second half of the run, when lists and caches are as full as they will be.
double machine::objects_per_ns() {
    const std::size_t wanted = objects_of_a_producer * channels_.size();
    for (processor &p : processors_) ready_.push_back(&p);
    double half_at = 0, now = 0;
    while (received_ < wanted) {
        std::pop_heap(ready_.begin(), ready_.end(), is_later);
        processor &p = *ready_.back();
        ready_.pop_back();
        now = p.now;
        step(p);
        if (p.waits) continue;
        if (half_at == 0 && received_ >= wanted / 2) half_at = now;
        ready_.push_back(&p);
        std::push_heap(ready_.begin(), ready_.end(), is_later);
    }
    for (channel &c : channels_)
        for (void *object : c.objects) toft_pool_free(pool_, object, object_bytes);
    return static_cast<double>(wanted) / 2 / (now - half_at);
}

double rate_of(unsigned processors, bool sharded, bool in_pairs) {
    return machine(processors, sharded, in_pairs).objects_per_ns();
}

// How much of what so many pairs would do, were each alone. Threads are made in pairs, as programs
// often do, or all that allocate before all that free.
struct efficiency {
    double with_one_list, of_pairs, of_halves;
};

efficiency efficiency_on(unsigned processors, double pair) {
    const double apart = pair * processors / 2;
    return {rate_of(processors, false, true) / apart, rate_of(processors, true, true) / apart,
            rate_of(processors, true, false) / apart};
}

// Without shards 64 processors do what three do: if that were not so here, the model would not see
// what shards are for.
bool is_as_expected(unsigned processors, const efficiency &e) {
    constexpr double least = .8, most_with_one_list = .1;
    if (processors >= 64 && e.with_one_list > most_with_one_list) return false;
    return e.of_pairs >= least && e.of_halves >= least;
}

} // namespace

extern "C" void toft_fake_locked(toft_os_mutex *lock) {
    if (simulated != nullptr) simulated->locked(lock);
}
extern "C" void toft_fake_unlocked(toft_os_mutex *lock) {
    if (simulated != nullptr) simulated->unlocked(lock);
}

int main() {
    toft_fake_watch_locks(toft_fake_locked, toft_fake_unlocked);
    const double pair = rate_of(2, true, true);
    std::printf("one pair: %.1f ns an object; efficiency beside so many of them apart:\n\n",
                1 / pair);
    std::printf("processors  one list  shards, made in pairs  shards, made in halves\n");
    bool good = true;
    for (unsigned processors = 2; processors <= 128; processors *= 2) {
        const efficiency e = efficiency_on(processors, pair);
        std::printf("%10u  %8.2f  %21.2f  %22.2f\n", processors, e.with_one_list, e.of_pairs,
                    e.of_halves);
        good &= is_as_expected(processors, e);
    }
    return good ? 0 : 1;
}
