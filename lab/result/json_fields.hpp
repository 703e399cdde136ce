// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>

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
// nlohmann::json::exception when a field is missing or is of another type.
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

template <has_json_fields T>
void read_fields(const nlohmann::json &from, T &to) {
    const auto read = [&](const auto &field) {
        if (field.key)
            from.at(field.key).get_to(to.*field.member);
        else if constexpr (has_json_fields<std::remove_cvref_t<decltype(to.*field.member)>>)
            read_fields(from, to.*field.member);
    };
    std::apply([&](const auto &...field) { (read(field), ...); }, json_fields<T>::list);
}

} // namespace toft::lab

namespace nlohmann {

template <toft::lab::has_json_fields T>
struct adl_serializer<T> {
    static void to_json(json &to, const T &from) { toft::lab::write_fields(to, from); }
    static void from_json(const json &from, T &to) { toft::lab::read_fields(from, to); }
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
        if (!from.is_null()) to.emplace(from.get<T>());
    }
};

} // namespace nlohmann
