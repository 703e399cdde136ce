// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

// The file that carries a compiled program to the processes that replay it. It has no name, so that
// nothing is left behind however the lab ends; and its streams lie in blocks, so that neither side
// holds more than a block for each thread in memory.
//
//     header ── blocks of all threads, as they were filled ── places of the blocks, by thread
namespace toft::lab {

// Small, since each thread of a replay holds one, which counts in the peak that is told.
inline constexpr std::size_t block_words = 1024;

// What a replayer must know before it begins.
struct program_facts {
    std::uint32_t threads = 0;
    std::uint32_t first_thread = 0; // makes the first call; it starts the others
    std::uint32_t slots = 0;
    std::uint32_t arenas = 0;
    std::uint64_t calls = 0; // of the heap
};

struct block_place {
    std::uint64_t offset_bytes = 0;
    std::uint64_t words = 0;
};

class program_writer {
  public:
    // In the folder for temporary files. Throws std::system_error when none can be made there.
    program_writer();
    ~program_writer();
    program_writer(const program_writer &) = delete;
    program_writer &operator=(const program_writer &) = delete;

    // Adds a command, which stays in one block, to a thread's stream.
    void add(std::uint32_t thread, std::span<const std::uint64_t> words);
    void finish(const program_facts &);

    // By which other processes can open it while this writer lives.
    std::string path() const;

  private:
    void flush(std::uint32_t thread);
    void write_at_end(const void *data, std::size_t bytes);

    int file_ = -1;
    std::uint64_t end_bytes_ = 0;
    std::vector<std::vector<std::uint64_t>> filling_; // by thread
    std::vector<std::vector<block_place>> places_;
};

// The stream behind the last thread's holds the frees of what the program left alive.
class program_reader {
  public:
    // Throws std::runtime_error when it is no whole program.
    explicit program_reader(const std::string &path);
    ~program_reader();
    program_reader(const program_reader &) = delete;
    program_reader &operator=(const program_reader &) = delete;

    const program_facts &facts() const { return facts_; }
    std::size_t blocks_of(std::uint32_t thread) const { return places_[thread].size(); }
    // Fills the buffer, of block_words, and returns how many words there are.
    std::size_t read(std::uint32_t thread, std::size_t block, std::uint64_t *buffer) const;

  private:
    void read_exactly(void *data, std::size_t bytes, std::uint64_t offset_bytes) const;

    int file_ = -1;
    program_facts facts_;
    std::vector<std::vector<block_place>> places_;
};

} // namespace toft::lab
