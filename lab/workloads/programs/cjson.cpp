// SPDX-License-Identifier: MIT
// cJSON: a document of 1.5 MB, read into a tree, walked and freed. Its hook has malloc's shape but
// no realloc, has no context, and frees without sizes.
#include "documents.hpp"
#include "memories.hpp"

#include <cjson/cJSON.h>
#include <cstring>
#include <stdexcept>

namespace toft::lab {
namespace {

std::uint64_t sum_of(const cJSON *first) {
    std::uint64_t sum = 0;
    for (const cJSON *v = first; v; v = v->next) {
        if (v->string) sum += std::strlen(v->string);
        if (cJSON_IsString(v)) sum += std::strlen(v->valuestring);
        if (cJSON_IsTrue(v)) ++sum;
        if (cJSON_IsNumber(v)) {
            const auto whole = static_cast<std::uint64_t>(v->valuedouble);
            const bool half = v->valuedouble != static_cast<double>(whole);
            sum += half ? 2 * whole + 1 : whole;
        }
        sum += sum_of(v->child);
    }
    return sum;
}

// An arena needs no size to do nothing.
template <class Memory>
void *allocate(std::size_t size) {
    if constexpr (Memory::kind == memory_kind::arena) return Memory::allocate(size);
    return sizeless<Memory>::allocate(size);
}
template <class Memory>
void free_object(void *object) {
    if constexpr (Memory::kind != memory_kind::arena) sizeless<Memory>::free(object);
}

template <class Memory>
class cjson_program final : public document_program<json_document, Memory> {
  public:
    explicit cjson_program(const program_choice &chosen)
        : document_program<json_document, Memory>(
              make_documents<json_maker>(1, percent_of(1'500'000, chosen.percent))) {
        cJSON_Hooks hook = {allocate<Memory>, free_object<Memory>};
        if (Memory::kind != memory_kind::heap) cJSON_InitHooks(&hook);
    }

  private:
    std::uint64_t read(json_document &d, const std::function<void()> &note_peak) override {
        cJSON *tree = cJSON_ParseWithLength(d.text.data(), d.text.size());
        if (!tree) throw std::runtime_error("cJSON can't read the document");
        const std::uint64_t sum = sum_of(tree);
        note_peak();
        if (!Memory::drops_frees) cJSON_Delete(tree);
        return sum;
    }
};

} // namespace
} // namespace toft::lab

TOFT_LAB_PROGRAM(TOFT_LAB_VERSION_TEXT(CJSON_VERSION_MAJOR, CJSON_VERSION_MINOR,
                                       CJSON_VERSION_PATCH),
                 toft::lab::make_program<toft::lab::cjson_program>)
