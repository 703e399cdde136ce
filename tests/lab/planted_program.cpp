// SPDX-License-Identifier: MIT
#include "planted_program.hpp"

#include <algorithm>

using namespace toft::lab;

namespace {
constexpr std::uint64_t function_bytes = 0x10000;
constexpr std::uint64_t ns_between_events = 300;
} // namespace

planted_program::planted_program() : stacks_(1) { on_thread(0); }

std::uint64_t planted_program::address_of(const std::string &function) {
    auto known = std::find(functions_.begin(), functions_.end(), function);
    if (known == functions_.end()) known = functions_.insert(known, function);
    return static_cast<std::uint64_t>(known - functions_.begin() + 1) * function_bytes;
}

void planted_program::on_thread(std::uint32_t thread) {
    thread_ = thread;
    if (calls_.size() <= thread) calls_.resize(thread + 1);
    if (calls_[thread].empty()) calls_[thread].push_back({address_of("main")});
}

void planted_program::enter(const std::string &function, unsigned line) {
    calls_[thread_].back().line = line;
    calls_[thread_].push_back({address_of(function)});
}

void planted_program::enter_first(const std::string &function) {
    calls_[thread_].push_back({address_of(function)});
}

void planted_program::leave() { calls_[thread_].pop_back(); }

std::uint32_t planted_program::stack() {
    std::uint32_t node = 0;
    for (const frame &f : calls_[thread_]) {
        const auto next = static_cast<std::uint32_t>(stacks_.size());
        const auto [known, added] = known_nodes_.try_emplace({node, f.function + f.line}, next);
        const bool is_libc = functions_[f.function / function_bytes - 1].starts_with("libc_");
        if (added) stacks_.push_back({node, is_libc ? 1U : 0U, f.function + f.line, f.function});
        node = known->second;
    }
    return node;
}

std::uint64_t planted_program::take(std::uint64_t bytes) {
    std::vector<std::uint64_t> &freed = free_[bytes];
    if (freed.empty()) {
        next_address_ += (bytes + 31) & ~std::uint64_t{15};
        return next_address_ - ((bytes + 31) & ~std::uint64_t{15});
    }
    const std::uint64_t address = freed.back();
    freed.pop_back();
    return address;
}

void planted_program::add(heap_event e) {
    e.time_ns = now_ns_;
    e.thread = thread_;
    e.stack = stack();
    now_ns_ += ns_between_events;
    events_.push_back(e);
}

planted_program::object planted_program::make(unsigned line, std::uint64_t bytes) {
    calls_[thread_].back().line = line;
    objects_.push_back({take(bytes), bytes});
    heap_event e;
    e.address = objects_.back().address;
    e.bytes = bytes;
    add(e);
    return objects_.size() - 1;
}

planted_program::object planted_program::make_zeroed(unsigned line, std::uint64_t bytes) {
    const object made = make(line, bytes);
    events_.back().zeroed = true;
    return made;
}

planted_program::object planted_program::make_aligned(unsigned line, std::uint64_t bytes,
                                                      std::uint32_t alignment) {
    const object made = make(line, bytes);
    events_.back().alignment = alignment;
    return made;
}

void planted_program::resize(unsigned line, object o, std::uint64_t bytes) {
    calls_[thread_].back().line = line;
    heap_event e;
    e.call = heap_call::resize;
    e.old_address = objects_[o].address;
    free_[objects_[o].bytes].push_back(objects_[o].address);
    objects_[o] = {take(bytes), bytes};
    e.address = objects_[o].address;
    e.bytes = bytes;
    add(e);
}

void planted_program::resize_in_place(unsigned line, object o, std::uint64_t bytes) {
    calls_[thread_].back().line = line;
    heap_event e;
    e.call = heap_call::resize;
    e.old_address = e.address = objects_[o].address;
    e.bytes = objects_[o].bytes = bytes;
    add(e);
}

void planted_program::free(unsigned line, object o) {
    calls_[thread_].back().line = line;
    free_[objects_[o].bytes].push_back(objects_[o].address);
    heap_event e;
    e.call = heap_call::free;
    e.address = objects_[o].address;
    add(e);
}

recording planted_program::recorded() const {
    recording r;
    r.command_line = {"planted"};
    r.process_id = 1;
    r.modules = {{"/planted", "abcd"}, {"/lib/libc.so.6", "c0de"}};
    r.stacks = stacks_;
    r.threads.resize(calls_.size());
    const auto events = std::make_shared<const std::vector<heap_event>>(events_);
    r.for_each = [events](const auto &take) {
        const std::span<const heap_event> all(*events);
        for (std::size_t i = 0; i < all.size(); i += 1000)
            take(all.subspan(i, std::min<std::size_t>(1000, all.size() - i)));
    };
    return r;
}

program_symbols planted_program::symbols() const {
    const auto places = [functions = functions_](const recorded_module &, std::uint64_t address) {
        const std::string &name = functions.at(address / function_bytes - 1);
        return std::vector<source_place>{
            {name, "planted.c", static_cast<unsigned>(address % function_bytes)}};
    };
    return {.places = places, .calls = {}, .left = {}, .code = {}};
}
