// SPDX-License-Identifier: MIT
#include "result_json.hpp"

#include "conclusion.hpp"
#include "result/figures.hpp"
#include "subject/suite.hpp"
#include "warnings.hpp"

#include <cerrno>
#include <fmt/format.h>
#include <fstream>
#include <stdexcept>
#include <system_error>

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
            {"frequency_mhz", m.megahertz}};
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

json describe(std::vector<double> values) {
    const summary s = summarise(values);
    return {{"median", s.median},
            {"lowest", s.lowest},
            {"highest", s.highest},
            {"spread", s.spread},
            {"values", std::move(values)}};
}

json describe(const row &r, const figure &f) {
    return {{"phase", f.phase},
            {"rounds", f.first ? "first" : "later"},
            {"whole", f.whole},
            {"operations", f.operations},
            {"cpu_ns", describe(nanoseconds_of_processes(r, f.of, clock_kind::cpu))},
            {"wall_ns", describe(nanoseconds_of_processes(r, f.of, clock_kind::wall))}};
}

// A sample as its process reported it; instructions only where they were counted.
json describe(const measurement &m) {
    json j = m;
    for (json &phase : j["phases"])
        if (phase["instructions"] == 0) phase["instructions"] = nullptr;
    return j;
}

json describe(const row &r) {
    json j = {{"case", r.case_name},
              {"subject", r.subject},
              {"allocator", r.allocator},
              {"by_allocator", r.by_allocator},
              {"competes", r.competes},
              {"threads", r.threads},
              {"repetitions", r.repetitions},
              {"verdict", to_string(r.judged)},
              {"problem", r.problem},
              {"remark", r.remark},
              {"figures", json::array()},
              {"samples", json::array()},
              {"counted", nullptr}};
    for (const figure &f : figures_of(r)) j["figures"].push_back(describe(r, f));
    for (const measurement &m : r.samples) j["samples"].push_back(describe(m));
    if (r.counted) j["counted"] = describe(*r.counted);
    return j;
}

json describe(const bench_case &c) {
    return {{"name", c.name},
            {"title", c.title},
            {"threads", c.threads},
            {"family", c.family.empty() ? c.name : c.family},
            {"object_bytes", c.object_bytes}};
}

json describe(const suite_result &s) {
    json j = {
        {"name", s.of->name},   {"summary", s.of->summary},     {"conclusion", conclusion_of(s)},
        {"size", s.size},       {"size_unit", s.of->size.unit}, {"cases", json::array()},
        {"rows", json::array()}};
    for (const bench_case &c : s.of->cases)
        if (!s.rows_of(c.name).empty()) j["cases"].push_back(describe(c));
    for (const row &r : s.rows) j["rows"].push_back(describe(r));
    return j;
}

} // namespace

json to_json(const outcome &out, const settings &chosen, const circumstances &around) {
    json j = {{"schema", result_schema},
              {"schema_version", result_schema_version},
              {"started", around.started},
              {"command_line", around.command_line},
              {"seconds", around.seconds},
              {"full", chosen.full},
              {"interrupted", out.interrupted},
              {"warnings", warnings_of(out, around)},
              {"machine", describe(around.machine)},
              {"load",
               {{"average_at_start", around.machine.load_average},
                {"others_cpus", around.load.others_cpus},
                {"stolen_share", around.load.stolen_share}}},
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

json read_result(const std::string &path) {
    std::ifstream file(path);
    if (!file) throw std::system_error(errno, std::generic_category(), "can't read " + path);
    const json j = json::parse(file, nullptr, false);
    if (!j.is_object() || j.value("schema", "") != result_schema)
        throw std::runtime_error(path + " is no result file of toft bench --json");
    const int version = j.value("schema_version", 0);
    if (version != result_schema_version)
        throw std::runtime_error(
            fmt::format("{} has version {} of the result file, and this toft reads version {}: "
                        "measure again with one of the two",
                        path, version, result_schema_version));
    return j;
}

} // namespace toft::lab
