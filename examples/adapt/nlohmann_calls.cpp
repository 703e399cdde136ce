// SPDX-License-Identifier: MIT
// What nlohmann::json's interface has, and <toft/adapt/nlohmann.hpp> too: this compiles, and holds.
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <toft/adapt/nlohmann.hpp>

#include "run.h"

namespace {

int failures = 0;
void expect(bool holds, const char *what) {
    if (holds) return;
    std::printf("%s fails\n", what);
    failures++;
}

template <class Json>
void use_keys(auto key) {
    Json object = {{"key", "text"}, {"other", 1}};
    expect(object[key] == "text" && object.at(key) == "text", "looking a key up");
    expect(object.value(key, "none") == "text", "a value with a default");
    expect(object.find(key) != object.end() && object.count(key) == 1, "finding a key");
    expect(object.contains(key) && object.erase(key) == 1, "erasing a key");
    object[key] = 2;
    expect(object.at(key) == 2 && object.size() == 2, "adding a key");
}

template <class Json>
void convert() {
    Json value = {{"text", std::string("a text")}, {"view", std::string_view("a view")}};
    expect(value["text"].template get<std::string>() == "a text", "reading a std::string");
    expect(value["view"] == std::string("a view"), "comparing with a std::string");
    const std::map<std::string, int> map = {{"one", 1}, {"two", 2}};
    const std::vector<std::string> list = {"a", "b"};
    value["map"] = map;
    value["list"] = list;
    expect(value["map"].template get<std::map<std::string, int>>() == map, "a std::map");
    expect(value["list"].template get<std::vector<std::string>>() == list, "a std::vector");
    for (const auto &[key, each] : value.items())
        expect(value.at(std::string(key)) == each, "going through an object");
    expect(value[typename Json::json_pointer("/list/1")] == "b", "a pointer");
    const nlohmann::json plain = value;
    expect(Json(plain) == value, "a copy as nlohmann::json");
    expect(plain.flatten().at("/list/1") == "b", "what only nlohmann::json has");
    expect(std::hash<Json>()(value) == std::hash<Json>()(Json(value)), "a hash");
}

template <class Json>
void read_and_write() {
    const Json value = Json::parse(R"({"a": [1, 2.5, true, null], "b": {"c": "text"}})");
    std::stringstream stream;
    stream << value;
    Json read;
    stream >> read;
    expect(read == value && Json::parse(value.dump()) == value, "what is written, when it is read");
    std::string bytes;
    Json::to_cbor(value, bytes);
    expect(Json(nlohmann::json::from_cbor(bytes)) == value, "CBOR");
    Json patched = value;
    patched.merge_patch(Json{{"b", nullptr}});
    expect(!patched.contains("b") && !Json::diff(value, patched).empty(), "a difference");
    swap(patched, read);
    expect(patched == value, "a swap");
    bool threw = false;
    try {
        read = Json::parse("{wrong");
    } catch (const typename Json::parse_error &) {
        threw = true;
    }
    expect(threw, "an error");
}

template <class Json>
void use_all() {
    use_keys<Json>("key");
    use_keys<Json>(std::string("key"));
    use_keys<Json>(std::string_view("key"));
    use_keys<Json>(typename Json::string_t("key"));
    convert<Json>();
    read_and_write<Json>();
    // Binary values lie where all others do, here on the shared pool.
    Json binary = Json::binary({1, 2, 3});
    expect(toft_pool_of(binary.get_binary().data()) == toft_pool_shared(),
           "a binary value's place");
}

} // namespace

int main() {
    use_all<toft::pool_json>();
    use_all<toft::current_json>();
    std::printf("%d calls fail\n", failures);
    print_live(toft_pool_shared());
    return failures == 0 ? 0 : 1;
}
