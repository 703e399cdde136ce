// SPDX-License-Identifier: MIT
#include "read_ahead.hpp"

#include <thread>
#include <utility>

namespace toft::lab {
namespace {

struct nobody_listens {};

} // namespace

void read_ahead::put(std::vector<heap_event> &batch) {
    std::unique_lock held(lock_);
    changed_.wait(held, [&] { return put_ - taken_ < batches_.size() || abandoned_; });
    if (abandoned_) throw nobody_listens{};
    std::vector<heap_event> &place = batches_[put_ % batches_.size()];
    place.swap(batch);
    ++put_;
    held.unlock();
    changed_.notify_one();
    batch.clear();
    batch.reserve(batch_size);
}

void read_ahead::end(std::exception_ptr failure) {
    const std::lock_guard held(lock_);
    ended_ = true;
    failure_ = std::move(failure);
    changed_.notify_one();
}

void read_ahead::abandon() {
    const std::lock_guard held(lock_);
    abandoned_ = true;
    changed_.notify_one();
}

void read_ahead::take_all(const std::function<void(std::span<const heap_event>)> &callback) {
    for (;;) {
        std::unique_lock held(lock_);
        changed_.wait(held, [&] { return put_ != taken_ || ended_; });
        if (put_ == taken_) return;
        const std::vector<heap_event> &batch = batches_[taken_ % batches_.size()];
        held.unlock(); // the batch is ours until it is counted as taken
        callback(batch);
        held.lock();
        ++taken_;
        changed_.notify_one();
    }
}

void read_ahead::run(const std::function<void(const hand_over &)> &decode,
                     const std::function<void(std::span<const heap_event>)> &callback) {
    read_ahead pipe;
    std::thread decoder([&] {
        try {
            decode([&](std::vector<heap_event> &batch) { pipe.put(batch); });
            pipe.end(nullptr);
        } catch (const nobody_listens &) {
        } catch (...) {
            pipe.end(std::current_exception());
        }
    });
    try {
        pipe.take_all(callback);
    } catch (...) {
        pipe.abandon();
        decoder.join();
        throw;
    }
    decoder.join();
    if (pipe.failure_) std::rethrow_exception(pipe.failure_);
}

} // namespace toft::lab
