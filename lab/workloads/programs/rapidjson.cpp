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
class rapidjson_program final : public document_program<json_document, Memory> {
  public:
    explicit rapidjson_program(const program_choice &chosen)
        : document_program<json_document, Memory>(
              make_documents<json_maker>(1, percent_of(1'500'000, chosen.percent))),
          pooled_(chosen.case_name == "rapidjson-pooled") {}

  private:
    std::uint64_t read(json_document &d, const std::function<void()> &note_peak) override {
        using namespace rapidjson;
        if constexpr (Memory::kind == memory_kind::heap)
            return pooled_ ? read_as<Document>(d, note_peak)
                           : read_as<GenericDocument<UTF8<>, CrtAllocator>>(d, note_peak);
        else
            return read_as<
                GenericDocument<UTF8<>, rapid_allocator<Memory>, rapid_allocator<Memory>>>(
                d, note_peak);
    }
    template <class Tree>
    static std::uint64_t read_as(const json_document &d, const std::function<void()> &note_peak) {
        Tree tree;
        tree.Parse(d.text.data(), d.text.size());
        if (tree.HasParseError()) throw std::runtime_error("RapidJSON can't read the document");
        const std::uint64_t sum = sum_of(tree);
        note_peak();
        return sum;
    }

    bool pooled_;
};

} // namespace
} // namespace toft::lab

TOFT_LAB_PROGRAM(RAPIDJSON_VERSION_STRING, toft::lab::make_program<toft::lab::rapidjson_program>)
