// SPDX-License-Identifier: MIT
#include "firefox_frames.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace toft::lab {
namespace {

constexpr int is_library = 1; // kinds of resources

// A build id as Breakpad writes it, by which symbol servers know a file: the first 16 bytes as a
// GUID, whose first three numbers are little-endian, and an age of 0.
std::string breakpad_id(const std::string &build_id) {
    constexpr std::size_t digits = 32;
    constexpr std::size_t order[] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
    const std::string padded = (build_id + std::string(digits, '0')).substr(0, digits);
    std::string text;
    for (const std::size_t byte : order) text += padded.substr(byte * 2, 2);
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text + "0";
}

} // namespace

std::size_t firefox_frames::table::add(std::vector<json> row) {
    for (std::size_t i = 0; i != columns_.size(); ++i) columns_[i].push_back(std::move(row.at(i)));
    return length_++;
}

nlohmann::json firefox_frames::table::document() const {
    json d{{"length", length_}};
    for (std::size_t i = 0; i != columns_.size(); ++i) d[names_[i]] = columns_[i];
    return d;
}

std::size_t firefox_frames::string(const std::string &text) {
    const auto [known, added] = string_index_.try_emplace(text, strings_.size());
    if (added) strings_.push_back(text);
    return known->second;
}

std::size_t firefox_frames::source(const std::string &file) {
    const auto [known, added] = source_index_.try_emplace(file, source_index_.size());
    if (added) sources_.add({nullptr, string(file), 1, 1, nullptr});
    return known->second;
}

// Code that was made at run time lies in no library.
nlohmann::json firefox_frames::library(std::uint32_t module) {
    const recorded_module &m = tree_.module(module);
    if (m.path.empty()) return nullptr;
    const auto [known, added] = library_index_.try_emplace(module, libraries_.size());
    if (added) {
        const std::string name = std::filesystem::path(m.path).filename().string();
        libraries_.push_back({{"arch", ""},
                              {"name", name},
                              {"path", m.path},
                              {"debugName", name},
                              {"debugPath", m.path},
                              {"breakpadId", breakpad_id(m.build_id)},
                              {"codeId", m.build_id.empty() ? json(nullptr) : json(m.build_id)}});
    }
    return known->second;
}

nlohmann::json firefox_frames::resource(std::uint32_t module) {
    const json in = library(module);
    if (in.is_null()) return -1;
    const auto [known, added] = resource_index_.try_emplace(module, resource_index_.size());
    if (added)
        resources_.add(
            {in, string(libraries_.at(in.get<std::size_t>()).at("name")), nullptr, is_library});
    return known->second;
}

nlohmann::json firefox_frames::symbol(std::uint32_t node, const std::string &name) {
    const stack_tree::node &n = tree_[node];
    const json in = library(n.module);
    if (in.is_null()) return nullptr;
    const auto [known, added] = symbol_index_.try_emplace({n.module, n.code}, symbol_index_.size());
    if (added) symbols_.add({in, n.code, string(name), nullptr});
    return known->second;
}

std::size_t firefox_frames::function(const source_place &p, std::uint32_t module) {
    const auto [known, added] =
        function_index_.try_emplace({p.function, p.file, module}, function_index_.size());
    if (added)
        functions_.add({string(p.function), false, false, resource(module),
                        p.file.empty() ? json(nullptr) : json(source(p.file)), nullptr, nullptr});
    return known->second;
}

// Those of a node, outermost first: the function, and what is inlined there.
const std::vector<std::size_t> &firefox_frames::frames(std::uint32_t node) {
    const stack_tree::node &n = tree_[node];
    const auto [known, added] = frame_index_.try_emplace({n.module, n.address});
    if (!added) return known->second;
    const std::span<const source_place> all = names_.at(node);
    const json in = symbol(node, all.back().function);
    const json address = in.is_null() ? json(-1) : json(n.address - 1); // of the call
    int depth = 0;
    for (auto p = all.rbegin(); p != all.rend(); ++p)
        known->second.push_back(
            frames_.add({address, depth++, 0, 0, function(*p, n.module), in, nullptr,
                         p->line ? json(p->line) : json(nullptr), nullptr}));
    return known->second;
}

nlohmann::json firefox_frames::stack_of(std::uint32_t node) {
    std::vector<std::uint32_t> way; // to the first caller that is known, or to the root
    for (; node != 0 && !stack_index_.contains(node); node = tree_[node].parent)
        way.push_back(node);
    json prefix = node == 0 ? json(nullptr) : json(stack_index_[node]);
    for (auto n = way.rbegin(); n != way.rend(); ++n) {
        for (const std::size_t frame : frames(*n)) prefix = stacks_.add({frame, prefix});
        stack_index_[*n] = prefix;
    }
    return prefix;
}

nlohmann::json firefox_frames::shared() const {
    return {{"stackTable", stacks_.document()},
            {"frameTable", frames_.document()},
            {"funcTable", functions_.document()},
            {"resourceTable", resources_.document()},
            {"nativeSymbols", symbols_.document()},
            {"sources", sources_.document()},
            {"stringArray", strings_}};
}

} // namespace toft::lab
