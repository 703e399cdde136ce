// SPDX-License-Identifier: MIT
// A pipeline: readers make messages, a writer frees them. Every message is allocated on one thread
// and freed on another. The queue between them has a bound, so memory stays flat however many
// messages there are.
//
// README.md beside this file says how it is compiled.
#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

#include <toft/containers.hpp>
#include <toft/pool.hpp>

namespace {

struct message {
    unsigned reader;
    unsigned number;
    char text[48] = "";
};

using message_ptr = toft::unique_ptr<message, toft::shared_pool>; // one pointer wide

class queue {
  public:
    void put(message_ptr m) {
        {
            std::unique_lock lock(mutex_);
            taken_.wait(lock, [&] { return messages_.size() < most; });
            messages_.push_back(std::move(m));
            longest_ = std::max(longest_, messages_.size());
        }
        put_.notify_one();
    }
    message_ptr take() {
        message_ptr m;
        {
            std::unique_lock lock(mutex_);
            put_.wait(lock, [&] { return !messages_.empty(); });
            m = std::move(messages_.front());
            messages_.pop_front();
        }
        taken_.notify_one();
        return m;
    }
    std::size_t longest() {
        const std::lock_guard lock(mutex_);
        return longest_;
    }

  private:
    static constexpr std::size_t most = 64; // messages that wait; then readers wait too

    std::mutex mutex_;
    std::condition_variable put_, taken_;
    std::size_t longest_ = 0;
    toft::list<message_ptr, toft::shared_pool> messages_; // its nodes are the pool's too
};

} // namespace

int main() {
    constexpr unsigned readers = 3, messages = 10'000;
    queue waiting;
    std::vector<std::thread> threads;
    for (unsigned reader = 0; reader < readers; reader++)
        threads.emplace_back([&waiting, reader] {
            for (unsigned i = 0; i < messages; i++) {
                auto m = toft::pool::shared().make_unique<message>(reader, i);
                std::snprintf(m->text, sizeof m->text, "message %u", i);
                waiting.put(std::move(m));
            }
        });

    std::size_t letters = 0;
    for (unsigned i = 0; i < readers * messages; i++)
        letters += std::char_traits<char>::length(waiting.take()->text);
    for (std::thread &thread : threads) thread.join();

    const toft::pool_stats stats = toft::pool::shared().stats();
    std::printf("%zu letters; at most %zu messages waited; %zu bytes live\n", letters,
                waiting.longest(), stats.live_bytes);
    return stats.live_bytes == 0 ? 0 : 1;
}
