// SPDX-License-Identifier: MIT
#include "verified_program.hpp"

#include "plan_of_advice.hpp"
#include "run/elf_file.hpp"
#include "run/paths.hpp"
#include "run/preloaded_program.hpp"
#include "run/recognise.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>

namespace toft::lab {
namespace {

namespace fs = std::filesystem;

constexpr const char *verifier_file = "verifier.so";

void refuse_what_cannot_be_verified(const std::string &program) {
    const recognised_program known = recognise_program(program);
    if (!known.trouble.empty()) throw std::invalid_argument(known.trouble);
    if (!fs::exists(helper_path(verifier_file)))
        throw std::invalid_argument("this toft has no verifier: that needs Linux on x86-64 and "
                                    "glibc 2.35 or newer when it is built");
}

// Other code may stand at the recorded addresses of a file that was built anew.
void refuse_another_build(const region_plan &plan) {
    for (const recorded_module &m : plan.modules) {
        if (m.build_id.empty() || !fs::is_regular_file(m.path)) continue;
        const std::optional<elf_file> now = read_elf_file(m.path);
        if (now && !now->build_id.empty() && now->build_id != m.build_id)
            throw std::invalid_argument(
                fmt::format("{} is another build than the recorded one (build id {}, not {}): "
                            "record the program again",
                            m.path, now->build_id, m.build_id));
    }
}

// It may lack its end.
template <std::size_t Size>
std::string text_of(const char (&bytes)[Size]) {
    return {bytes, strnlen(bytes, Size)};
}

known_stack stack_of(const toft_verify_finding &f, const toft_verify_stack &s) {
    known_stack stack;
    stack.is_cut = s.is_cut != 0;
    for (std::uint32_t i = 0; i != std::min<std::uint32_t>(s.count, toft_verify_frames_most); ++i) {
        called_from frame;
        frame.address = s.frames[i].address;
        if (s.frames[i].module <
            std::min<std::uint32_t>(f.module_count, toft_verify_modules_most)) {
            const toft_verify_module &m = f.modules[s.frames[i].module];
            frame.module.path = text_of(m.path);
            const auto bytes = std::min<std::uint32_t>(m.build_id_bytes, toft_verify_build_id_most);
            for (std::uint32_t b = 0; b != bytes; ++b)
                frame.module.build_id += fmt::format("{:02x}", m.build_id[b]);
        }
        stack.frames.push_back(std::move(frame));
    }
    return stack;
}

use_after_end finding_of(const toft_verify_finding &f) {
    use_after_end found;
    found.how = static_cast<late_use>(f.use);
    found.system_call = text_of(f.system_call);
    found.process = f.process;
    found.object_bytes = f.object_bytes;
    found.offset = f.offset;
    found.was_freed = f.was_freed != 0;
    found.end_seen_late = f.is_late != 0;
    found.made = stack_of(f, f.made);
    found.ended = stack_of(f, f.ended);
    found.used = stack_of(f, f.used);
    return found;
}

} // namespace

verified_run what_came_of(shared_plan &file) {
    const toft_verify_plan &p = *file;
    verified_run run;
    run.processes = p.processes;
    run.placed = p.placed;
    run.not_placed = p.not_placed;
    run.begun = p.begun;
    run.ended = p.ended;
    run.lives = p.lives;
    run.ended_late = p.ended_late;
    run.ended_readable = p.ended_readable;
    run.other_exits = p.other_exits;
    const std::span<const std::uint64_t> seen = file.seen();
    run.sites = seen.size();
    run.sites_seen = static_cast<std::uint64_t>(
        std::count_if(seen.begin(), seen.end(), [](std::uint64_t n) { return n != 0; }));
    for (const toft_verify_finding &f : p.findings)
        if (f.is_complete) run.findings.push_back(finding_of(f));
    return run;
}

bool told_calls_apart(const verified_run &run, const advice &a) {
    if (!run.inlined || a.objects == 0) return true;
    if (run.begun < 2 * std::max<std::uint64_t>(run.processes, 1)) return false; // or many calls
    const double share = static_cast<double>(run.placed) / static_cast<double>(a.objects);
    return static_cast<double>(run.begun) * 2 >= static_cast<double>(a.lives) * share;
}

bool saw_enough(const verified_run &run, const advice &a) {
    const bool missed_every_end = run.ended == 0 && run.other_exits != 0;
    return run.processes != 0 && run.placed != 0 && !missed_every_end && run.ended_readable == 0 &&
           told_calls_apart(run, a);
}

std::string obstacle_to_verify(const advice &a) {
    const bool is_region =
        a.what == remedy::arena || a.what == remedy::reap || a.what == remedy::inline_buffer;
    if (!is_region)
        return fmt::format("advice {} makes no region, so that there is no end after which its "
                           "objects could be used",
                           a.number);
    if (a.function == 0)
        return fmt::format("the region of advice {} lasts as long as its thread, so that there is "
                           "no end after which its objects could be used",
                           a.number);
    return {};
}

verified_run verify_program(const advice &a, const stack_tree &tree, const code_source &code,
                            const std::vector<std::string> &words) {
    refuse_what_cannot_be_verified(words.front());
    const region_plan plan = plan_of(a, tree, code);
    refuse_another_build(plan);
    shared_plan file(plan);
    const preloaded_end end = run_preloaded(words, helper_path(verifier_file), [&] {
        setenv(TOFT_VERIFY_FILE, file.path().c_str(), 1);
    });
    verified_run run = what_came_of(file);
    run.wait_status = end.wait_status;
    run.inlined = !plan.copies.empty();
    return run;
}

} // namespace toft::lab
