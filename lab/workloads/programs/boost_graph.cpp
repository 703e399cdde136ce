// SPDX-License-Identifier: MIT
// Boost.Graph: a directed graph with lists of edges is built, searched breadth first, loses a third
// of its edges, is searched again, and freed. Its containers take an allocator through a selector
// of one's own, and tell sizes that the compiler knows.
#include "documents.hpp"
#include "memories.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/version.hpp>
#include <list>
#include <memory>
#include <type_traits>
#include <vector>

// Selects lists whose elements come from Memory.
template <class Memory>
struct list_in {};
// The same for the vector of vertices.
template <class Memory>
struct vector_in {};

namespace boost {

template <class Memory, class T>
struct container_gen<list_in<Memory>, T> {
    using type = std::list<T, toft::lab::container_allocator<T, Memory>>;
};
template <class Memory, class T>
struct container_gen<vector_in<Memory>, T> {
    using type = std::vector<T, toft::lab::container_allocator<T, Memory>>;
};
template <class Memory>
struct parallel_edge_traits<list_in<Memory>> {
    using type = allow_parallel_edge_tag;
};

namespace detail {

template <class Memory>
struct is_random_access<vector_in<Memory>> {
    enum { value = true };
    using type = mpl::true_;
};

} // namespace detail
} // namespace boost

namespace toft::lab {
namespace {

struct edge {
    std::uint32_t from, to;
};

template <class Memory>
using graph_in = std::conditional_t<
    Memory::kind == memory_kind::heap,
    boost::adjacency_list<boost::listS, boost::vecS, boost::bidirectionalS>,
    boost::adjacency_list<list_in<Memory>, vector_in<Memory>, boost::bidirectionalS,
                          boost::no_property, boost::no_property, boost::no_property,
                          list_in<Memory>>>;

constexpr std::uint32_t unreached = UINT32_MAX;

std::uint64_t sum_of(const std::vector<std::uint32_t> &distances) {
    std::uint64_t sum = 0;
    for (const std::uint32_t d : distances) sum += d == unreached ? 1 : 2 + d;
    return sum;
}

// The distances from the first vertex, found without Boost.
std::vector<std::uint32_t> distances_in(const std::vector<edge> &edges, std::size_t vertices) {
    std::vector<std::vector<std::uint32_t>> next(vertices);
    for (const edge &e : edges) next[e.from].push_back(e.to);
    std::vector<std::uint32_t> distances(vertices, unreached), queue = {0};
    distances[0] = 0;
    for (std::size_t i = 0; i != queue.size(); ++i)
        for (const std::uint32_t to : next[queue[i]]) {
            if (distances[to] != unreached) continue;
            distances[to] = distances[queue[i]] + 1;
            queue.push_back(to);
        }
    return distances;
}

bool goes(const edge &e) { return (e.from + e.to) % 3 == 0; }

template <class Memory>
class graph_program final : public program {
  public:
    explicit graph_program(const program_choice &chosen)
        : vertices_(percent_of(12'000, chosen.percent)) {
        xorshift random(1);
        const auto any = [&] { return random() % static_cast<std::uint32_t>(vertices_); };
        for (std::size_t i = 0; i != 4 * vertices_; ++i) edges_.push_back({any(), any()});
        expected_ = sum_of(distances_in(edges_, vertices_));
        std::vector<edge> stay = edges_;
        std::erase_if(stay, goes);
        expected_ += sum_of(distances_in(stay, vertices_));
    }

    std::uint64_t round(const std::function<void()> &note_peak) override {
        using graph = graph_in<Memory>;
        // In a place that no destructor knows, so that it can be dropped.
        alignas(graph) std::byte place[sizeof(graph)];
        auto *made = new (place) graph(vertices_);
        for (const edge &e : edges_) boost::add_edge(e.from, e.to, *made);
        std::uint64_t sum = search(*made);
        note_peak();
        boost::remove_edge_if(
            [&](const auto &e) {
                return goes({static_cast<std::uint32_t>(boost::source(e, *made)),
                             static_cast<std::uint32_t>(boost::target(e, *made))});
            },
            *made);
        sum += search(*made);
        if (!Memory::drops_frees) made->~graph();
        Memory::end();
        return sum;
    }
    std::uint64_t expected_sum() const override { return expected_; }
    std::uint64_t operations() const override { return edges_.size(); }

  private:
    std::uint64_t search(const graph_in<Memory> &graph) const {
        std::vector<std::uint32_t> distances(vertices_, unreached);
        distances[0] = 0;
        boost::breadth_first_search(graph, boost::vertex(0, graph),
                                    boost::visitor(boost::make_bfs_visitor(boost::record_distances(
                                        distances.data(), boost::on_tree_edge()))));
        return sum_of(distances);
    }

    std::size_t vertices_;
    std::vector<edge> edges_;
    std::uint64_t expected_ = 0;
};

} // namespace
} // namespace toft::lab

TOFT_LAB_PROGRAM(BOOST_LIB_VERSION, toft::lab::make_program<toft::lab::graph_program>)
