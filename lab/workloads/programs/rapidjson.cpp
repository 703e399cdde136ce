// SPDX-License-Identifier: MIT
// RapidJSON: a document of 1.5 MB, read into a tree, walked and freed. Its values take an allocator
// type. By default that is a pool of the library's own, which frees all at once (the case
// `rapidjson-pooled`); with CrtAllocator it is malloc, and each value is freed (`rapidjson`).
#include "documents.hpp"
#include "memories.hpp"

#include <rapidjson/document.h>
#include <stdexcept>

namespace toft::lab {
namespace {

// RapidJSON tells the size of what it resizes, but not of what it frees.
template <class Memory>
struct rapid_allocator {
    static constexpr bool kNeedFree = !Memory::drops_frees;
    void *Malloc(std::size_t size) {
        if (size == 0) return nullptr;
        if constexpr (kNeedFree) return sizeless<Memory>::allocate(size);
        return Memory::allocate(size);
    }
    void *Realloc(void *object, std::size_t old_size, std::size_t new_size) {
        if (new_size == 0) return Free(object), nullptr;
        if constexpr (kNeedFree) return sizeless<Memory>::resize(object, new_size);
        return Memory::resize(object, old_size, new_size);
    }
    static void Free(void *object) noexcept {
        if constexpr (kNeedFree) sizeless<Memory>::free(object);
    }
    bool operator==(const rapid_allocator &) const noexcept { return true; }
    bool operator!=(const rapid_allocator &) const noexcept { return false; }
};

template <class Value>
std::uint64_t sum_of(const Value &value) {
    std::uint64_t sum = 0;
    switch (value.GetType()) {
    case rapidjson::kObjectType:
        for (const auto &member : value.GetObject())
            sum += member.name.GetStringLength() + sum_of(member.value);
        return sum;
    case rapidjson::kArrayType:
        for (const auto &element : value.GetArray()) sum += sum_of(element);
        return sum;
    case rapidjson::kStringType:
        return value.GetStringLength();
    case rapidjson::kNumberType:
        return value.IsDouble() ? static_cast<std::uint64_t>(2 * value.GetDouble())
                                : value.GetUint64();
    default:
        return value.IsTrue() ? 1 : 0;
    }
}

template <class Memory>
class rapidjson_program final : public program {
  public:
    explicit rapidjson_program(const program_choice &chosen)
        : document_(json_maker::make(percent_of(1'500'000, chosen.percent), 1)),
          pooled_(chosen.case_name == "rapidjson-pooled") {}

    std::uint64_t round(const std::function<void()> &note_peak) override {
        using namespace rapidjson;
        std::uint64_t sum = 0;
        if constexpr (Memory::kind == memory_kind::heap)
            sum = pooled_ ? read<Document>(note_peak)
                          : read<GenericDocument<UTF8<>, CrtAllocator>>(note_peak);
        else
            sum = read<GenericDocument<UTF8<>, rapid_allocator<Memory>, rapid_allocator<Memory>>>(
                note_peak);
        Memory::end();
        return sum;
    }
    std::uint64_t expected_sum() const override { return document_.sum; }
    std::uint64_t operations() const override { return 1; }

  private:
    template <class Tree>
    std::uint64_t read(const std::function<void()> &note_peak) const {
        Tree tree;
        tree.Parse(document_.text.data(), document_.text.size());
        if (tree.HasParseError()) throw std::runtime_error("RapidJSON can't read the document");
        const std::uint64_t sum = sum_of(tree);
        note_peak();
        return sum;
    }

    json_document document_;
    bool pooled_;
};

} // namespace
} // namespace toft::lab

TOFT_LAB_PROGRAM(RAPIDJSON_VERSION_STRING, toft::lab::make_program<toft::lab::rapidjson_program>)
