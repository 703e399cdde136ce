// SPDX-License-Identifier: MIT
// yyjson: many documents of 16 KiB, read, walked and freed. It asks for one block for a whole
// document. Its hook has a context, tells the old size where it resizes, and frees without one.
#include "documents.hpp"
#include "memories.hpp"

#include <stdexcept>
#include <yyjson.h>

namespace toft::lab {
namespace {

template <class Memory>
const yyjson_alc *hook_of() {
    using shape = sizeless<Memory>;
    static const yyjson_alc hook = {[](void *, std::size_t size) { return shape::allocate(size); },
                                    [](void *, void *object, std::size_t, std::size_t size) {
                                        return shape::resize(object, size);
                                    },
                                    [](void *, void *object) { shape::free(object); }, nullptr};
    return Memory::kind == memory_kind::heap ? nullptr : &hook;
}

std::uint64_t sum_of(yyjson_val *value) {
    std::uint64_t sum = 0;
    std::size_t i = 0, count = 0;
    yyjson_val *key = nullptr, *element = nullptr;
    switch (yyjson_get_type(value)) {
    case YYJSON_TYPE_OBJ:
        yyjson_obj_foreach(value, i, count, key, element) {
            sum += yyjson_get_len(key) + sum_of(element);
        }
        return sum;
    case YYJSON_TYPE_ARR:
        yyjson_arr_foreach(value, i, count, element) { sum += sum_of(element); }
        return sum;
    case YYJSON_TYPE_STR:
        return yyjson_get_len(value);
    case YYJSON_TYPE_BOOL:
        return yyjson_get_bool(value) ? 1 : 0;
    case YYJSON_TYPE_NUM:
        return yyjson_is_real(value) ? static_cast<std::uint64_t>(2 * yyjson_get_real(value))
                                     : yyjson_get_uint(value);
    default:
        return 0;
    }
}

template <class Memory>
class yyjson_program final : public document_program<json_document, Memory> {
  public:
    explicit yyjson_program(const program_choice &chosen)
        : document_program<json_document, Memory>(
              make_documents<json_maker>(percent_of(500, chosen.percent), 16 << 10)) {}

  private:
    std::uint64_t read(json_document &d, const std::function<void()> &note_peak) override {
        yyjson_doc *tree =
            yyjson_read_opts(d.text.data(), d.text.size(), 0, hook_of<Memory>(), nullptr);
        if (!tree) throw std::runtime_error("yyjson can't read the document");
        const std::uint64_t sum = sum_of(yyjson_doc_get_root(tree));
        note_peak();
        if (!Memory::drops_frees) yyjson_doc_free(tree);
        return sum;
    }
};

} // namespace
} // namespace toft::lab

TOFT_LAB_PROGRAM(YYJSON_VERSION_STRING, toft::lab::make_program<toft::lab::yyjson_program>)
