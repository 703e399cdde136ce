// SPDX-License-Identifier: MIT
#include "result_file.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

using nlohmann::json;

namespace toft::lab {
namespace {

json describe(const machine_facts &m) {
    return {{"cpu", m.cpu},
            {"cpus", m.cpus},
            {"hypervisor", m.hypervisor},
            {"memory_bytes", m.memory_bytes},
            {"system", m.system},
            {"kernel", m.kernel},
            {"huge_pages", m.huge_pages},
            {"huge_pages_defrag", m.huge_defrag},
            {"frequency_governor", m.governor},
            {"load_average", m.load_average}};
}

json describe(const build_facts &b) {
    return {{"compiler", b.compiler},
            {"flags", b.flags},
            {"type", b.type},
            {"optimised", b.optimised},
            {"toft_version", TOFT_LAB_VERSION}};
}

json describe(const allocator &a) {
    return {
        {"name", a.name}, {"present", a.present()}, {"version", a.version}, {"library", a.preload}};
}

json describe(const summary &s) {
    return {
        {"median", s.median}, {"lowest", s.lowest}, {"highest", s.highest}, {"spread", s.spread}};
}

// Of each phase in each round; every process has the same, so the first names them.
json summaries_of(const row &r) {
    json all = json::array();
    if (r.samples.empty()) return all;
    for (const phase_sample &s : r.samples.front().phases) {
        const selection of{{s.phase}, s.round, s.round};
        all.push_back(
            {{"phase", s.phase},
             {"round", s.round},
             {"operations", s.operations},
             {"cpu_ns", describe(summarise(nanoseconds_of_processes(r, of, clock_kind::cpu)))},
             {"wall_ns", describe(summarise(nanoseconds_of_processes(r, of, clock_kind::wall)))}});
    }
    return all;
}

json describe(const row &r) {
    json j = {{"case", r.case_name},
              {"subject", r.subject},
              {"allocator", r.allocator},
              {"by_allocator", r.by_allocator},
              {"competes", r.competes},
              {"repetitions", r.repetitions},
              {"verdict", to_string(r.judged)},
              {"problem", r.problem},
              {"summaries", summaries_of(r)},
              {"samples", r.samples},
              {"counted", nullptr}};
    if (r.counted) j["counted"] = *r.counted;
    return j;
}

json describe(const suite_result &s) {
    json j = {{"name", s.of->name},
              {"size", s.size},
              {"size_unit", s.of->size.unit},
              {"rows", json::array()}};
    for (const row &r : s.rows) j["rows"].push_back(describe(r));
    return j;
}

[[noreturn]] void fail(const std::string &path) {
    throw std::system_error(errno, std::generic_category(), "can't write " + path);
}

// A place that exists and isn't a regular file (a device, a pipe) is written to as it is.
bool is_special(const std::string &path) {
    struct stat status{};
    return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

} // namespace

json to_json(const outcome &out, const settings &chosen, const circumstances &around) {
    json j = {{"schema", "toft-bench"},
              {"schema_version", result_schema_version},
              {"started", around.started},
              {"command_line", around.command_line},
              {"quick", chosen.quick},
              {"interrupted", out.interrupted},
              {"machine", describe(around.machine)},
              {"build", describe(around.build)},
              {"allocators", json::array()},
              {"left_out", json::array()},
              {"suites", json::array()}};
    for (const allocator &a : chosen.allocators) j["allocators"].push_back(describe(a));
    for (const left_out &l : out.missing)
        j["left_out"].push_back({{"what", l.what}, {"why", l.why}});
    for (const suite_result &s : out.suites) j["suites"].push_back(describe(s));
    return j;
}

result_file::result_file(std::string path)
    : path_(std::move(path)),
      draft_(is_special(path_) ? path_ : path_ + ".part"),
      descriptor_(open(draft_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) fail(path_);
}

result_file::~result_file() {
    if (descriptor_ < 0) return;
    close(descriptor_);
    drop_draft();
}

void result_file::drop_draft() {
    if (draft_ != path_) unlink(draft_.c_str());
}

void result_file::write(const json &content) {
    const std::string text = content.dump(1) + '\n';
    for (std::size_t written = 0; written != text.size();) {
        const ssize_t n = ::write(descriptor_, text.data() + written, text.size() - written);
        if (n < 0 && errno != EINTR) fail(path_);
        if (n > 0) written += static_cast<std::size_t>(n);
    }
    const bool closed = close(std::exchange(descriptor_, -1)) == 0;
    if (closed && (draft_ == path_ || rename(draft_.c_str(), path_.c_str()) == 0)) return;
    const int error = errno;
    drop_draft();
    errno = error;
    fail(path_);
}

} // namespace toft::lab
