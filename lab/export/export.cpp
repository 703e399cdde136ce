// SPDX-License-Identifier: MIT
#include "export.hpp"

#include "advice/gaps.hpp"
#include "advice/places.hpp"
#include "firefox.hpp"
#include "gzip.hpp"
#include "pprof.hpp"
#include "run/interrupt.hpp"
#include "tables.hpp"

#include <fmt/format.h>
#include <optional>

namespace toft::lab {
namespace {

// What is asked for; its places must be writable before the work begins.
class outputs {
  public:
    explicit outputs(const export_request &asked)
        : firefox_is_gzipped_(asked.firefox_path.ends_with(".gz")) {
        if (!asked.pprof_path.empty()) pprof_file_.emplace(asked.pprof_path);
        if (!asked.firefox_path.empty()) firefox_file_.emplace(asked.firefox_path);
        if (!asked.table_folder.empty()) tables_.emplace(asked.table_folder);
        if (pprof_file_ || (firefox_file_ && firefox_is_gzipped_)) gzipped({}); // it can
    }

    recorded_extent take(const std::string &path, stack_tree &tree) {
        const recording r = read_recording(path);
        const std::vector<std::uint32_t> nodes = tree.merge(r);
        site_totals totals(tree.size());
        firefox_timeline timeline;
        std::vector<object_listener *> listeners{&totals};
        if (firefox_file_) listeners.push_back(&timeline);
        if (tables_) {
            tables_->begin(path, tree);
            listeners.push_back(&tables_->lifetimes());
        }
        const recorded_extent extent = for_each_object(r, nodes, listeners);
        const std::vector<site_total> &sites = totals.finish();
        if (pprof_file_) pprof_.add(sites, r, extent.duration_ns);
        if (firefox_file_) firefox_.add(path, timeline, r, extent.duration_ns);
        if (tables_) tables_->end(path, r, sites, extent, totals.peak_bytes());
        if (!r.incomplete.empty())
            remarks.push_back(fmt::format("{}: the end is missing: {}", path, r.incomplete));
        for (const std::string &gap : gaps_of(r))
            remarks.push_back(fmt::format("{}: {}", path, gap));
        return extent;
    }

    // All that may fail for want of room comes before anything is put in its place.
    void finish(const stack_tree &tree, const symbol_source &symbols) {
        places names(tree, symbols);
        if (pprof_file_) pprof_file_->append(pprof_.text(tree, names));
        if (firefox_file_) {
            const std::string text = firefox_.text(tree, names);
            firefox_file_->append(firefox_is_gzipped_ ? gzipped(text) : text);
        }
        if (tables_) tables_->finish(names);
        if (pprof_file_) pprof_file_->finish();
        if (firefox_file_) firefox_file_->finish();
    }

    std::vector<std::string> remarks;

  private:
    bool firefox_is_gzipped_;
    std::optional<output_file> pprof_file_, firefox_file_;
    std::optional<table_folder> tables_;
    pprof_profile pprof_;
    firefox_profile firefox_;
};

} // namespace

exported export_recordings(const export_request &asked, const symbol_source &symbols) {
    outputs to(asked);
    stack_tree tree;
    exported done;
    for (const std::string &path : asked.paths) {
        done.events += to.take(path, tree).events;
        ++done.recordings;
    }
    stop_if_interrupted();
    to.finish(tree, symbols);
    done.remarks = std::move(to.remarks);
    return done;
}

} // namespace toft::lab
