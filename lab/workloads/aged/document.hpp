// SPDX-License-Identifier: MIT
#pragma once

#include "cases.hpp"
#include "footprint.hpp"
#include "random.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

// `aged-tree`: a document of elements, as a parser makes it. An element is a node of 40 to 88 bytes
// and a text of 8 to 63; it has up to five children. Its parts are walked three times, and then
// freed node by node, one part after another in a random order.
//
// `survivors`: the same, but one node in thirty, wherever it is, lives until the next round has
// built its own document.
namespace toft::lab {

template <class Door, unsigned survivor_in = 0>
class document {
  public:
    explicit document(std::uint64_t usual_nodes) : usual_nodes_(usual_nodes) {
        parts_.reserve(usual_nodes);
        if (survivor_in != 0) survivors_.reserve(usual_nodes);
    }

    std::uint64_t objects(unsigned round) const { return 2 * nodes(round); }

    void round(unsigned round, footprint &memory) {
        std::uint64_t left = nodes(round);
        written_ = read_ = 0;
        while (left != 0) parts_.push_back(build(levels, left));
        for (unsigned i = 0; i != walks; ++i)
            for (const node *part : parts_) read_ += sum_of(part);
        memory.note_peak();
        std::shuffle(survivors_.begin(), survivors_.end(), random_);
        for (node *survivor : survivors_) free_node(survivor);
        survivors_.clear();
        std::shuffle(parts_.begin(), parts_.end(), random_);
        last_round_ = round == aged_rounds;
        for (node *part : parts_) destroy(part);
        parts_.clear();
    }

    bool agrees() const { return read_ == walks * written_; }

  private:
    static constexpr unsigned levels = 12;
    static constexpr unsigned walks = 3;

    struct node {
        node *first_child = nullptr;
        node *next_sibling = nullptr;
        char *text;
        std::uint32_t text_bytes;
        std::uint32_t node_bytes;
    };

    std::uint64_t nodes(unsigned round) const {
        return share_of(usual_nodes_, round_percents[round - 1]);
    }

    // Makes a node and what is below it, until none is left to make.
    node *build(unsigned levels_below, std::uint64_t &left) {
        --left;
        const std::uint32_t drawn = random_();
        const std::uint32_t node_bytes = sizeof(node) + 8 + drawn % 4 * 16;
        const std::uint32_t text_bytes = 8 + drawn / 4 % 56;
        void *memory = door_.allocate(node_bytes);
        char *text = static_cast<char *>(door_.allocate(text_bytes));
        std::memset(text, 'x', text_bytes);
        written_ += text_bytes + static_cast<unsigned char>('x');
        node *made = new (memory) node{nullptr, nullptr, text, text_bytes, node_bytes};
        if (levels_below == 0) return made;
        node **link = &made->first_child;
        for (std::uint32_t children = drawn / 256 % 6; children != 0 && left != 0; --children) {
            *link = build(levels_below - 1, left);
            link = &(*link)->next_sibling;
        }
        return made;
    }

    static std::uint64_t sum_of(const node *first) {
        std::uint64_t sum = 0;
        for (const node *n = first; n; n = n->next_sibling)
            sum += n->text_bytes + static_cast<unsigned char>(*n->text) + sum_of(n->first_child);
        return sum;
    }

    void destroy(node *first) {
        for (node *n = first; n;) {
            node *next = n->next_sibling;
            destroy(n->first_child);
            if (survives())
                survivors_.push_back(n);
            else
                free_node(n);
            n = next;
        }
    }

    bool survives() {
        if constexpr (survivor_in == 0)
            return false;
        else
            return !last_round_ && random_() % survivor_in == 0;
    }

    void free_node(node *n) {
        door_.free(n->text, n->text_bytes);
        door_.free(n, n->node_bytes);
    }

    Door door_;
    std::uint64_t usual_nodes_;
    xorshift random_{1};
    std::vector<node *> parts_, survivors_;
    bool last_round_ = false;
    std::uint64_t written_ = 0, read_ = 0;
};

} // namespace toft::lab
