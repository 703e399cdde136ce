// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// One list of fields for each type, from which it is both written to JSON and read back:
//
//     template <>
//     struct json_fields<omission> {
//         static constexpr std::tuple list = {json_field{"what", &omission::what},
//                                             json_field{"why", &omission::why}};
//     };
//
// A field without a key is a struct whose own fields stand beside the others. Enumerators have one
// list of words in the same way, and an optional that is empty is null. Reading throws
// nlohmann::json::exception when a field is missing or unknown, is of another type, or is a number
// that its type can't hold. The exception is a json_place_error, which names the place.
namespace toft::lab {

template <class Class, class Member>
struct json_field {
    const char *key; // null: the member's own fields stand beside the others
    Member Class::*member;
};
// Compilers before clang 17 deduce no arguments of an aggregate by themselves.
template <class Class, class Member>
json_field(const char *, Member Class::*) -> json_field<Class, Member>;

template <class T>
struct json_fields;
template <class T>
concept has_json_fields = requires { json_fields<T>::list; };

template <class Enum>
struct json_word {
    Enum value;
    const char *word;
};
template <class Enum>
json_word(Enum, const char *) -> json_word<Enum>;

template <class Enum>
struct json_words;
template <class Enum>
concept has_json_words = requires { json_words<Enum>::list; };

template <has_json_words Enum>
std::string to_string(Enum value) {
    for (const json_word<Enum> &w : json_words<Enum>::list)
        if (w.value == value) return w.word;
    throw std::logic_error("an enumerator without a word");
}

template <has_json_fields T>
void write_fields(nlohmann::json &to, const T &from) {
    const auto write = [&](const auto &field) {
        if (field.key)
            to[field.key] = from.*field.member;
        else if constexpr (has_json_fields<std::remove_cvref_t<decltype(from.*field.member)>>)
            write_fields(to, from.*field.member);
    };
    std::apply([&](const auto &...field) { (write(field), ...); }, json_fields<T>::list);
}

// How many keys stand in the object, those of structs beside the others included.
template <has_json_fields T>
constexpr std::size_t count_keys() {
    const auto count = [](const auto &field) -> std::size_t {
        using member = std::remove_cvref_t<decltype(std::declval<T>().*field.member)>;
        if (field.key) return 1;
        if constexpr (has_json_fields<member>)
            return count_keys<member>();
        else
            return 0;
    };
    return std::apply([&](const auto &...field) { return (count(field) + ... + 0U); },
                      json_fields<T>::list);
}

// What is wrong with a document, and where: "/suites/0/rows/3/threads".
class json_place_error : public nlohmann::json::exception {
  public:
    json_place_error(std::string where, std::string what_is_wrong)
        : exception(500, fmt::format("at {}: {}", where, what_is_wrong).c_str()),
          place(std::move(where)),
          problem(std::move(what_is_wrong)) {}

    std::string place, problem;
};

// Reads what stands at this step of the way; what goes wrong below gets the step in its place.
template <class Read>
void read_at(const std::string &step, Read read) {
    try {
        read();
    } catch (const json_place_error &e) {
        throw json_place_error("/" + step + e.place, e.problem);
    } catch (const nlohmann::json::exception &e) {
        throw json_place_error("/" + step, e.what());
    }
}

// nlohmann's own reader would make 4294967295 of -1 and 1 of 1.5.
template <std::integral Number>
    requires(!std::same_as<Number, bool>)
void read_value(const nlohmann::json &from, Number &to) {
    const bool fits =
        from.is_number_unsigned()
            ? std::in_range<Number>(from.get<std::uint64_t>())
            : from.is_number_integer() && std::in_range<Number>(from.get<std::int64_t>());
    if (!fits) throw json_place_error("", "no such number: " + from.dump());
    from.get_to(to);
}

template <class T>
    requires(!std::integral<T> || std::same_as<T, bool>)
void read_value(const nlohmann::json &from, T &to) {
    from.get_to(to);
}

template <class T>
void read_value(const nlohmann::json &from, std::vector<T> &to) {
    if (!from.is_array()) throw json_place_error("", "no array: " + from.dump().substr(0, 40));
    to.assign(from.size(), T{});
    for (std::size_t i = 0; i != from.size(); ++i)
        read_at(std::to_string(i), [&] { read_value(from[i], to[i]); });
}

template <has_json_fields T>
void read_fields(const nlohmann::json &from, T &to) {
    const auto read = [&](const auto &field) {
        if (field.key)
            read_at(field.key, [&] { read_value(from.at(field.key), to.*field.member); });
        else if constexpr (has_json_fields<std::remove_cvref_t<decltype(to.*field.member)>>)
            read_fields(from, to.*field.member);
    };
    std::apply([&](const auto &...field) { (read(field), ...); }, json_fields<T>::list);
}

template <has_json_fields T>
void refuse_unknown_keys(const nlohmann::json &from) {
    if (from.size() == count_keys<T>()) return;
    nlohmann::json known;
    write_fields(known, T{});
    for (const auto &[key, value] : from.items())
        if (!known.contains(key)) throw json_place_error("", "unknown key: " + key);
}

} // namespace toft::lab

namespace nlohmann {

template <toft::lab::has_json_fields T>
struct adl_serializer<T> {
    static void to_json(json &to, const T &from) { toft::lab::write_fields(to, from); }
    static void from_json(const json &from, T &to) {
        toft::lab::read_fields(from, to);
        toft::lab::refuse_unknown_keys<T>(from);
    }
};

template <toft::lab::has_json_words Enum>
struct adl_serializer<Enum> {
    static void to_json(json &to, Enum from) { to = toft::lab::to_string(from); }
    static void from_json(const json &from, Enum &to) {
        for (const auto &w : toft::lab::json_words<Enum>::list)
            if (from == w.word) {
                to = w.value;
                return;
            }
        throw json::other_error::create(501, "no such word: " + from.dump(), &from);
    }
};

template <class T>
struct adl_serializer<std::optional<T>> {
    static void to_json(json &to, const std::optional<T> &from) {
        to = from ? json(*from) : json(nullptr);
    }
    static void from_json(const json &from, std::optional<T> &to) {
        to.reset();
        if (!from.is_null()) toft::lab::read_value(from, to.emplace());
    }
};

} // namespace nlohmann
