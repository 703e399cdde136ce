// SPDX-License-Identifier: MIT
#include "libraries.hpp"

#include "run/helper_module.hpp"

#include <algorithm>
#include <array>

namespace toft::lab {
namespace {

constexpr unsigned usual_rounds = 8;

program_case by_choice(std::string name, std::string title, const std::string &module,
                       std::string needs) {
    return {std::move(name), std::move(title), "program_" + module + ".so", std::move(needs), true,
            false,           usual_rounds};
}

program_case keeping(program_case c) {
    c.can_drop_frees = false;
    return c;
}
program_case dropping(program_case c) {
    c.only_drops = true;
    return c;
}
program_case with_rounds(program_case c, unsigned rounds) {
    c.rounds = rounds;
    return c;
}

} // namespace

std::span<const program_case> program_cases() {
    static const std::array cases = {
        by_choice("libxml2", "libxml2, a document of 3.4 MB", "libxml2", "libxml2-dev"),
        by_choice("libxml2-small", "libxml2, 600 documents of 4 KiB", "libxml2", "libxml2-dev"),
        by_choice("lua", "Lua, a benchmark in one state", "lua", "liblua5.4-dev"),
        by_choice("lua-requests", "Lua, a state for each of 400 requests", "lua", "liblua5.4-dev"),
        keeping(
            by_choice("sqlite", "SQLite, statements as in speedtest1", "sqlite", "libsqlite3-dev")),
        with_rounds(by_choice("nlohmann-json", "nlohmann-json, a document of 1.5 MB, 16 rounds",
                              "nlohmann_json", "nlohmann-json3-dev"),
                    16),
        by_choice("cjson", "cJSON, a document of 1.5 MB", "cjson", "libcjson-dev"),
        by_choice("expat", "expat, 200 documents of 16 KiB", "expat", "libexpat1-dev"),
        by_choice("rapidjson", "RapidJSON, a document of 1.5 MB, each value freed", "rapidjson",
                  "rapidjson-dev"),
        dropping(by_choice("rapidjson-pooled",
                           "RapidJSON, a document of 1.5 MB, its own pool on malloc", "rapidjson",
                           "rapidjson-dev")),
        by_choice("yyjson", "yyjson, 500 documents of 16 KiB", "yyjson", "libyyjson-dev"),
        by_choice("zstd", "zstd, contexts for each of 100 texts of 16 KiB", "zstd", "libzstd-dev"),
        by_choice("boost-graph", "Boost.Graph, 12,000 vertices and 48,000 edges", "boost_graph",
                  "libboost-graph-dev"),
        by_choice("cgraph", "Graphviz's cgraph, 6,000 nodes and 12,000 edges", "cgraph",
                  "libgraphviz-dev"),
        by_choice("tree-sitter", "tree-sitter, a document of 400 KB", "tree_sitter",
                  "libtree-sitter-dev, and the grammar that scripts/setup-grammar downloads"),
    };
    return cases;
}

const program_case &find_program_case(const std::string &name) {
    const auto cases = program_cases();
    return *std::find_if(cases.begin(), cases.end(),
                         [&](const program_case &c) { return c.name == name; });
}

std::string why_missing(const program_case &c) { return why_not_built(c.file, c.needs); }

const program_module &load_program(const program_case &c) {
    void *entry = load_symbol(c.file, TOFT_PROGRAM_SYMBOL);
    return *reinterpret_cast<program_module_fn *>(entry)();
}

} // namespace toft::lab
