// SPDX-License-Identifier: MIT
#include "firefox.hpp"

#include "record/recording_names.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <map>

namespace toft::lab {
namespace {

using nlohmann::json;

// The first version with shared tables whose sources have no trace of JavaScript's; later versions
// are made from it by the profiler.
constexpr int format_version = 61;
constexpr int gecko_version = 31;

json meta_of(const std::string &product) {
    return {{"version", gecko_version},
            {"preprocessedProfileVersion", format_version},
            {"product", product},
            {"importedFrom", "toft"},
            {"interval", 1},
            {"startTime", 0},
            {"processType", 0},
            {"stackwalk", 1},
            {"symbolicated", true},
            {"sourceCodeIsNotOnSearchfox", true},
            {"categories", json::array({{{"name", "Other"},
                                         {"color", "grey"},
                                         {"subcategories", json::array({"Other"})}}})},
            {"markerSchema", json::array()}};
}

// What a thread must have though a heap has none of it: samples of a processor's clock (two, so
// that the time axis has its ends) and markers.
json thread_of(double begin, double end) {
    return {{"processType", "default"},
            {"processStartupTime", begin},
            {"processShutdownTime", end},
            {"registerTime", begin},
            {"unregisterTime", end},
            {"pausedRanges", json::array()},
            {"isMainThread", true},
            {"samples",
             {{"stack", json::array({nullptr, nullptr})},
              {"time", json::array({begin, end})},
              {"weight", nullptr},
              {"weightType", "samples"},
              {"length", 2}}},
            {"markers",
             {{"data", json::array()},
              {"name", json::array()},
              {"startTime", json::array()},
              {"endTime", json::array()},
              {"phase", json::array()},
              {"category", json::array()},
              {"length", 0}}}};
}

// By how much the live bytes change between the ends of intervals, and by how many groups. What
// came and went in one interval doesn't count.
json live_bytes_of(const firefox_timeline &timeline,
                   const std::vector<firefox_timeline::change> &changes) {
    struct step {
        double bytes = 0;
        std::uint64_t groups = 0;
    };
    std::map<std::uint64_t, step> steps{{0, {}}};
    for (const firefox_timeline::change &c : changes) {
        step &s = steps[c.comes ? c.interval + 1 : c.interval];
        s.bytes += std::round(c.comes ? c.bytes : -c.bytes);
        ++s.groups;
    }
    json times = json::array(), bytes = json::array(), groups = json::array();
    for (const auto &[interval, s] : steps) {
        times.push_back(timeline.milliseconds(interval));
        bytes.push_back(s.bytes);
        groups.push_back(s.groups);
    }
    return {{"time", times}, {"count", bytes}, {"number", groups}, {"length", steps.size()}};
}

json later(json times, double by) {
    for (json &time : times) time = time.get<double>() + by;
    return times;
}

} // namespace

void firefox_profile::add(const std::string &path, const firefox_timeline &timeline,
                          const recording &r, std::uint64_t nanoseconds) {
    process p;
    p.path = path;
    p.start_ns = r.start_ns;
    p.name = r.command_line.empty()
                 ? "?"
                 : std::filesystem::path(r.command_line.front()).filename().string();
    p.id = r.process_id;
    p.milliseconds = static_cast<double>(nanoseconds) / 1e6;
    p.changes = timeline.changes();
    for (const firefox_timeline::change &c : p.changes)
        p.times.push_back(timeline.milliseconds(c.interval));
    p.live_bytes = live_bytes_of(timeline, p.changes);
    processes_.push_back(std::move(p));
}

bool firefox_profile::process::is_of_run_of(const process &first) const {
    return is_named_for_process(path, first.path, id) ||
           (id == first.id && is_named_before_exec(path, first.path));
}

// In milliseconds after the first process of its run.
double firefox_profile::begin_of(const process &p) const {
    const process *first = &p;
    for (const process &other : processes_)
        if (first->is_of_run_of(other)) first = &other;
    std::uint64_t start_ns = first->start_ns;
    for (const process &other : processes_)
        if (other.is_of_run_of(*first)) start_ns = std::min(start_ns, other.start_ns);
    return static_cast<double>(p.start_ns - start_ns) / 1e6;
}

// Groups that come and go: a pair with the same address is one object to the profiler.
nlohmann::json firefox_profile::process::allocations(std::size_t thread, double begin,
                                                     firefox_frames &frames) const {
    std::vector<double> weights;
    std::vector<std::uint64_t> addresses;
    json stacks = json::array();
    for (const firefox_timeline::change &c : changes) {
        weights.push_back(std::round(c.comes ? c.bytes : -c.bytes));
        addresses.push_back(c.group + 1);
        stacks.push_back(c.comes ? frames.stack_of(c.site) : json(nullptr));
    }
    return {{"time", later(times, begin)},
            {"weight", weights},
            {"weightType", "bytes"},
            {"stack", std::move(stacks)},
            {"memoryAddress", addresses},
            {"threadId", std::vector<std::size_t>(changes.size(), thread)},
            {"length", changes.size()}};
}

std::string firefox_profile::text(const stack_tree &tree, places &names) const {
    firefox_frames frames(tree, names);
    json threads = json::array(), counters = json::array();
    for (std::size_t i = 0; i != processes_.size(); ++i) {
        const process &p = processes_[i];
        // Recordings of two machines may have the same number.
        const std::string id = fmt::format("{}.{}", p.id, i + 1);
        const double begin = begin_of(p);
        json thread = thread_of(begin, begin + p.milliseconds);
        thread["name"] = p.name;
        thread["processName"] = p.name;
        thread["pid"] = id;
        thread["tid"] = i;
        thread["nativeAllocations"] = p.allocations(i, begin, frames);
        threads.push_back(std::move(thread));
        json live_bytes = p.live_bytes;
        live_bytes["time"] = later(live_bytes["time"], begin);
        counters.push_back({{"name", "malloc"},
                            {"category", "Memory"},
                            {"description", "Bytes that live"},
                            {"pid", id},
                            {"mainThreadIndex", i},
                            {"samples", std::move(live_bytes)}});
    }
    const json document{{"meta", meta_of(processes_.empty() ? "toft" : processes_.front().name)},
                        {"libs", frames.libraries()},
                        {"pages", json::array()},
                        {"shared", frames.shared()},
                        {"threads", std::move(threads)},
                        {"counters", std::move(counters)}};
    return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace toft::lab
