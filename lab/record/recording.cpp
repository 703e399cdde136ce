// SPDX-License-Identifier: MIT
#include "recording.hpp"

#include "callee_guesses.h"
#include "recorded_events.hpp"
#include "run/interrupt.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <unordered_map>

namespace toft::lab {
namespace {

// What an event costs the program beside what the recorder times: before and behind that, and in
// cold caches. In ten programs that was 23 ns at most.
constexpr std::uint64_t untimed_event_ns = 16;

// What a call of the heap takes of the program itself, at least: glibc's fastest malloc with its
// free takes 5 ns in the README's tables, and 4 ns a call in a program of nothing but such pairs.
constexpr double least_event_ns = 2.5;
// And what it takes to start, of a program that does nothing.
constexpr double least_start_ns = 500'000;

struct node_hash {
    std::size_t operator()(const stack_node &n) const {
        std::uint64_t h = n.address * 0x9e3779b97f4a7c15U;
        h ^= (std::uint64_t{n.parent} << 32 | n.module) + (h >> 29);
        return static_cast<std::size_t>(h * 0xff51afd7ed558ccdU >> 7);
    }
};

struct node_equal {
    bool operator()(const stack_node &a, const stack_node &b) const {
        return a.parent == b.parent && a.module == b.module && a.address == b.address;
    }
};

// Takes the blocks in, one after the other.
class assembly {
  public:
    assembly() {
        result.modules.emplace_back(); // 0: what lies in no file
        result.stacks.emplace_back();
        depths_.push_back(0);
        modules_.push_back(0);
        index->stacks.push_back(0);
    }

    void take_block(const toft_block_header &, std::uint64_t offset, std::span<const std::byte>);
    recording finish(std::string cut);

    recording result;
    std::shared_ptr<event_index> index = std::make_shared<event_index>();

  private:
    bool take_process(std::span<const std::byte>);
    bool take_module(std::span<const std::byte>);
    bool take_stacks(std::span<const std::byte>, std::uint32_t count);
    bool take_function(std::span<const std::byte> &, toft_callee &guess) const;
    bool take_node(std::span<const std::byte> &);
    bool take_thread(std::span<const std::byte>);
    bool take_events(std::span<const std::byte>, event_block);
    bool take_time(std::span<const std::byte>);
    bool take_counts(std::span<const std::byte>);
    program_time time_of_program() const;
    recorded_thread &thread_of(std::uint32_t number);

    std::vector<std::uint32_t> modules_; // from the file's number to the recording's
    std::map<std::pair<std::string, std::string>, std::uint32_t> known_modules_;
    std::unordered_map<stack_node, std::uint32_t, node_hash, node_equal> known_nodes_;
    std::vector<std::uint32_t> depths_; // of the recording's stacks, in frames
    std::vector<toft_callee> callees_ = std::vector<toft_callee>(toft_callees_guessed);
    std::uint64_t last_ticks_ = 0, last_nanoseconds_ = 0;
    std::optional<toft_time_payload> time_;
    file_end end_;
};

std::string text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

bool assembly::take_process(std::span<const std::byte> payload) {
    toft_process_payload process{};
    if (!take(payload, process) || process.command_line_bytes != payload.size()) return false;
    result.process_id = process.process_id;
    result.sampled_bytes = process.sampled_bytes;
    index->clock.start_ticks = process.start_ticks;
    result.start_ns = process.start_nanoseconds;
    const std::string words = text_of(payload);
    for (std::size_t begin = 0; begin < words.size();) {
        const std::size_t end = std::min(words.find('\0', begin), words.size());
        result.command_line.push_back(words.substr(begin, end - begin));
        begin = end + 1;
    }
    return true;
}

bool assembly::take_module(std::span<const std::byte> payload) {
    toft_module_payload head{};
    if (!take(payload, head) || head.module != modules_.size() ||
        std::uint64_t{head.build_id_bytes} + head.path_bytes != payload.size())
        return false;
    recorded_module module;
    for (const std::byte b : payload.first(head.build_id_bytes))
        module.build_id += fmt::format("{:02x}", std::to_integer<unsigned>(b));
    module.path = text_of(payload.subspan(head.build_id_bytes));
    const auto [known, is_new] = known_modules_.try_emplace(
        {module.path, module.build_id}, static_cast<std::uint32_t>(result.modules.size()));
    if (is_new) result.modules.push_back(std::move(module));
    modules_.push_back(known->second);
    return true;
}

bool assembly::take_function(std::span<const std::byte> &from, toft_callee &guess) const {
    std::uint64_t code = 0, difference = 0;
    if (!take_number(from, code)) return false;
    if (code == 0) return guess.module < modules_.size();
    if (code > modules_.size() || !take_number(from, difference)) return false;
    guess.module = static_cast<std::uint32_t>(code - 1);
    guess.begin += toft_unfolded(difference);
    return true;
}

bool assembly::take_node(std::span<const std::byte> &from) {
    std::uint64_t distance = 0, behind = 0;
    const std::uint64_t number = index->stacks.size();
    if (!take_number(from, distance) || distance == 0 || distance > number) return false;
    const std::uint32_t parent = index->stacks[number - distance];
    const std::uint64_t caller = distance < toft_callers_known ? result.stacks[parent].address : 0;
    toft_callee &callee = callees_[toft_callee_of(static_cast<std::uint32_t>(caller))];
    if (!take_function(from, callee) || !take_number(from, behind)) return false;
    const stack_node node{parent, modules_[callee.module], callee.begin + behind, callee.begin};
    const auto [known, is_new] =
        known_nodes_.try_emplace(node, static_cast<std::uint32_t>(result.stacks.size()));
    if (is_new) {
        result.stacks.push_back(node);
        depths_.push_back(depths_[node.parent] + 1);
    }
    index->stacks.push_back(known->second);
    return depths_[known->second] <= recorded_depth_most;
}

bool assembly::take_stacks(std::span<const std::byte> payload, std::uint32_t count) {
    toft_stacks_payload head{};
    if (!take(payload, head) || head.first_node != index->stacks.size() ||
        head.plain_bytes > recorded_plain_bytes_most)
        return false;
    recorded_bytes plain(head.plain_bytes);
    if (payload.size() == plain.size())
        std::copy(payload.begin(), payload.end(), plain.begin());
    else if (!decompress(payload, plain))
        return false;
    std::span<const std::byte> from = plain;
    for (std::uint32_t i = 0; i < count; ++i)
        if (!take_node(from)) return false;
    return true;
}

recorded_thread &assembly::thread_of(std::uint32_t number) {
    if (number >= result.threads.size()) {
        result.threads.resize(std::size_t{number} + 1);
        index->blocks.resize(std::size_t{number} + 1);
    }
    return result.threads[number];
}

bool assembly::take_thread(std::span<const std::byte> payload) {
    toft_thread_payload head{};
    if (!take(payload, head) || head.thread >= toft_threads_most) return false;
    recorded_thread &thread = thread_of(head.thread);
    thread.system_id = head.system_id;
    const char *const begin = head.name;
    const char *end = std::find(begin, begin + sizeof head.name, '\0');
    if (end != begin) thread.name.assign(begin, end);
    return true;
}

bool assembly::take_events(std::span<const std::byte> payload, event_block block) {
    toft_events_payload head{};
    if (!take(payload, head) || head.thread >= result.threads.size() ||
        head.time_shift > recorded_shift_most)
        return false;
    block.first_ticks = head.first_time << head.time_shift;
    result.events += block.count;
    index->has_resizes |= head.counts[toft_event_resize] != 0;
    index->blocks[head.thread].push_back(block);
    return true;
}

bool assembly::take_time(std::span<const std::byte> payload) {
    toft_time_payload time{};
    if (!take(payload, time)) return false;
    time_ = time;
    return true;
}

bool assembly::take_counts(std::span<const std::byte> payload) {
    toft_end_payload end{};
    if (!take_end(payload, end)) return false;
    result.missed_events = end.missed_events;
    result.cut_stacks = end.cut_stacks;
    result.switched_events = end.switched_events;
    return true;
}

void assembly::take_block(const toft_block_header &header, std::uint64_t offset,
                          std::span<const std::byte> payload) {
    last_ticks_ = header.ticks;
    last_nanoseconds_ = header.nanoseconds;
    end_.see(header, payload);
    bool good = true;
    switch (header.kind) {
    case toft_block_process:
        good = take_process(payload);
        break;
    case toft_block_module:
        good = take_module(payload);
        break;
    case toft_block_stacks:
        good = take_stacks(payload, header.records);
        break;
    case toft_block_thread:
        good = take_thread(payload);
        break;
    case toft_block_events:
        good = take_events(payload, {offset, header.payload_bytes, header.records, 0});
        break;
    case toft_block_time:
        good = take_time(payload);
        break;
    case toft_block_end:
        good = take_counts(payload);
        break;
    default:
        break; // a later version's, that this one can do without
    }
    if (!good) index->file->damaged(offset);
}

// Damage must not lead to numbers that don't fit.
program_time assembly::time_of_program() const {
    constexpr double longest_ns = 1e18; // thirty years
    const double all_ns = std::min(static_cast<double>(time_->processor_ns), longest_ns);
    const double timed_ns =
        static_cast<double>(time_->writing_ns) +
        static_cast<double>(time_->event_ticks) * index->clock.nanoseconds_per_tick;
    const double untimed_ns = static_cast<double>(result.events * untimed_event_ns);
    // Recording costs more than what was timed: the program's own work finds what the recorder has
    // left in the caches. In most programs that was at most 15 % of what was timed. So a small rest
    // says no more than that it is small: of a program that did nothing but call its heap, a
    // sixtieth was its own where the rest said a tenth. Its start and its calls of the heap are
    // what it has taken for sure.
    const double beside_ns = 0.15 * timed_ns;
    const double rest_ns = all_ns - timed_ns - untimed_ns;
    const bool only_at_most = rest_ns < all_ns / 5;
    const double heap_ns =
        std::min(static_cast<double>(result.events) * least_event_ns, all_ns / 20);
    const double most_ns = std::max(all_ns - timed_ns, all_ns / 5);
    const double least_ns =
        std::max(heap_ns, only_at_most ? std::min(least_start_ns, most_ns) : rest_ns - beside_ns);
    return {static_cast<std::uint64_t>(least_ns), static_cast<std::uint64_t>(most_ns),
            only_at_most};
}

recording assembly::finish(std::string cut) {
    recorded_clock &clock = index->clock;
    result.duration_ns = std::max(last_nanoseconds_, result.start_ns) - result.start_ns;
    if (last_ticks_ > clock.start_ticks && result.duration_ns != 0)
        clock.nanoseconds_per_tick = static_cast<double>(result.duration_ns) /
                                     static_cast<double>(last_ticks_ - clock.start_ticks);
    if (time_) result.time = time_of_program();
    result.incomplete = std::move(cut);
    if (result.incomplete.empty()) result.incomplete = end_.why_missing();
    result.for_each = [index = index](const auto &callback) {
        const bool was_interrupted = interrupted(); // this pass is for what was done until then
        for_each_event(*index, [&](std::span<const heap_event> events) {
            if (!was_interrupted) stop_if_interrupted();
            callback(events);
        });
    };
    return std::move(result);
}

} // namespace

double recording::weight_of(std::uint64_t bytes) const {
    if (sampled_bytes == 0) return 1;
    const auto of_one_byte_at_least = static_cast<double>(std::max<std::uint64_t>(bytes, 1));
    return -1 / std::expm1(-of_one_byte_at_least / static_cast<double>(sampled_bytes));
}

recording read_recording(const std::string &path) {
    assembly parts;
    parts.index->file = std::make_unique<recorded_file>(path);
    std::string cut =
        parts.index->file->for_each_block([&](const toft_block_header &header, std::uint64_t offset,
                                              std::span<const std::byte> payload) {
            stop_if_interrupted();
            parts.take_block(header, offset, payload);
        });
    return parts.finish(std::move(cut));
}

} // namespace toft::lab
