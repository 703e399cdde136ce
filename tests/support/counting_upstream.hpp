// SPDX-License-Identifier: MIT
// An upstream over malloc that counts, checks what comes back, and fails on demand.
#ifndef TOFT_TESTS_SUPPORT_COUNTING_UPSTREAM_HPP
#define TOFT_TESTS_SUPPORT_COUNTING_UPSTREAM_HPP

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <map>

#include <toft/upstream.h>

namespace toft_test {

class counting_upstream {
  public:
    std::size_t calls = 0; // of allocate, failed ones too
    std::size_t allocations = 0;
    std::size_t frees = 0;
    std::size_t live_bytes = 0;
    std::size_t peak_bytes = 0;

    counting_upstream() = default;
    counting_upstream(const counting_upstream &) = delete;
    counting_upstream &operator=(const counting_upstream &) = delete;
    ~counting_upstream() {
        if (upstream_.free == nullptr)
            for (const auto &[handed_out, held] : blocks_) std::free(held.memory);
        else if (!blocks_.empty())
            complain("blocks were never given back");
    }

    std::size_t live_blocks() const { return blocks_.size(); }

    // The nth call of allocate from now on fails, 1 being the next; and all after it, if asked.
    void fail_at(std::size_t nth, bool from_then_on = false) {
        failing_call_ = calls + nth;
        from_then_on_ = from_then_on;
    }
    void work_again() { failing_call_ = 0; }

    // Its free is NULL from now on.
    void take_nothing_back() { upstream_.free = nullptr; }

    const toft_upstream *c() const { return &upstream_; }

  private:
    static constexpr std::size_t max_alignment = std::size_t{1} << 20;

    static void complain(const char *what) {
        std::fprintf(stderr, "counting_upstream: %s\n", what);
        std::abort();
    }

    static void *allocate(void *context, std::size_t bytes, std::size_t alignment) {
        auto *self = static_cast<counting_upstream *>(context);
        self->calls++;
        if (alignment == 0 || (alignment & (alignment - 1)) != 0 || alignment > max_alignment)
            complain("asked for an alignment that the interface rules out");
        if (self->failing_call_ != 0 &&
            (self->calls == self->failing_call_ ||
             (self->from_then_on_ && self->calls > self->failing_call_)))
            return nullptr;
        if (bytes > SIZE_MAX / 4) return nullptr;
        // With room around it, so that an alignment is no more than what was asked for.
        std::size_t multiple = std::max<std::size_t>(alignment, 64);
        void *memory = std::aligned_alloc(multiple, (bytes + alignment + 64 + multiple - 1) /
                                                        multiple * multiple);
        if (memory == nullptr) return nullptr;
        void *handed_out = static_cast<char *>(memory) + alignment;
        self->blocks_[handed_out] = {memory, bytes, alignment};
        self->allocations++;
        self->live_bytes += bytes;
        self->peak_bytes = std::max(self->peak_bytes, self->live_bytes);
        return handed_out;
    }

    static void free(void *context, void *memory, std::size_t bytes, std::size_t alignment) {
        auto *self = static_cast<counting_upstream *>(context);
        auto found = self->blocks_.find(memory);
        if (found == self->blocks_.end()) complain("was given back what it hadn't handed out");
        if (found->second.bytes != bytes || found->second.alignment != alignment)
            complain("was given back a block with another size or alignment");
        std::free(found->second.memory);
        self->blocks_.erase(found);
        self->frees++;
        self->live_bytes -= bytes;
    }

    struct block {
        void *memory;
        std::size_t bytes;
        std::size_t alignment;
    };
    std::map<void *, block> blocks_;
    toft_upstream upstream_ = {allocate, free, this};
    std::size_t failing_call_ = 0; // 0 for none
    bool from_then_on_ = false;
};

} // namespace toft_test

#endif
