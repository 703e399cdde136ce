// SPDX-License-Identifier: MIT
#include "compile.hpp"

#include "arena_lives.hpp"
#include "command.hpp"
#include "record/address_map.hpp"
#include "record/take_all.hpp"
#include "slot_numbers.hpp"
#include "stream_order.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <vector>

namespace toft::lab {
namespace {

struct live_object {
    std::uint64_t bytes = 0;
    moment made = {}; // or resized: after the call that gave it its address
    std::uint32_t slot = 0;
    std::uint32_t arena = 0;
    std::uint32_t stack = 0;     // that made it
    std::uint32_t alignment = 0; // of a pool's, which takes it to free; 0: malloc's
    object_home home = object_home::heap;
};

class compiler {
  public:
    compiler(const recording &from, const placement &where, program_writer &to)
        : from_(from),
          homes_(from.stacks.size()),
          to_(to),
          order_(to),
          arenas_(to, order_) {
        for (const auto &[stack, home] : where.of_stack) homes_.at(stack) = home;
    }

    compiled_counts run() {
        from_.for_each([this](std::span<const heap_event> events) { take_all(*this, events); });
        free_leftovers();
        to_.finish({counts_.threads, order_.first_thread(), slots_.count(), arenas_.count(),
                    order_.calls()});
        counts_.leftovers = living_.size();
        counts_.waits = order_.waits();
        counts_.arena_resets = arenas_.resets();
        counts_.keepers = arenas_.most_frequent_keepers();
        return counts_;
    }

    void expect(const heap_event &e) const { living_.expect(looked_up_by(e)); } // soon

    void take(const heap_event &e) {
        if (e.thread >= from_.threads.size())
            throw std::runtime_error("the recording is damaged: a call is of no thread");
        counts_.threads = std::max(counts_.threads, e.thread + 1);
        if (e.call == heap_call::free) {
            free(e, e.address);
        } else if (e.call == heap_call::resize) {
            resize(e);
        } else {
            allocate(e);
        }
        counts_.peak_live_bytes = std::max(counts_.peak_live_bytes, live_bytes_);
    }

  private:
    void allocate(const heap_event &e) {
        free_lost(e);
        order_.begin_call(e.thread);
        const slot_numbers::taken number = slots_.take(e.thread);
        if (number.used_before) order_.wait(e.thread, {number.thread, number.position});
        const placed how = e.stack < homes_.size() ? homes_[e.stack] : placed{};
        live_object object{
            .bytes = e.bytes, .slot = number.slot, .stack = e.stack, .home = how.home};
        if (how.home == object_home::arena)
            object.arena = arenas_.allocate(how.group, e.thread, e.stack);
        if (how.home == object_home::pool && std::has_single_bit(e.alignment) &&
            e.alignment > alignof(std::max_align_t))
            object.alignment = e.alignment;
        add_allocation(e, object);
        object.made = order_.end_call(e.thread);
        live_bytes_ += e.bytes;
        ++counts_.allocations;
        counts_.allocated_bytes += e.bytes;
        counts_.placed += how.home != object_home::heap ? 1 : 0;
        living_.insert(e.address, object);
    }

    void add_allocation(const heap_event &e, const live_object &object) {
        const std::uint32_t alignment = std::has_single_bit(e.alignment) ? e.alignment : 0;
        const placement_word how{object.arena, e.zeroed, alignment};
        switch (object.home) {
        case object_home::arena:
            return add(e.thread, opcode::arena_allocate, object.slot, e.bytes, {how.packed()});
        case object_home::pool:
            return add(e.thread, opcode::pool_allocate, object.slot, e.bytes, {how.packed()});
        case object_home::heap:
            break;
        }
        if (alignment != 0)
            add(e.thread, opcode::allocate_aligned, object.slot, e.bytes, {alignment});
        else
            add(e.thread, e.zeroed ? opcode::allocate_zeroed : opcode::allocate, object.slot,
                e.bytes, {});
    }

    void free(const heap_event &e, std::uint64_t address) {
        live_object *found = living_.find(address);
        if (!found) {
            ++counts_.unknown_frees;
            return;
        }
        const live_object object = *found;
        living_.erase(found);
        order_.begin_call(e.thread);
        order_.wait(e.thread, object.made);
        add_free(e.thread, object);
        const moment freed = order_.end_call(e.thread);
        if (object.home == object_home::arena) arenas_.free(object.arena, object.stack, freed);
        slots_.give(object.slot, e.thread, freed.position);
        live_bytes_ -= object.bytes;
        ++counts_.frees;
    }

    void add_free(std::uint32_t thread, const live_object &object) {
        if (object.alignment != 0)
            return add(thread, opcode::pool_free_aligned, object.slot, object.bytes,
                       {object.alignment});
        const opcode what = object.home == object_home::arena  ? opcode::arena_free
                            : object.home == object_home::pool ? opcode::pool_free
                                                               : opcode::free;
        add(thread, what, object.slot, object.bytes, {});
    }

    void resize(const heap_event &e) {
        live_object *found = living_.find(e.old_address);
        if (!found) {
            ++counts_.unknown_resizes;
            allocate(e);
            return;
        }
        const live_object before = *found;
        if (before.home == object_home::arena && !arenas_.belongs_to(before.arena, e.thread)) {
            move_out(e);
            return;
        }
        living_.erase(found);
        free_lost(e);
        order_.begin_call(e.thread);
        order_.wait(e.thread, before.made);
        live_object object = before;
        object.bytes = e.bytes;
        add_resize(e.thread, object, before.bytes);
        object.alignment = 0; // as realloc keeps none
        object.made = order_.end_call(e.thread);
        live_bytes_ += e.bytes;
        live_bytes_ -= before.bytes;
        ++counts_.resizes;
        living_.insert(e.address, object);
    }

    void add_resize(std::uint32_t thread, const live_object &object, std::uint64_t bytes_before) {
        if (object.home == object_home::arena)
            add(thread, opcode::arena_resize, object.slot, object.bytes,
                {placement_word{.arena = object.arena}.packed(), bytes_before});
        else if (object.home == object_home::pool)
            add(thread, opcode::pool_resize, object.slot, object.bytes,
                {bytes_before, object.alignment});
        else
            add(thread, opcode::resize, object.slot, object.bytes, {});
    }

    // An arena belongs to one thread: what another one resizes lives on the heap from then on.
    void move_out(const heap_event &e) {
        free(e, e.old_address);
        heap_event moved = e;
        moved.stack = 0;
        allocate(moved);
        ++counts_.moved_out;
    }

    // The call gave an address at which an object lives: its free wasn't recorded.
    void free_lost(const heap_event &e) {
        if (!living_.find(e.address)) return;
        ++counts_.lost_frees;
        free(e, e.address);
    }

    // In a stream of their own, the last one, in the order of their numbers.
    void free_leftovers() {
        std::vector<live_object> left;
        left.reserve(living_.size());
        living_.for_each([&](std::uint64_t, const live_object &object) { left.push_back(object); });
        std::sort(left.begin(), left.end(),
                  [](const live_object &a, const live_object &b) { return a.slot < b.slot; });
        for (const live_object &object : left) {
            if (object.home == object_home::arena) ++counts_.immortals[object.stack];
            add_free(counts_.threads, object);
        }
        for (std::uint32_t arena = 0; arena != arenas_.count(); ++arena)
            add(counts_.threads, opcode::arena_reset, arena, 0, {});
    }

    void add(std::uint32_t thread, opcode what, std::uint32_t slot, std::uint64_t bytes,
             std::initializer_list<std::uint64_t> more) {
        std::uint64_t words[longest_command_words];
        std::size_t count = 0;
        if (bytes >> 32 != 0) words[count++] = pack(opcode::large, 0, bytes >> 32);
        words[count++] = pack(what, slot, bytes);
        for (const std::uint64_t word : more) words[count++] = word;
        to_.add(thread, {words, count});
    }

    const recording &from_;
    std::vector<placed> homes_; // by stack
    program_writer &to_;
    stream_order order_;
    arena_lives arenas_;
    slot_numbers slots_;
    address_map<live_object> living_; // by address
    std::uint64_t live_bytes_ = 0;
    compiled_counts counts_;
};

} // namespace

compiled_counts compile(const recording &from, const placement &where, program_writer &to) {
    if (from.sampled_bytes != 0)
        throw std::runtime_error("the recording has a sample of the objects only, and a replay "
                                 "needs all of them: record without --sample");
    return compiler(from, where, to).run();
}

} // namespace toft::lab
