// SPDX-License-Identifier: MIT
#include "history.hpp"

#include "flames.hpp"
#include "record/address_map.hpp"
#include "show/cells.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace toft::lab {
namespace {

constexpr std::size_t moments = 240;
constexpr std::size_t most_makers = 20;
constexpr std::size_t most_curves = 8;

struct living_object {
    std::uint32_t stack = 0; // that made it, however often it was resized
    std::uint64_t bytes = 0;
    std::uint64_t since_ns = 0; // that it has this size
    double weight = 1;          // so many objects of the program it stands for

    double weighed_bytes() const { return weight * static_cast<double>(bytes); }
};

// Follows the recording's objects. Calls back when one begins, when it has another size, with the
// one that it had until then, and when it ends. A resized object stays that of its first stack.
template <class Begin, class Resize, class End>
void follow(const recording &of, Begin begin, Resize resize, End end) {
    address_map<living_object> living;
    std::uint64_t last_ns = 0;
    const auto finish = [&](std::uint64_t address, std::uint64_t now_ns) {
        living_object *object = living.find(address);
        if (!object) return;
        end(*object, now_ns);
        living.erase(object);
    };
    const auto take_resize = [&](const heap_event &e, const living_object &before) {
        living.erase(living.find(e.old_address));
        finish(e.address, e.time_ns); // whose free wasn't recorded
        const living_object now{before.stack, e.bytes, e.time_ns,
                                std::min(before.weight, of.weight_of(e.bytes))};
        resize(before, now);
        living.insert(e.address, now);
    };
    of.for_each([&](std::span<const heap_event> events) {
        for (const heap_event &e : events) {
            last_ns = std::max(last_ns, e.time_ns);
            if (e.call == heap_call::free) {
                finish(e.address, e.time_ns);
                continue;
            }
            const living_object *known =
                e.call == heap_call::resize ? living.find(e.old_address) : nullptr;
            if (known) {
                take_resize(e, living_object(*known));
                continue;
            }
            finish(e.address, e.time_ns); // likewise
            const living_object made{e.stack, e.bytes, e.time_ns, of.weight_of(e.bytes)};
            begin(made, e.time_ns);
            living.insert(e.address, made);
        }
    });
    living.for_each([&](std::uint64_t, const living_object &o) { end(o, last_ns); });
}

std::uint64_t end_of(const recording &of) {
    std::uint64_t last_ns = 0;
    of.for_each([&](std::span<const heap_event> events) {
        if (!events.empty()) last_ns = std::max(last_ns, events.back().time_ns);
    });
    return last_ns;
}

double seconds(std::uint64_t ns) { return static_cast<double>(ns) / 1e9; }

std::uint64_t rounded(double n) { return whole_number(std::max(n + .5, 0.)); }

// What each stack made, and how long that lived.
std::vector<stack_weight> weights_of(const recording &of) {
    struct totals {
        double objects = 0, bytes = 0;
    };
    std::vector<totals> made(of.stacks.size());
    std::vector<stack_weight> weights(of.stacks.size());
    const auto add_life = [&](const living_object &o, std::uint64_t now) {
        weights[o.stack].byte_seconds += o.weighed_bytes() * seconds(now - o.since_ns);
    };
    follow(
        of,
        [&](const living_object &o, std::uint64_t) {
            made[o.stack].objects += o.weight;
            made[o.stack].bytes += o.weighed_bytes();
        },
        [&](const living_object &before, const living_object &o) {
            made[o.stack].objects += o.weight - before.weight;
            made[o.stack].bytes += o.weighed_bytes();
            add_life(before, o.since_ns);
        },
        add_life);
    for (std::size_t stack = 0; stack != made.size(); ++stack) {
        weights[stack].objects = rounded(made[stack].objects);
        weights[stack].bytes = rounded(made[stack].bytes);
    }
    return weights;
}

// The functions that make objects: first those that make the most bytes themselves; where two are
// alike, the one that makes more with what it calls. Then, of the others, likewise with what they
// call.
void show_makers(std::vector<maker_total> all, memory_history &out) {
    std::erase_if(all,
                  [](const maker_total &m) { return m.objects == 0 && m.bytes_with_calls == 0; });
    out.all_makers = all.size();
    std::ranges::stable_sort(all, std::greater(), [](const maker_total &m) {
        return std::pair(m.bytes, m.bytes_with_calls);
    });
    const std::size_t by_themselves = std::min(most_makers, all.size());
    std::ranges::stable_sort(all.begin() + static_cast<std::ptrdiff_t>(by_themselves), all.end(),
                             std::greater(), &maker_total::bytes_with_calls);
    all.resize(std::min(all.size(), 2 * most_makers));
    out.makers = std::move(all);
}

// Which curve shows a maker's objects; the last one is that of all others.
struct chosen_curves {
    std::vector<std::string> names;
    std::vector<std::size_t> of_maker;
};

chosen_curves choose_curves(const std::vector<maker_total> &makers) {
    std::vector<std::size_t> heaviest;
    for (std::size_t i = 0; i != makers.size(); ++i)
        if (makers[i].byte_seconds > 0) heaviest.push_back(i);
    std::ranges::sort(heaviest, std::greater(), [&](std::size_t i) {
        return std::pair(makers[i].byte_seconds, std::string_view(makers[i].name));
    });
    if (heaviest.size() > most_curves) heaviest.resize(most_curves);
    chosen_curves chosen{{}, std::vector(makers.size(), heaviest.size())};
    for (const std::size_t i : heaviest) {
        chosen.of_maker[i] = chosen.names.size();
        chosen.names.push_back(makers[i].name);
    }
    chosen.names.emplace_back("all others");
    return chosen;
}

// The memory that lives, by curve. Of each part of the time it keeps the moment at which most of it
// lived: what is made and freed between two looks would be missed.
class live_watcher {
  public:
    live_watcher(std::vector<std::string> names, double seconds_of_all)
        : seconds_(seconds_of_all),
          live_(names.size()),
          fullest_(names.size()) {
        for (std::string &name : names) curves_.push_back({std::move(name), 0, {}});
    }

    void add(std::size_t curve, double bytes, double now) {
        while (parts_ + 1 < moments && static_cast<double>(parts_ + 1) * seconds_ / moments <= now)
            end_part();
        live_[curve] += bytes;
        total_ += bytes;
        curves_[curve].peak_bytes = std::max(curves_[curve].peak_bytes, rounded(live_[curve]));
        if (total_ <= most_) return;
        most_ = total_;
        fullest_ = live_;
    }

    std::vector<live_curve> take() {
        while (parts_ != moments) end_part();
        return std::move(curves_);
    }

  private:
    void end_part() {
        for (std::size_t i = 0; i != curves_.size(); ++i)
            curves_[i].bytes.push_back(rounded(fullest_[i]));
        ++parts_;
        most_ = total_;
        fullest_ = live_;
    }

    double seconds_, total_ = 0, most_ = 0;
    std::size_t parts_ = 0;
    std::vector<double> live_, fullest_;
    std::vector<live_curve> curves_;
};

// The bands of one advised region, while its objects come and go.
class band_watcher {
  public:
    band_watcher(std::size_t line, double gap) : gap_(gap) { bands_.line = line; }

    void begin(double now) {
        if (living_++ != 0) return;
        std::vector<region_band> &all = bands_.bands;
        if (all.empty() || now - all.back().end > gap_) all.push_back({now, now});
    }
    void end(double now) {
        --living_;
        bands_.bands.back().end = now;
    }
    region_bands take() { return std::move(bands_); }

  private:
    double gap_;
    std::uint64_t living_ = 0;
    region_bands bands_;
};

// By stack, the watchers that its objects belong to.
using watchers_of_stack = std::unordered_map<std::uint32_t, std::vector<std::size_t>>;

std::vector<band_watcher> watch(const advice_report &report,
                                const std::vector<std::uint32_t> &nodes, double seconds,
                                watchers_of_stack &of) {
    std::vector<band_watcher> all;
    std::unordered_map<std::uint32_t, std::vector<std::size_t>> of_node;
    for (std::size_t line = 0; line != report.lines.size(); ++line) {
        if (report.lines[line].function == 0) continue;
        for (const std::uint32_t site : report.lines[line].sites)
            of_node[site].push_back(all.size());
        all.emplace_back(line, seconds / moments / 2);
    }
    for (std::uint32_t stack = 0; stack != nodes.size(); ++stack)
        if (const auto found = of_node.find(nodes[stack]); found != of_node.end())
            of[stack] = found->second;
    return all;
}

} // namespace

memory_history history_of(const advice_report &report, const recording &of, std::size_t index,
                          const symbol_source &symbols) {
    memory_history out;
    out.seconds = std::max(seconds(end_of(of)), 1e-9);
    const std::vector<stack_weight> weights = weights_of(of);
    frame_names names(of, symbols);
    out.calls = flames_of(of, weights, names);
    stack_makers makers = makers_of(of, weights, names);
    const chosen_curves curves = choose_curves(makers.all);
    show_makers(std::move(makers.all), out);
    watchers_of_stack watched;
    std::vector<band_watcher> watchers = watch(report, report.nodes[index], out.seconds, watched);
    live_watcher live(curves.names, out.seconds);
    const auto add = [&](const living_object &o, double bytes, std::uint64_t now) {
        live.add(curves.of_maker[makers.of_stack[o.stack]], bytes, seconds(now));
    };
    follow(
        of,
        [&](const living_object &o, std::uint64_t now) {
            add(o, o.weighed_bytes(), now);
            if (const auto found = watched.find(o.stack); found != watched.end())
                for (const std::size_t w : found->second) watchers[w].begin(seconds(now));
        },
        [&](const living_object &before, const living_object &o) {
            add(o, o.weighed_bytes() - before.weighed_bytes(), o.since_ns);
        },
        [&](const living_object &o, std::uint64_t now) {
            add(o, -o.weighed_bytes(), now);
            if (const auto found = watched.find(o.stack); found != watched.end())
                for (const std::size_t w : found->second) watchers[w].end(seconds(now));
        });
    out.curves = live.take();
    for (band_watcher &w : watchers) out.regions.push_back(w.take());
    return out;
}

} // namespace toft::lab
