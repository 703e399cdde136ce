// SPDX-License-Identifier: MIT
#pragma once

#include "advice/symbols.hpp"
#include "record/recording.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

// A program that is made up: what its functions call, make and free becomes a recording, as if
// `toft record` had seen it. Addresses are used again as a heap would. A function whose name begins
// with "libc_" is the C library's.
class planted_program {
  public:
    using object = std::size_t;

    planted_program();

    // The body runs in a call of the function, from this line of its caller.
    template <class Body>
    void call(const std::string &function, unsigned line, Body body) {
        enter(function, line);
        body();
        leave();
    }
    void enter(const std::string &function, unsigned line = 1);
    void enter_first(const std::string &function); // of a thread that has left all its calls
    void leave();

    object make(unsigned line, std::uint64_t bytes);
    object make_zeroed(unsigned line, std::uint64_t bytes); // by calloc
    object make_aligned(unsigned line, std::uint64_t bytes, std::uint32_t alignment);
    void resize(unsigned line, object, std::uint64_t bytes); // which moves it
    void resize_in_place(unsigned line, object, std::uint64_t bytes);
    void free(unsigned line, object);

    void on_thread(std::uint32_t thread); // each begins in main
    void work(std::uint64_t nanoseconds) { now_ns_ += nanoseconds; }

    toft::lab::recording recorded() const;
    const std::vector<toft::lab::heap_event> &events() const { return events_; }
    const std::vector<toft::lab::stack_node> &stacks() const { return stacks_; }

    toft::lab::program_symbols symbols() const; // by which all lines are of planted.c

  private:
    struct frame {
        std::uint64_t function; // its address
        unsigned line = 1;
    };
    struct heap_object {
        std::uint64_t address, bytes;
    };

    std::uint64_t address_of(const std::string &function);
    std::uint32_t stack();
    std::uint64_t take(std::uint64_t bytes);
    void add(toft::lab::heap_event);

    std::vector<std::string> functions_;
    std::vector<std::vector<frame>> calls_; // by thread
    std::uint32_t thread_ = 0;
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> known_nodes_;
    std::vector<toft::lab::stack_node> stacks_;
    std::vector<toft::lab::heap_event> events_;
    std::vector<heap_object> objects_;
    std::map<std::uint64_t, std::vector<std::uint64_t>> free_; // addresses by size
    std::uint64_t next_address_ = 0x10000;
    std::uint64_t now_ns_ = 0;
};

inline void free_all(planted_program &p, unsigned line, std::vector<planted_program::object> &all) {
    for (const planted_program::object o : all) p.free(line, o);
    all.clear();
}
