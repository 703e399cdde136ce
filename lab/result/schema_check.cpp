// SPDX-License-Identifier: MIT
#include "schema_check.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <regex>
#include <stdexcept>

using nlohmann::json;

namespace toft::lab {
namespace {

// What a message shows of a value: all of a number or a word, and the beginning of what is longer.
std::string shown(const json &value) {
    constexpr std::size_t enough = 40;
    const std::string text = value.dump();
    return text.size() <= enough ? text : text.substr(0, enough) + "...";
}

bool is_of_type(const json &value, const std::string &type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "null") return value.is_null();
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    throw std::logic_error("the schema has an unknown type: " + type);
}

class schema_check {
  public:
    explicit schema_check(const json &schema) : whole_(schema) {}

    // The fault of the value that stands at that place; empty: none.
    std::string find(const json &value, const json &rules, const std::string &place) const {
        for (const auto &[word, rule] : rules.items())
            if (std::string fault = find_by(word, rule, value, rules, place); !fault.empty())
                return fault;
        return {};
    }

  private:
    std::string find_by(const std::string &word, const json &rule, const json &value,
                        const json &rules, const std::string &place) const {
        if (word == "$ref") return find(value, named(rule), place);
        if (word == "anyOf") return find_in_choice(value, rule, place);
        if (word == "properties") return find_in_members(value, rule, place);
        if (word == "additionalProperties") return find_in_others(value, rules, place);
        if (word == "items") return find_in_items(value, rule, place);
        if (word == "required") return find_missing(value, rule, place);
        const std::string wrong = describe(word, rule, value);
        return wrong.empty() ? wrong : fmt::format("at {}: {}", place.empty() ? "/" : place, wrong);
    }

    // The rules that look at the value alone.
    static std::string describe(const std::string &word, const json &rule, const json &value) {
        if (word == "type") {
            const auto fits = [&](const json &type) { return is_of_type(value, type); };
            const json types = rule.is_array() ? rule : json::array({rule});
            if (std::none_of(types.begin(), types.end(), fits))
                return fmt::format("{} isn't of type {}", shown(value), shown(rule));
        } else if (word == "minimum") {
            if (value.is_number() && value < rule)
                return fmt::format("{} is less than {}", shown(value), shown(rule));
        } else if (word == "maxItems") {
            if (value.is_array() && value.size() > rule.get<std::size_t>())
                return fmt::format("{} elements are more than {}", value.size(), shown(rule));
        } else if (word == "enum") {
            if (std::find(rule.begin(), rule.end(), value) == rule.end())
                return fmt::format("{} is none of {}", shown(value), rule.dump());
        } else if (word == "const") {
            if (value != rule) return fmt::format("{} isn't {}", shown(value), shown(rule));
        } else if (word == "pattern") {
            if (value.is_string() &&
                !std::regex_search(value.get<std::string>(), std::regex(rule.get<std::string>())))
                return fmt::format("{} isn't written as {}", shown(value), shown(rule));
        } else if (word != "description" && word != "title" && !word.starts_with('$')) {
            throw std::logic_error("the schema has an unknown word: " + word);
        }
        return {};
    }

    const json &named(const json &reference) const {
        return whole_.at(json::json_pointer(reference.get<std::string>().substr(1)));
    }

    // The fault by the first choice stands for all: the schema's other choice is always null.
    std::string find_in_choice(const json &value, const json &choices,
                               const std::string &place) const {
        std::string first;
        for (const json &choice : choices) {
            std::string fault = find(value, choice, place);
            if (fault.empty()) return fault;
            if (first.empty()) first = std::move(fault);
        }
        return first;
    }

    std::string find_in_members(const json &value, const json &known,
                                const std::string &place) const {
        if (!value.is_object()) return {};
        for (const auto &[key, rules] : known.items())
            if (value.contains(key))
                if (std::string fault = find(value[key], rules, place + "/" + key); !fault.empty())
                    return fault;
        return {};
    }

    std::string find_in_others(const json &value, const json &rules,
                               const std::string &place) const {
        if (!value.is_object()) return {};
        const json known = rules.value("properties", json::object());
        const json &others = rules.at("additionalProperties");
        for (const auto &[key, member] : value.items()) {
            if (known.contains(key)) continue;
            if (others == false)
                return fmt::format("at {}: unknown key: {}", place.empty() ? "/" : place, key);
            if (std::string fault = find(member, others, place + "/" + key); !fault.empty())
                return fault;
        }
        return {};
    }

    std::string find_in_items(const json &value, const json &rules,
                              const std::string &place) const {
        if (!value.is_array()) return {};
        for (std::size_t i = 0; i != value.size(); ++i)
            if (std::string fault = find(value[i], rules, fmt::format("{}/{}", place, i));
                !fault.empty())
                return fault;
        return {};
    }

    static std::string find_missing(const json &value, const json &keys, const std::string &place) {
        if (!value.is_object()) return {};
        for (const json &key : keys)
            if (!value.contains(key.get<std::string>()))
                return fmt::format("at {}: no {}", place.empty() ? "/" : place, shown(key));
        return {};
    }

    const json &whole_;
};

} // namespace

std::string find_schema_fault(const json &document, const json &schema) {
    return schema_check(schema).find(document, schema, "");
}

} // namespace toft::lab
