// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

// What a module of the suite `programs` gives to the command. A module holds one library, and a
// program that does real work with it. The command loads it when it measures, so that it depends on
// no such library.
namespace toft::lab {

// What the library's memory comes from.
enum class memory_kind {
    heap, // its own calls of malloc; its hook isn't used
    pool, // Toft's, through its hook
    reap,
    arena,
};

struct program_choice {
    std::string case_name;
    std::uint64_t percent; // of the usual input
    memory_kind memory;
    // The program doesn't call the library's functions that free. Instead, all memory goes at once
    // when a document, a state or a context has done its work.
    bool drops_frees;
};

class program {
  public:
    virtual ~program() = default;

    // Does the work of one round. Nothing of it lives any more when it returns. It calls note_peak
    // where most objects live, and returns the sum of what it has read.
    virtual std::uint64_t round(const std::function<void()> &note_peak) = 0;

    virtual std::uint64_t expected_sum() const = 0; // as who made the input computes it
    virtual std::uint64_t operations() const = 0;   // of a round: documents, states, statements
};

struct program_module {
    const char *version; // of the library
    std::unique_ptr<program> (*make)(const program_choice &);
};

// The one symbol of a module.
#define TOFT_PROGRAM_SYMBOL "toft_program"
using program_module_fn = const program_module *();

} // namespace toft::lab
