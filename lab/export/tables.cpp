// SPDX-License-Identifier: MIT
#include "tables.hpp"

#include "record/format.h"

#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <set>
#include <stdexcept>

namespace toft::lab {
namespace {

namespace fs = std::filesystem;

constexpr auto number = parquet_type::number;
constexpr auto optional_number = parquet_type::optional_number;
constexpr auto real = parquet_type::real;
constexpr auto optional_real = parquet_type::optional_real;
constexpr auto text = parquet_type::text;

const std::vector<parquet_column> recording_columns = {
    {"recording", number},  {"file", text},      {"program", text},         {"command_line", text},
    {"process_id", number}, {"threads", number}, {"sampled_bytes", number}, {"duration_ns", number},
    {"events", number},     {"objects", number}, {"bytes", number},         {"peak_bytes", number},
    {"incomplete", text}};
const std::vector<parquet_column> site_columns = {{"recording", number},
                                                  {"stack", number},
                                                  {"build_id", text},
                                                  {"module", text},
                                                  {"address", number},
                                                  {"objects", number},
                                                  {"bytes", number},
                                                  {"smallest_bytes", number},
                                                  {"largest_bytes", number},
                                                  {"resizes", number},
                                                  {"objects_at_peak", number},
                                                  {"bytes_at_peak", number},
                                                  {"objects_at_end", number},
                                                  {"bytes_at_end", number},
                                                  {"first_ns", number},
                                                  {"last_ns", number},
                                                  {"mean_lifetime_ns", optional_real}};
const std::vector<parquet_column> lifetime_columns = {{"recording", number},
                                                      {"stack", number},
                                                      {"thread", number},
                                                      {"bytes", number},
                                                      {"last_bytes", number},
                                                      {"resizes", number},
                                                      {"alignment", number},
                                                      {"made_ns", number},
                                                      {"freed_ns", optional_number},
                                                      {"freed_stack", optional_number},
                                                      {"freed_thread", optional_number},
                                                      {"weight", real}};
const std::vector<parquet_column> stack_columns = {
    {"stack", number}, {"parent", number},  {"depth", number},           {"build_id", text},
    {"module", text},  {"address", number}, {"function_address", number}};
const std::vector<parquet_column> frame_columns = {
    {"build_id", text}, {"module", text}, {"address", number}, {"inlined", number},
    {"function", text}, {"file", text},   {"line", number}};

std::string place_of(const std::string &folder, const char *table) {
    return (fs::path(folder) / table).string() + ".parquet";
}

// Numbers are signed in the tables, since that is what every reader of Parquet can join by.
std::int64_t as_signed(std::uint64_t n) { return static_cast<std::int64_t>(n); }
std::int64_t whole(double figure) { return std::llround(figure); }

std::uint64_t number_of(const std::string &bytes) {
    return toft_recording_checksum(bytes.data(), bytes.size());
}

// By its first bytes: they have the process's number and the moment of its beginning by two clocks.
std::int64_t number_of_recording(const std::string &path) {
    constexpr std::size_t enough = 4096;
    std::string begin(enough, '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    begin.resize(static_cast<std::size_t>(file.gcount()));
    return as_signed(number_of(begin));
}

// A stack is its caller's stack, the build of the module, and the address in it.
std::int64_t number_of_stack(const stack_tree &tree, std::uint32_t node, std::int64_t parent) {
    const stack_tree::node &n = tree[node];
    const recorded_module &m = tree.module(n.module);
    const std::uint64_t words[] = {static_cast<std::uint64_t>(parent),
                                   number_of(m.build_id.empty() ? m.path : m.build_id), n.address};
    return as_signed(toft_recording_checksum(words, sizeof words));
}

} // namespace

table_folder::lifetime_table::lifetime_table(const std::string &folder)
    : file(place_of(folder, "lifetimes"), lifetime_columns) {}

void table_folder::lifetime_table::ended(const heap_object &o, const object_end &end) {
    const bool was_seen = end.stack != 0;
    used[o.site] = used[end.stack] = true;
    const auto seen = [&](std::int64_t value) {
        return was_seen ? std::optional(value) : std::nullopt;
    };
    file.add(recording, (*stacks)[o.site], std::int64_t{o.thread}, as_signed(o.first_bytes),
             as_signed(o.bytes), std::int64_t{o.resizes}, std::int64_t{o.alignment},
             as_signed(o.made_ns), std::optional(as_signed(end.time_ns)),
             seen((*stacks)[end.stack]), seen(end.thread), o.weight);
}

void table_folder::lifetime_table::left_alive(const heap_object &o) {
    const std::optional<std::int64_t> never;
    used[o.site] = true;
    file.add(recording, (*stacks)[o.site], std::int64_t{o.thread}, as_signed(o.first_bytes),
             as_signed(o.bytes), std::int64_t{o.resizes}, std::int64_t{o.alignment},
             as_signed(o.made_ns), never, never, never, o.weight);
}

table_folder::made_folder::made_folder(std::string path) : path_(std::move(path)) {
    std::error_code unknown;
    if (fs::exists(path_, unknown) && !fs::is_directory(path_, unknown))
        throw std::runtime_error(
            fmt::format("can't write tables into {}: it is a file, and they take a folder", path_));
    std::error_code error;
    is_new_ = fs::create_directories(path_, error);
    if (error) throw std::system_error(error, "can't make the folder " + path_);
}

table_folder::made_folder::~made_folder() {
    std::error_code has_files;
    if (is_new_) fs::remove(path_, has_files);
}

table_folder::table_folder(const std::string &path)
    : folder_(path),
      recordings_(place_of(path, "recordings"), recording_columns),
      sites_(place_of(path, "sites"), site_columns),
      lifetimes_(path),
      stack_table_(place_of(path, "stacks"), stack_columns),
      frames_(place_of(path, "frames"), frame_columns) {}

void table_folder::begin(const std::string &path, const stack_tree &tree) {
    tree_ = &tree;
    for (auto node = static_cast<std::uint32_t>(stacks_.size()); node != tree.size(); ++node)
        stacks_.push_back(node == 0 ? 0 : number_of_stack(tree, node, stacks_[tree[node].parent]));
    lifetimes_.recording = number_of_recording(path);
    lifetimes_.stacks = &stacks_;
    lifetimes_.used.resize(tree.size());
}

void table_folder::end(const std::string &path, const recording &r,
                       const std::vector<site_total> &sites, const recorded_extent &extent,
                       double peak_bytes) {
    held_objects all;
    for (const site_total &s : sites) {
        const stack_tree::node &n = (*tree_)[s.site];
        const recorded_module &m = tree_->module(n.module);
        lifetimes_.used[s.site] = true;
        all.objects += s.made.objects;
        all.bytes += s.made.bytes;
        sites_.add(lifetimes_.recording, stacks_[s.site], m.build_id, m.path, as_signed(n.address),
                   whole(s.made.objects), whole(s.made.bytes), as_signed(s.smallest),
                   as_signed(s.largest), as_signed(s.resizes), whole(s.at_peak.objects),
                   whole(s.at_peak.bytes), whole(s.alive.objects), whole(s.alive.bytes),
                   as_signed(s.first_ns), as_signed(s.last_ns),
                   s.ended > 0 ? std::optional(s.lifetime_ns / s.ended) : std::nullopt);
    }
    recordings_.add(lifetimes_.recording, path,
                    r.command_line.empty() ? std::string() : r.command_line.front(),
                    fmt::format("{}", fmt::join(r.command_line, " ")), as_signed(r.process_id),
                    static_cast<std::int64_t>(r.threads.size()), as_signed(r.sampled_bytes),
                    as_signed(extent.duration_ns), as_signed(extent.events), whole(all.objects),
                    whole(all.bytes), whole(peak_bytes), r.incomplete);
}

void table_folder::add_stacks(places &names) {
    std::vector<bool> &used = lifetimes_.used;
    std::set<std::pair<std::uint32_t, std::uint64_t>> named;
    // A caller's number is below that of whom it calls.
    for (std::size_t node = used.size(); node-- > 1;)
        if (used[node]) used[(*tree_)[static_cast<std::uint32_t>(node)].parent] = true;
    for (std::uint32_t node = 1; node < used.size(); ++node) {
        if (!used[node]) continue;
        const stack_tree::node &n = (*tree_)[node];
        const recorded_module &m = tree_->module(n.module);
        stack_table_.add(stacks_[node], stacks_[n.parent], std::int64_t{n.depth}, m.build_id,
                         m.path, as_signed(n.address), as_signed(n.code));
        if (!named.insert({n.module, n.address}).second) continue;
        const std::span<const source_place> all = names.at(node);
        for (std::size_t i = 0; i != all.size(); ++i)
            frames_.add(m.build_id, m.path, as_signed(n.address),
                        static_cast<std::int64_t>(all.size() - 1 - i), all[i].function, all[i].file,
                        std::int64_t{all[i].line});
    }
}

void table_folder::finish(places &names) {
    add_stacks(names);
    const auto all = {&recordings_, &sites_, &lifetimes_.file, &stack_table_, &frames_};
    for (parquet_file *file : all) file->complete();
    for (parquet_file *file : all) file->finish();
}

} // namespace toft::lab
