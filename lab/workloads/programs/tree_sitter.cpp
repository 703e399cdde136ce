// SPDX-License-Identifier: MIT
// tree-sitter, with its grammar of JSON: a document of 400 KB is read into a syntax tree, which is
// walked and freed. Its hook has malloc's shape, has no context, and frees without sizes.
#include "documents.hpp"
#include "memories.hpp"

#include <cstring>
#include <stdexcept>
#include <string_view>
#include <tree_sitter/api.h>

extern "C" const TSLanguage *tree_sitter_json(void);

namespace toft::lab {
namespace {

template <class Memory>
void *allocate_zeros(std::size_t count, std::size_t size) {
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes)) return nullptr;
    void *memory = sizeless<Memory>::allocate(bytes);
    return memory ? std::memset(memory, 0, bytes) : nullptr;
}

// A key or a text counts its length, without quotes, and 1; each other scalar counts 1.
std::uint64_t count_node(TSNode node) {
    const std::string_view type = ts_node_type(node);
    if (type == "string") return ts_node_end_byte(node) - ts_node_start_byte(node) - 1;
    const bool is_scalar = type == "number" || type == "true" || type == "false" || type == "null";
    return is_scalar && ts_node_is_named(node) ? 1 : 0;
}

// Goes to the node that comes next in the document; false after the last one.
bool go_on(TSTreeCursor &cursor) {
    if (ts_tree_cursor_goto_first_child(&cursor)) return true;
    while (!ts_tree_cursor_goto_next_sibling(&cursor))
        if (!ts_tree_cursor_goto_parent(&cursor)) return false;
    return true;
}

std::uint64_t sum_of(TSNode root) {
    std::uint64_t sum = 0;
    TSTreeCursor cursor = ts_tree_cursor_new(root);
    do {
        sum += count_node(ts_tree_cursor_current_node(&cursor));
    } while (go_on(cursor));
    ts_tree_cursor_delete(&cursor);
    return sum;
}

template <class Memory>
class tree_sitter_program final : public document_program<json_document, Memory> {
  public:
    explicit tree_sitter_program(const program_choice &chosen)
        : document_program<json_document, Memory>(
              make_documents<json_maker>(1, percent_of(400'000, chosen.percent))) {
        using shape = sizeless<Memory>;
        if (Memory::kind != memory_kind::heap)
            ts_set_allocator(shape::allocate, allocate_zeros<Memory>, shape::resize, shape::free);
    }

  private:
    std::uint64_t read(json_document &d, const std::function<void()> &note_peak) override {
        TSParser *parser = ts_parser_new();
        if (!ts_parser_set_language(parser, tree_sitter_json()))
            throw std::runtime_error("tree-sitter doesn't take the grammar");
        TSTree *tree = ts_parser_parse_string(parser, nullptr, d.text.data(),
                                              static_cast<std::uint32_t>(d.text.size()));
        const std::uint64_t sum = sum_of(ts_tree_root_node(tree));
        note_peak();
        if (!Memory::drops_frees) {
            ts_tree_delete(tree);
            ts_parser_delete(parser);
        }
        return sum;
    }
    std::uint64_t sum_in(const json_document &d) const override { return d.text_bytes + d.scalars; }
};

} // namespace
} // namespace toft::lab

TOFT_LAB_PROGRAM(PROGRAM_VERSION, toft::lab::make_program<toft::lab::tree_sitter_program>)
