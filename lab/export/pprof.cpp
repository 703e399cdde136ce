// SPDX-License-Identifier: MIT
#include "pprof.hpp"

#include "gzip.hpp"
#include "protobuf.hpp"
#include "show/utf_8.hpp"

#include <cmath>
#include <unordered_map>

namespace toft::lab {
namespace {

// The numbers of the fields, as profile.proto has them.
namespace field {
enum : unsigned { type_type = 1, type_unit };
enum : unsigned { sample_locations = 1, sample_values };
enum : unsigned { mapping_id = 1, mapping_start, mapping_limit, mapping_file = 5, mapping_build };
enum : unsigned { mapping_functions = 7, mapping_files, mapping_lines, mapping_inlined };
enum : unsigned { location_id = 1, location_mapping, location_address, location_line };
enum : unsigned { line_function = 1, line_number };
enum : unsigned { function_id = 1, function_name, function_system_name, function_file };
enum : unsigned { profile_type = 1, profile_sample, profile_mapping, profile_location };
enum : unsigned { profile_function = 5, profile_string, profile_drop, profile_nanoseconds = 10 };
enum : unsigned { profile_period_type = 11, profile_period, profile_comment, profile_default };
} // namespace field

// What pprof leaves out at the end of a stack, so that the function that asked for memory stands
// there, as without it malloc's own name does.
constexpr const char *dropped_functions = "operator new(\\[\\])?";

// Files are told apart by their addresses; in truth each begins at 0.
constexpr unsigned module_shift = 40;

class writer {
  public:
    writer(const stack_tree &tree, places &names, std::string program)
        : tree_(tree),
          names_(names),
          program_(std::move(program)) {
        string(""); // which must be the first
    }

    std::uint64_t string(const std::string &text) {
        const auto [known, added] = strings_.try_emplace(text, strings_.size());
        if (added) profile.text(field::profile_string, as_utf_8(text));
        return known->second;
    }

    protobuf value_type(const char *type, const char *unit) {
        protobuf m;
        m.number(field::type_type, string(type));
        m.number(field::type_unit, string(unit));
        return m;
    }

    void sample(std::uint32_t node, const std::vector<std::uint64_t> &values) {
        std::vector<std::uint64_t> stack;
        for (; node != 0; node = tree_[node].parent) stack.push_back(location(node));
        protobuf m;
        m.numbers(field::sample_locations, stack);
        m.numbers(field::sample_values, values);
        profile.message(field::profile_sample, m);
    }

    // The first is the program's own, as pprof expects.
    void mappings() {
        std::vector<std::uint32_t> order;
        for (const auto &[module, limit] : limits_)
            order.insert(tree_.module(module).path == program_ ? order.begin() : order.end(),
                         module);
        for (const std::uint32_t module : order) mapping(module);
    }

    protobuf profile;

  private:
    std::uint64_t function(const source_place &p) {
        const auto [known, added] =
            functions_.try_emplace({p.function, p.file}, functions_.size() + 1);
        if (!added) return known->second;
        protobuf m;
        m.number(field::function_id, known->second);
        m.number(field::function_name, string(p.function));
        m.number(field::function_system_name, string(p.function));
        m.number(field::function_file, string(p.file));
        profile.message(field::profile_function, m);
        return known->second;
    }

    std::uint64_t location(std::uint32_t node) {
        const stack_tree::node &n = tree_[node];
        const auto [known, added] =
            locations_.try_emplace({n.module, n.address}, locations_.size() + 1);
        if (!added) return known->second;
        const std::uint64_t call = n.address - 1; // it returns behind the call
        protobuf m;
        m.number(field::location_id, known->second);
        if (tree_.module(n.module).path.empty()) { // code that was made at run time
            m.number(field::location_address, call);
        } else {
            std::uint64_t &limit = limits_[n.module];
            limit = std::max(limit, call + 1);
            m.number(field::location_mapping, n.module + 1U);
            m.number(field::location_address, base_of(n.module) + call);
        }
        for (const source_place &p : names_.at(node)) {
            protobuf line;
            line.number(field::line_function, function(p));
            line.number(field::line_number, p.line);
            m.message(field::location_line, line);
        }
        profile.message(field::profile_location, m);
        return known->second;
    }

    static std::uint64_t base_of(std::uint32_t module) {
        return std::uint64_t{module + 1U} << module_shift;
    }

    void mapping(std::uint32_t module) {
        const recorded_module &file = tree_.module(module);
        protobuf m;
        m.number(field::mapping_id, module + 1U);
        m.number(field::mapping_start, base_of(module));
        m.number(field::mapping_limit, base_of(module) + limits_[module]);
        m.number(field::mapping_file, string(file.path));
        m.number(field::mapping_build, string(file.build_id));
        for (const unsigned has : {field::mapping_functions, field::mapping_files,
                                   field::mapping_lines, field::mapping_inlined})
            m.number(has, 1);
        profile.message(field::profile_mapping, m);
    }

    const stack_tree &tree_;
    places &names_;
    std::string program_;
    std::unordered_map<std::string, std::uint64_t> strings_;
    std::map<std::pair<std::string, std::string>, std::uint64_t> functions_;
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> locations_;
    std::map<std::uint32_t, std::uint64_t> limits_; // of each module, behind its last address
};

std::uint64_t whole(double figure) {
    return figure > 0 ? static_cast<std::uint64_t>(std::llround(figure)) : 0;
}

} // namespace

void pprof_profile::add(const std::vector<site_total> &sites, const recording &r,
                        std::uint64_t nanoseconds) {
    const auto add_up = [](held_objects &to, const held_objects &more) {
        to.objects += more.objects;
        to.bytes += more.bytes;
    };
    for (const site_total &s : sites) {
        values &v = sites_[s.site];
        add_up(v.made, s.made);
        add_up(v.at_peak, s.at_peak);
        add_up(v.at_end, s.alive);
    }
    if (const recorded_module *m = module_of_program(r); m && program_.empty()) program_ = m->path;
    nanoseconds_ += nanoseconds;
    sampled_bytes_ = std::max(sampled_bytes_, r.sampled_bytes);
}

std::string pprof_profile::text(const stack_tree &tree, places &names) const {
    writer to(tree, names, program_);
    constexpr const char *types[][2] = {{"alloc_objects", "count"}, {"alloc_space", "bytes"},
                                        {"inuse_objects", "count"}, {"inuse_space", "bytes"},
                                        {"exit_objects", "count"},  {"exit_space", "bytes"}};
    for (const auto &[type, unit] : types)
        to.profile.message(field::profile_type, to.value_type(type, unit));
    for (const auto &[node, v] : sites_)
        to.sample(node, {whole(v.made.objects), whole(v.made.bytes), whole(v.at_peak.objects),
                         whole(v.at_peak.bytes), whole(v.at_end.objects), whole(v.at_end.bytes)});
    to.mappings();
    to.profile.number(field::profile_drop, to.string(dropped_functions));
    to.profile.number(field::profile_nanoseconds, nanoseconds_);
    to.profile.message(field::profile_period_type, to.value_type("space", "bytes"));
    to.profile.number(field::profile_period, std::max<std::uint64_t>(sampled_bytes_, 1));
    for (const char *comment :
         {"alloc: all that was made, a resize's new size included",
          "inuse: what lived at the moment when the process held the most bytes",
          "exit: what was never freed"})
        to.profile.numbers(field::profile_comment, {to.string(comment)});
    to.profile.number(field::profile_default, to.string("inuse_space"));
    return gzipped(to.profile.bytes());
}

} // namespace toft::lab
