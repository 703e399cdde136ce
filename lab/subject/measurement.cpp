// SPDX-License-Identifier: MIT
#include "measurement.hpp"

using nlohmann::json;

// These two are found by argument-dependent look-up, so they stand in the type's namespace: the
// global one for a C struct.
static void to_json(json &j, const toft_heap_counts &c) {
    j = {{"allocations", c.allocations}, {"deallocations", c.deallocations}, {"bytes", c.bytes}};
}

static void from_json(const json &j, toft_heap_counts &c) {
    j.at("allocations").get_to(c.allocations);
    j.at("deallocations").get_to(c.deallocations);
    j.at("bytes").get_to(c.bytes);
}

namespace toft::lab {

static void to_json(json &j, const phase_sample &s) {
    j = {{"phase", s.phase},
         {"round", s.round},
         {"operations", s.operations},
         {"allocations", s.allocations},
         {"wall_ns", s.spent.wall_ns},
         {"cpu_ns", s.spent.cpu_ns},
         {"minor_faults", s.spent.minor_faults},
         {"major_faults", s.spent.major_faults},
         {"instructions", s.spent.instructions}};
}

static void from_json(const json &j, phase_sample &s) {
    j.at("phase").get_to(s.phase);
    j.at("round").get_to(s.round);
    j.at("operations").get_to(s.operations);
    j.at("allocations").get_to(s.allocations);
    j.at("wall_ns").get_to(s.spent.wall_ns);
    j.at("cpu_ns").get_to(s.spent.cpu_ns);
    j.at("minor_faults").get_to(s.spent.minor_faults);
    j.at("major_faults").get_to(s.spent.major_faults);
    j.at("instructions").get_to(s.spent.instructions);
}

void to_json(json &j, const measurement &m) {
    j = {{"phases", m.phases},
         {"heap", m.heap},
         {"expected_heap_allocations", m.expected_heap_allocations},
         {"chunks", m.chunks},
         {"peak_bytes", m.peak_bytes},
         {"minor_faults", m.minor_faults},
         {"major_faults", m.major_faults},
         {"process_cpu_ns", m.process_cpu_ns},
         {"figures", m.figures},
         {"after", m.after},
         {"version", m.version},
         {"failure", m.failure}};
}

void from_json(const json &j, measurement &m) {
    j.at("phases").get_to(m.phases);
    j.at("heap").get_to(m.heap);
    j.at("expected_heap_allocations").get_to(m.expected_heap_allocations);
    j.at("chunks").get_to(m.chunks);
    j.at("peak_bytes").get_to(m.peak_bytes);
    j.at("minor_faults").get_to(m.minor_faults);
    j.at("major_faults").get_to(m.major_faults);
    j.at("process_cpu_ns").get_to(m.process_cpu_ns);
    j.at("figures").get_to(m.figures);
    j.at("after").get_to(m.after);
    j.at("version").get_to(m.version);
    j.at("failure").get_to(m.failure);
}

} // namespace toft::lab
