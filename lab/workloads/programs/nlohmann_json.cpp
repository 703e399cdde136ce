// SPDX-License-Identifier: MIT
// nlohmann-json: a document of 1.5 MB, read into maps, vectors and strings, walked and freed. Its
// containers take an allocator, and tell sizes that the compiler knows.
#include "documents.hpp"
#include "memories.hpp"

#include <map>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <vector>

namespace toft::lab {
namespace {

template <class Memory>
struct json_in {
    template <class T>
    using allocator = container_allocator<T, Memory>;
    using string = std::basic_string<char, std::char_traits<char>, allocator<char>>;
    using type = nlohmann::basic_json<std::map, std::vector, string, bool, std::int64_t,
                                      std::uint64_t, double, allocator>;
};
template <>
struct json_in<heap_memory> {
    using type = nlohmann::json;
};

template <class Json>
std::uint64_t sum_of(const Json &value) {
    using kind = nlohmann::json::value_t;
    std::uint64_t sum = 0;
    switch (value.type()) {
    case kind::object:
        for (const auto &[key, member] : value.template get_ref<const typename Json::object_t &>())
            sum += key.size() + sum_of(member);
        return sum;
    case kind::array:
        for (const Json &element : value) sum += sum_of(element);
        return sum;
    case kind::string:
        return value.template get_ref<const typename Json::string_t &>().size();
    case kind::boolean:
        return value.template get<bool>() ? 1 : 0;
    case kind::number_unsigned:
        return value.template get<std::uint64_t>();
    case kind::number_float:
        return static_cast<std::uint64_t>(2 * value.template get<double>());
    default:
        return 0;
    }
}

template <class Memory>
class nlohmann_program final : public document_program<json_document, Memory> {
  public:
    explicit nlohmann_program(const program_choice &chosen)
        : document_program<json_document, Memory>(
              make_documents<json_maker>(1, percent_of(1'500'000, chosen.percent))) {}

  private:
    std::uint64_t read(json_document &d, const std::function<void()> &note_peak) override {
        using json = typename json_in<Memory>::type;
        // In a place that no destructor knows, so that it can be dropped.
        alignas(json) std::byte place[sizeof(json)];
        json *tree = new (place) json(json::parse(d.text));
        const std::uint64_t sum = sum_of(*tree);
        note_peak();
        if (!Memory::drops_frees) tree->~json();
        return sum;
    }
};

} // namespace
} // namespace toft::lab

TOFT_LAB_PROGRAM(TOFT_LAB_VERSION_TEXT(NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                                       NLOHMANN_JSON_VERSION_PATCH),
                 toft::lab::make_program<toft::lab::nlohmann_program>)
