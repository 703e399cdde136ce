// SPDX-License-Identifier: MIT
// libtoft-malloc where threads and processes begin and end.
#include <doctest/doctest.h>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <mutex>
#include <pthread.h>
#include <string>
#include <thread>
#include <vector>

#include "support/child.hpp"
#include "support/resident.hpp"
#include "support/units.hpp"

using namespace toft_test;

namespace {

struct object {
    char *bytes = nullptr;
    std::size_t size = 0;
};

// Allocates, checks and frees objects of many sizes for a while.
void churn(unsigned seed, int steps) {
    std::vector<object> live(100);
    for (int i = 0; i < steps; i++) {
        seed = seed * 1664525 + 1013904223;
        object &chosen = live[seed >> 8 & 63];
        if (chosen.bytes != nullptr) {
            if (chosen.size != 0 && chosen.bytes[chosen.size - 1] != 'x') std::abort();
            std::free(chosen.bytes);
        }
        chosen.size = seed % 50 == 0 ? seed % 200000 : seed >> 4 & 1023;
        chosen.bytes = static_cast<char *>(std::malloc(chosen.size));
        if (chosen.size != 0) std::memset(chosen.bytes, 'x', chosen.size);
    }
    for (object &each : live) std::free(each.bytes);
}

} // namespace

TEST_CASE("forks while threads allocate: children allocate, start threads and fork again") {
    std::atomic<bool> done = false;
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 4; i++)
        threads.emplace_back([&, i] {
            while (!done) churn(i, 2000);
        });
    for (unsigned i = 0; i < 60; i++)
        CHECK(runs_in_child([i] {
            churn(i, 2000);
            std::thread([i] { churn(i, 2000); }).join();
            CHILD_REQUIRE(runs_in_child([i] { churn(i, 500); }));
        }));
    done = true;
    for (std::thread &thread : threads) thread.join();
}

// Whoever flushes all streams has their list, and waits for one whose reader waits for malloc.
TEST_CASE("forks while threads read lines and flush all streams") {
    CHECK(runs_in_child([] {
        std::atomic<bool> done = false;
        std::vector<std::thread> threads;
        std::FILE *stream = std::tmpfile();
        CHILD_REQUIRE(stream != nullptr);
        std::fputs((std::string(50000, 'x') + '\n').c_str(), stream);
        for (int i = 0; i < 4; i++)
            threads.emplace_back([&] {
                while (!done) {
                    char *line = nullptr;
                    std::size_t capacity = 0;
                    flockfile(stream);
                    std::rewind(stream);
                    if (getline(&line, &capacity, stream) != 50001) std::abort();
                    funlockfile(stream);
                    std::free(line);
                }
            });
        threads.emplace_back([&] {
            while (!done) std::fflush(nullptr);
        });
        for (int i = 0; i < 200; i++) CHILD_REQUIRE(runs_in_child([] { churn(1, 10); }));
        done = true;
        for (std::thread &thread : threads) thread.join();
        std::fclose(stream);
    }));
}

TEST_CASE("10,000 short threads leave nothing behind") {
    std::vector<std::thread> threads(10);
    std::size_t resident_before = 0;
    for (int round = 0; round < 1000; round++) {
        for (unsigned i = 0; i < threads.size(); i++)
            threads[i] = std::thread([i] { churn(i, 200); });
        for (std::thread &thread : threads) thread.join();
        if (round == 100) resident_before = resident_bytes();
    }
    CHECK(resident_bytes() <= resident_before + 8 * mebibyte);
}

namespace {

// Keys whose destructors allocate, and set each other again as long as the system calls them.
constexpr int key_count = 40; // glibc allocates for those from the 33rd on
pthread_key_t keys[key_count];

void again(void *value) {
    churn(3, 100);
    for (pthread_key_t key : keys) pthread_setspecific(key, value);
}

} // namespace

TEST_CASE("2,000 threads whose key destructors allocate again and again") {
    for (pthread_key_t &key : keys) REQUIRE(pthread_key_create(&key, again) == 0);
    std::size_t resident_before = 0;
    for (int i = 0; i < 2000; i++) {
        std::thread([] {
            churn(2, 100);
            for (pthread_key_t key : keys) pthread_setspecific(key, keys);
        }).join();
        if (i == 100) resident_before = resident_bytes();
    }
    CHECK(resident_bytes() <= resident_before + 4 * mebibyte);
    for (pthread_key_t key : keys) pthread_key_delete(key);
}

TEST_CASE("a thread-local object's destructor allocates") {
    struct owner {
        std::string text;
        ~owner() { churn(1, 300); }
    };
    std::size_t live_before = 0;
    for (int i = 0; i < 300; i++) {
        std::thread([] {
            thread_local owner mine;
            mine.text = std::string(1000, 'x');
        }).join();
        if (i == 10) live_before = mallinfo2().uordblks;
    }
    CHECK(mallinfo2().uordblks <= live_before + mebibyte);
}

TEST_CASE("four producers, and a thread that only frees") {
    std::mutex lock;
    std::condition_variable changed;
    std::vector<std::vector<void *>> batches; // at most 16
    int producing = 4;
    std::size_t resident_peak = 0, resident_before = resident_bytes();
    std::vector<std::thread> producers;
    for (int i = 0; i < 4; i++)
        producers.emplace_back([&] {
            for (int round = 0; round < 400; round++) {
                std::vector<void *> batch;
                for (int j = 0; j < 1000; j++) batch.push_back(std::malloc(100));
                std::unique_lock guard(lock);
                changed.wait(guard, [&] { return batches.size() < 16; });
                batches.push_back(std::move(batch));
                changed.notify_all();
            }
            std::lock_guard guard(lock);
            producing--;
            changed.notify_all();
        });
    for (;;) {
        std::vector<void *> batch;
        {
            std::unique_lock guard(lock);
            changed.wait(guard, [&] { return !batches.empty() || producing == 0; });
            if (batches.empty()) break;
            batch = std::move(batches.back());
            batches.pop_back();
            changed.notify_all();
        }
        for (void *each : batch) std::free(each);
        resident_peak = std::max(resident_peak, resident_bytes());
    }
    for (std::thread &producer : producers) producer.join();
    // 20 batches of 110 KiB are live at once: all else is what waits to be used again.
    CHECK(resident_peak <= resident_before + 48 * mebibyte);
}
