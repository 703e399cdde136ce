// SPDX-License-Identifier: MIT
#pragma once

#include "command.hpp"
#include "mapped_words.hpp"
#include "program_file.hpp"
#include "thread_pace.hpp"
#include "touching.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

// Runs a compiled program: each recorded thread is a thread, started where it was, which reads its
// stream block by block.
namespace toft::lab {

// A thread that can't go on ends the process: the others would wait for it.
[[noreturn]] void end_replay(const std::string &why);

template <class Heap>
class execution {
  public:
    // The addresses are one for each slot.
    execution(const program_reader &program, Heap &heap, touching how, char **addresses,
              thread_paces &paces)
        : program_(program),
          heap_(heap),
          touching_(how),
          addresses_(addresses),
          paces_(paces) {}

    // Returns when all threads have ended.
    void run() {
        run_thread(program_.facts().first_thread);
        paces_.wait_for_ends();
    }

    // Frees what the program left alive, as it never did.
    void clean_up() { run_stream(program_.facts().threads); }

  private:
    void run_thread(std::uint32_t thread) noexcept {
        try {
            run_stream(thread);
        } catch (const std::exception &e) {
            end_replay(e.what());
        }
        paces_.end(thread);
    }

    void start(std::uint32_t thread) {
        paces_.will_start();
        std::thread([this, thread] { run_thread(thread); }).detach();
    }

    void run_stream(std::uint32_t thread) {
        // Not from the heap that is measured.
        const mapped_words buffer(block_words);
        std::uint64_t done = 0;
        for (std::size_t block = 0; block != program_.blocks_of(thread); ++block) {
            const std::size_t count = program_.read(thread, block, buffer.data());
            run_block(thread, buffer.data(), buffer.data() + count, done);
        }
    }

    void run_block(std::uint32_t thread, const std::uint64_t *at, const std::uint64_t *end,
                   std::uint64_t &done) {
        std::uint64_t upper = 0;
        while (at != end) {
            const command next = unpack(*at++);
            const std::uint64_t bytes = upper | next.bytes;
            upper = 0;
            switch (next.what) {
            case opcode::large:
                upper = static_cast<std::uint64_t>(next.bytes) << 32;
                continue;
            case opcode::wait:
                paces_.wait(thread, done, next.slot, *at++);
                continue;
            case opcode::start:
                start(next.slot);
                continue;
            case opcode::arena_reset:
                heap_.arena_reset(next.slot);
                continue;
            default:
                at = call(next.what, next.slot, bytes, at);
            }
            if (++done % thread_paces::publish_every == 0) paces_.publish(thread, done);
        }
    }

    // Returns the place behind the command.
    const std::uint64_t *call(opcode what, std::uint32_t slot, std::uint64_t bytes,
                              const std::uint64_t *more) {
        char *&address = addresses_[slot];
        switch (what) {
        case opcode::allocate:
            made(address, heap_.allocate(slot, bytes), bytes);
            return more;
        case opcode::allocate_zeroed:
            made(address, heap_.allocate_zeroed(slot, bytes), bytes);
            return more;
        case opcode::allocate_aligned:
            made(address, heap_.allocate_aligned(slot, bytes, more[0]), bytes);
            return more + 1;
        case opcode::resize:
            made(address, heap_.resize(slot, address, bytes), bytes);
            return more;
        case opcode::free:
            read_object(touching_, address, bytes, Heap::mask);
            heap_.free(address);
            return more;
        default:
            return call_strategy(what, slot, bytes, more);
        }
    }

    const std::uint64_t *call_strategy(opcode what, std::uint32_t slot, std::uint64_t bytes,
                                       const std::uint64_t *more) {
        char *&address = addresses_[slot];
        // Only where the command has one: nothing may stand behind a block's last command.
        const auto how = [&] { return placement_word::of(more[0]); };
        switch (what) {
        case opcode::arena_allocate:
            made(address, arena_allocate(slot, bytes, how()), bytes);
            return more + 1;
        case opcode::arena_resize:
            made(address, heap_.arena_resize(slot, how().arena, address, more[1], bytes), bytes);
            return more + 2;
        case opcode::arena_free:
            if (!heap_.arena_frees_kept()) return more;
            read_object(touching_, address, bytes, Heap::mask);
            heap_.arena_free(address);
            return more;
        case opcode::pool_allocate:
            made(address, heap_.pool_allocate(slot, bytes, how().alignment, how().zeroed), bytes);
            return more + 1;
        case opcode::pool_resize:
            made(address, heap_.pool_resize(slot, address, more[0], bytes, more[1]), bytes);
            return more + 2;
        case opcode::pool_free:
            read_object(touching_, address, bytes, Heap::mask);
            heap_.pool_free(address, bytes, 0);
            return more;
        case opcode::pool_free_aligned:
            read_object(touching_, address, bytes, Heap::mask);
            heap_.pool_free(address, bytes, more[0]);
            return more + 1;
        default:
            throw std::runtime_error("the compiled recording is damaged");
        }
    }

    char *arena_allocate(std::uint32_t slot, std::uint64_t bytes, const placement_word &how) {
        return heap_.arena_allocate(slot, bytes, how.arena, how.alignment, how.zeroed);
    }

    void made(char *&address, char *object, std::uint64_t bytes) {
        if (!object && bytes != 0) throw std::runtime_error("out of memory");
        address = object;
        write_object(touching_, object, bytes, Heap::mask);
    }

    const program_reader &program_;
    Heap &heap_;
    const touching touching_;
    char **addresses_;
    thread_paces &paces_;
};

} // namespace toft::lab
