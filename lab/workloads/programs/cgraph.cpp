// SPDX-License-Identifier: MIT
// Graphviz's cgraph: a graph with names and attributes is made, walked and closed. Its hook has a
// context, wants zeros, and frees without sizes. When the hook has a function that frees all, it
// is called instead of freeing every object.
#include "documents.hpp"
#include "memories.hpp"

#include <cstring>
#include <graphviz/cgraph.h>
#include <stdexcept>
#include <string>

namespace toft::lab {
namespace {

void *cleared(void *memory, std::size_t from, std::size_t to) {
    if (memory && to > from) std::memset(static_cast<char *>(memory) + from, 0, to - from);
    return memory;
}

// Where nothing is freed alone, objects need no size in front of them.
template <class Memory>
struct hook {
    using shape = sizeless<Memory>;
    static void *open(Agdisc_t *) { return nullptr; }
    static void *allocate(void *, std::size_t size) {
        if constexpr (Memory::drops_frees) return cleared(Memory::allocate(size), 0, size);
        return cleared(shape::allocate(size), 0, size);
    }
    static void *resize(void *, void *object, std::size_t old_size, std::size_t size) {
        if constexpr (Memory::drops_frees)
            return cleared(Memory::resize(object, old_size, size), old_size, size);
        return cleared(shape::resize(object, size), old_size, size);
    }
    static void free(void *, void *object) {
        if constexpr (!Memory::drops_frees) shape::free(object);
    }
    static void close(void *) { Memory::end(); }
};

template <class Memory>
Agraph_t *open_graph() {
    static char name[] = "graph";
    using of = hook<Memory>;
    static Agmemdisc_t memory = {of::open, of::allocate, of::resize, of::free,
                                 Memory::drops_frees ? of::close : nullptr};
    static Agdisc_t disciplines = {&memory, &AgIdDisc, &AgIoDisc};
    return agopen(name, Agdirected, Memory::kind == memory_kind::heap ? nullptr : &disciplines);
}

struct edge {
    std::uint32_t from, to;
};

template <class Memory>
class cgraph_program final : public program {
  public:
    explicit cgraph_program(const program_choice &chosen) {
        xorshift random(1);
        for (std::size_t i = 0; i != percent_of(6000, chosen.percent); ++i) {
            std::string label;
            append_words(label, random, 2);
            expected_ += label.size();
            names_.push_back("node" + std::to_string(i));
            labels_.push_back(label);
        }
        const auto any = [&] { return random() % static_cast<std::uint32_t>(names_.size()); };
        for (std::size_t i = 0; i != 2 * names_.size(); ++i) {
            edges_.push_back({any(), any()});
            expected_ += 1 + labels_[edges_.back().to].size();
        }
    }

    std::uint64_t round(const std::function<void()> &note_peak) override {
        Agraph_t *graph = open_graph<Memory>();
        if (!graph) throw std::bad_alloc();
        fill(graph);
        const std::uint64_t sum = sum_of(graph);
        note_peak();
        agclose(graph);
        if (!Memory::drops_frees) Memory::end(); // else agclose did it
        return sum;
    }
    std::uint64_t expected_sum() const override { return expected_; }
    std::uint64_t operations() const override { return names_.size() + edges_.size(); }

  private:
    void fill(Agraph_t *graph) {
        static char label[] = "label", none[] = "";
        Agsym_t *const symbol = agattr(graph, AGNODE, label, none);
        std::vector<Agnode_t *> nodes;
        for (std::size_t i = 0; i != names_.size(); ++i) {
            nodes.push_back(agnode(graph, names_[i].data(), 1));
            agxset(nodes.back(), symbol, labels_[i].data());
        }
        for (const edge &e : edges_) agedge(graph, nodes[e.from], nodes[e.to], nullptr, 1);
    }
    static std::uint64_t sum_of(Agraph_t *graph) {
        static char label[] = "label";
        Agsym_t *const symbol = agattr(graph, AGNODE, label, nullptr);
        std::uint64_t sum = 0;
        for (Agnode_t *n = agfstnode(graph); n; n = agnxtnode(graph, n)) {
            sum += std::strlen(agxget(n, symbol));
            for (Agedge_t *e = agfstout(graph, n); e; e = agnxtout(graph, e))
                sum += 1 + std::strlen(agxget(aghead(e), symbol));
        }
        return sum;
    }

    std::vector<std::string> names_, labels_;
    std::vector<edge> edges_;
    std::uint64_t expected_ = 0;
};

} // namespace
} // namespace toft::lab

TOFT_LAB_PROGRAM(PROGRAM_VERSION, toft::lab::make_program<toft::lab::cgraph_program>)
