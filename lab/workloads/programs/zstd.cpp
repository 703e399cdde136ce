// SPDX-License-Identifier: MIT
// zstd: texts of 16 KiB, each compressed and read back with contexts of its own, as a server does
// that keeps none. A context is one large object, or two. Its hook has a context and frees without
// sizes.
#define ZSTD_STATIC_LINKING_ONLY
#include "documents.hpp"
#include "memories.hpp"

#include <cstring>
#include <numeric>
#include <stdexcept>
#include <toft/adapt/zstd.h>
#include <zstd.h>

namespace toft::lab {
namespace {

template <class Memory>
ZSTD_customMem hook_of() {
    using shape = sizeless<Memory>;
    if constexpr (Memory::kind == memory_kind::heap) return {nullptr, nullptr, nullptr};
    if constexpr (Memory::kind == memory_kind::pool)
        return {toft_zstd_alloc, toft_zstd_free, Memory::pool()};
    return {[](void *, std::size_t size) { return shape::allocate(size); },
            [](void *, void *object) { shape::free(object); }, nullptr};
}

std::size_t checked(std::size_t result) {
    if (ZSTD_isError(result) != 0) throw std::runtime_error(ZSTD_getErrorName(result));
    return result;
}

std::uint64_t sum_of(const std::string &text) {
    return std::accumulate(text.begin(), text.end(), std::uint64_t{0},
                           [](std::uint64_t sum, unsigned char byte) { return sum + byte; });
}

template <class Memory>
class zstd_program final : public program {
  public:
    explicit zstd_program(const program_choice &chosen) {
        for (const json_document &d :
             make_documents<json_maker>(percent_of(100, chosen.percent), 16 << 10)) {
            expected_sum_ += sum_of(d.text);
            texts_.push_back(d.text);
        }
        for (const std::string &text : texts_)
            compressed_.resize(std::max(compressed_.size(), ZSTD_compressBound(text.size())));
    }

    std::uint64_t round(const std::function<void()> &note_peak) override {
        std::uint64_t sum = 0;
        for (const std::string &text : texts_) {
            ZSTD_CCtx *compressor = ZSTD_createCCtx_advanced(hook_of<Memory>());
            ZSTD_DCtx *reader = ZSTD_createDCtx_advanced(hook_of<Memory>());
            if (!compressor || !reader) throw std::bad_alloc();
            const std::size_t bytes = checked(ZSTD_compressCCtx(
                compressor, compressed_.data(), compressed_.size(), text.data(), text.size(), 3));
            read_.resize(text.size());
            checked(
                ZSTD_decompressDCtx(reader, read_.data(), read_.size(), compressed_.data(), bytes));
            sum += sum_of(read_);
            if (&text == &texts_.back()) note_peak();
            if (!Memory::drops_frees) {
                ZSTD_freeCCtx(compressor);
                ZSTD_freeDCtx(reader);
            }
            Memory::end();
        }
        return sum;
    }
    std::uint64_t expected_sum() const override { return expected_sum_; }
    std::uint64_t operations() const override { return texts_.size(); }

  private:
    std::vector<std::string> texts_;
    std::string compressed_, read_;
    std::uint64_t expected_sum_ = 0;
};

} // namespace
} // namespace toft::lab

TOFT_LAB_PROGRAM(ZSTD_versionString(), toft::lab::make_program<toft::lab::zstd_program>)
