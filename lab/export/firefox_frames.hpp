// SPDX-License-Identifier: MIT
#pragma once

#include "advice/places.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

// The tables that all processes of a Firefox profile share: stacks, frames, functions, files.
namespace toft::lab {

class firefox_frames {
  public:
    firefox_frames(const stack_tree &tree, places &names) : tree_(tree), names_(names) {}

    // The index of a node's stack in the table; node 0 has none.
    nlohmann::json stack_of(std::uint32_t node);
    nlohmann::json shared() const; // profile.shared
    nlohmann::json libraries() const { return libraries_; }

  private:
    using json = nlohmann::json;

    // A table has a column for each name, all of the same length.
    class table {
      public:
        explicit table(std::vector<std::string> names)
            : names_(std::move(names)),
              columns_(names_.size(), json::array()) {}
        std::size_t add(std::vector<json> row);
        json document() const;

      private:
        std::vector<std::string> names_;
        std::vector<json> columns_;
        std::size_t length_ = 0;
    };

    std::size_t string(const std::string &);
    std::size_t source(const std::string &file);
    json library(std::uint32_t module);
    json resource(std::uint32_t module);
    json symbol(std::uint32_t node, const std::string &name);
    std::size_t function(const source_place &, std::uint32_t module);
    const std::vector<std::size_t> &frames(std::uint32_t node);

    const stack_tree &tree_;
    places &names_;
    json strings_ = json::array(), libraries_ = json::array();
    std::unordered_map<std::string, std::size_t> string_index_, source_index_;
    std::map<std::uint32_t, std::size_t> library_index_, resource_index_; // by module
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t> symbol_index_;
    std::map<std::tuple<std::string, std::string, std::uint32_t>, std::size_t> function_index_;
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<std::size_t>> frame_index_;
    std::unordered_map<std::uint32_t, std::size_t> stack_index_;
    table stacks_{{"frame", "prefix"}};
    table frames_{{"address", "inlineDepth", "category", "subcategory", "func", "nativeSymbol",
                   "innerWindowID", "line", "column"}};
    table functions_{
        {"name", "isJS", "relevantForJS", "resource", "source", "lineNumber", "columnNumber"}};
    table resources_{{"lib", "name", "host", "type"}};
    table symbols_{{"libIndex", "address", "name", "functionSize"}};
    table sources_{{"id", "filename", "startLine", "startColumn", "sourceMapURL"}};
};

} // namespace toft::lab
