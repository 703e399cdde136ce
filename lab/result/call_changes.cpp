// SPDX-License-Identifier: MIT
#include "call_changes.hpp"

#include "statistics.hpp"
#include "student.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace toft::lab {
namespace {

constexpr double confidence = .99;         // that a comparison of the same build calls nothing
constexpr double nine_in_ten = 1.2816;     // the normal distribution's quantile
constexpr double assumed_noise = .0065;    // from row to row, where no controls tell
constexpr double least_noise = .005;       // from row to row, however well the controls agree
constexpr std::size_t enough_controls = 3; // to say what is shared
constexpr unsigned borrowed_freedom = 8;   // that the typical noise of the suite counts for
constexpr double unlike_others = 2;        // times the typical variance: nothing is borrowed

bool can_be_told(const compared_figure &f) { return f.called != change::unsure; }
bool is_control(const compared_figure &f) { return f.role == row_role::control; }
bool is_judged(const compared_figure &f) { return f.role == row_role::judged; }

// Figures that may be measured against each other.
auto case_key(const compared_figure &f) {
    return std::tuple(f.suite, f.case_name, f.phase, f.rounds, f.clock);
}
using case_key_type = decltype(case_key({}));
using suite_key_type = std::pair<std::string, clock_kind>;
suite_key_type suite_key(const compared_figure &f) { return {f.suite, f.clock}; }

double median(std::vector<double> values) { return quantile(values, .5); }

// What the figures of one case are measured against.
struct reference {
    std::size_t controls = 0;
    double shared = 0;   // taken off; a logarithm
    double variance = 0; // of that
    double unseen = 0;   // a common shift that would stay unseen; a logarithm
};

class caller {
  public:
    explicit caller(comparison &c) : all_(c) {
        for (compared_figure &f : c.figures)
            if (can_be_told(f)) by_case_[case_key(f)].push_back(&f);
        find_typical_noise();
        find_noise_between_rows();
        for (const auto &[key, figures] : by_case_) references_[key] = make_reference(figures);
    }

    // The two clocks of a figure tell of the same processes, so they count as one question.
    void call() {
        std::map<clock_kind, unsigned> asked;
        for (const compared_figure &f : all_.figures)
            if (can_be_told(f) && !is_control(f)) ++asked[f.clock];
        const unsigned count = std::max({1U, asked[clock_kind::cpu], asked[clock_kind::wall]});
        const double share = 1 - (1 - confidence) / count;
        for (auto &[key, figures] : by_case_)
            for (compared_figure *f : figures) call_figure(*f, references_[key], share);
        for (const auto &[key, figures] : by_case_) {
            const reference &r = references_[key];
            const auto &[suite, case_name, phase, rounds, clock] = key;
            all_.cases.push_back(
                {suite, case_name, phase, rounds, clock, r.controls, std::exp(r.shared)});
        }
    }

    void sum_up_suites() {
        std::vector<std::string> names;
        for (const compared_figure &f : all_.figures)
            if (std::find(names.begin(), names.end(), f.suite) == names.end())
                names.push_back(f.suite);
        for (const std::string &name : names) all_.suites.push_back(sum_up(name));
    }

  private:
    void find_typical_noise() {
        std::map<suite_key_type, std::vector<double>> variances;
        for (const auto &[key, figures] : by_case_)
            for (const compared_figure *f : figures)
                variances[suite_key(*f)].push_back(f->measured.unit_variance);
        for (auto &[key, values] : variances) typical_[key] = median(std::move(values));
    }

    // A figure that is clearly noisier than the typical one of its suite stands alone.
    unsigned borrowed_by(const compared_figure &f) const {
        const bool alone = f.measured.unit_variance > unlike_others * typical_.at(suite_key(f));
        return alone ? 0 : borrowed_freedom;
    }

    unsigned freedom_of(const compared_figure &f) const {
        return f.measured.freedom + borrowed_by(f);
    }

    // The variance of the figure's shift, from how its own processes scatter.
    double own_variance(const compared_figure &f) const {
        const double own = f.measured.unit_variance * f.measured.freedom;
        const double borrowed = typical_.at(suite_key(f)) * borrowed_by(f);
        return f.measured.share * (own + borrowed) / freedom_of(f);
    }

    // How much further the controls of a case lie apart than their own noise explains: the method
    // of DerSimonian and Laird (1986), over all cases of a suite.
    void find_noise_between_rows() {
        struct sums {
            double excess = 0, weight = 0;
        };
        std::map<suite_key_type, sums> of;
        for (const auto &[key, figures] : by_case_) {
            double w = 0, wd = 0, wdd = 0, ww = 0, controls = 0;
            for (const compared_figure *f : figures) {
                if (!is_control(*f)) continue;
                const double weight = 1 / std::max(own_variance(*f), 1e-12);
                const double by = f->measured.by;
                w += weight, wd += weight * by, wdd += weight * by * by, ww += weight * weight;
                ++controls;
            }
            if (controls < 2) continue;
            sums &s = of[suite_key(*figures.front())];
            s.excess += wdd - wd * wd / w - (controls - 1);
            s.weight += w - ww / w;
        }
        for (const auto &[key, s] : of) between_rows_[key] = std::max(0., s.excess / s.weight);
    }

    double variance_between_rows(const compared_figure &f) const {
        const auto found = between_rows_.find(suite_key(f));
        if (found == between_rows_.end()) return assumed_noise * assumed_noise;
        return std::max(found->second, least_noise * least_noise);
    }

    reference make_reference(const std::vector<compared_figure *> &figures) const {
        std::vector<const compared_figure *> controls, judged;
        for (const compared_figure *f : figures) {
            if (is_control(*f)) controls.push_back(f);
            if (is_judged(*f)) judged.push_back(f);
        }
        if (controls.size() >= enough_controls)
            return {controls.size(), shared_by(controls, most_shared), variance_of(controls), 0};
        const double unseen = std::log(most_shared_without_controls);
        if (judged.size() < enough_controls) return {0, 0, 0, unseen};
        return {0, shared_by(judged, most_shared_without_controls), variance_of(judged), unseen};
    }

    static double shared_by(const std::vector<const compared_figure *> &figures, double most) {
        std::vector<double> shifts;
        for (const compared_figure *f : figures) shifts.push_back(f->measured.by);
        return std::clamp(median(std::move(shifts)), -std::log(most), std::log(most));
    }

    // The variance of the median of these shifts. A median of three varies by 1.35 times as much as
    // a mean of three; a median of more varies as much as their mean, or hardly more.
    double variance_of(const std::vector<const compared_figure *> &figures) const {
        double sum = 0;
        for (const compared_figure *f : figures)
            sum += own_variance(*f) + variance_between_rows(*f);
        const auto count = static_cast<double>(figures.size());
        return 1.35 * sum / (count * count);
    }

    // Where too few rows say what is shared, nothing was taken off: then a row has to differ by
    // more than a machine may.
    void call_figure(compared_figure &f, const reference &r, double share) const {
        const double noise = std::sqrt(own_variance(f) + variance_between_rows(f) + r.variance);
        const double reach = student_quantile(share, freedom_of(f)) * noise;
        const double by = f.measured.by - r.shared;
        const double alone = r.controls == 0 && r.variance == 0 ? r.unseen : 0;
        f.ratio = std::exp(by);
        f.between = {std::exp(by - reach - alone), std::exp(by + reach + alone)};
        f.visible = std::exp(std::max(r.unseen, alone + reach + nine_in_ten * noise));
        if (is_control(f)) return;
        if (f.between.low > 1) f.called = change::slower;
        if (f.between.high < 1) f.called = change::faster;
        if (!f.noisy || f.called != change::none) return;
        f.called = change::unsure;
        f.why = "noisy";
    }

    compared_suite sum_up(const std::string &name) const {
        compared_suite s;
        s.suite = name;
        std::vector<const compared_figure *> seen;
        std::set<std::string> blind;
        for (const compared_figure &f : all_.figures) {
            if (!counts_in(f, name) || !is_judged(f)) continue;
            if (f.visible == 0)
                blind.insert(f.case_name + '\0' + f.row);
            else
                seen.push_back(&f);
        }
        s.not_judged = blind.size();
        if (seen.empty()) return s;
        tell_what_is_visible(seen, s);
        s.controls = count_controls(seen, name);
        // Where controls say what is shared in some cases, the sum is of these alone.
        if (s.controls != 0)
            std::erase_if(seen, [&](const compared_figure *f) { return !controls_tell_of(*f); });
        s.shared = median_over(seen, [&](const compared_figure &f) {
            return std::exp(references_.at(case_key(f)).shared);
        });
        s.judged = median_over(seen, [](const compared_figure &f) { return f.ratio; });
        return s;
    }

    static bool counts_in(const compared_figure &f, const std::string &suite) {
        return f.suite == suite && f.clock == clock_kind::cpu && f.whole;
    }

    // Those that say what is shared with any of these figures.
    std::size_t count_controls(const std::vector<const compared_figure *> &judged,
                               const std::string &suite) const {
        std::set<case_key_type> told;
        for (const compared_figure *f : judged)
            if (controls_tell_of(*f)) told.insert(case_key(*f));
        std::set<std::string> rows;
        for (const compared_figure &f : all_.figures)
            if (counts_in(f, suite) && is_control(f) && told.contains(case_key(f)))
                rows.insert(f.case_name + '\0' + f.row);
        return rows.size();
    }

    bool controls_tell_of(const compared_figure &f) const {
        return references_.at(case_key(f)).controls != 0;
    }

    static void tell_what_is_visible(const std::vector<const compared_figure *> &seen,
                                     compared_suite &s) {
        s.visible = median_over(seen, [](const compared_figure &f) { return f.visible; });
        for (const compared_figure *f : seen) {
            if (f->visible <= s.visible_in_all) continue;
            s.visible_in_all = f->visible;
            s.least_sure = f->case_name + ", " + f->row;
        }
    }

    template <class Value>
    static double median_over(const std::vector<const compared_figure *> &figures, Value value_of) {
        std::vector<double> values;
        for (const compared_figure *f : figures) values.push_back(value_of(*f));
        return median(std::move(values));
    }

    comparison &all_;
    std::map<case_key_type, std::vector<compared_figure *>> by_case_;
    std::map<suite_key_type, double> typical_;
    std::map<suite_key_type, double> between_rows_;
    std::map<case_key_type, reference> references_;
};

} // namespace

void call_changes(comparison &c) {
    caller all(c);
    all.call();
    all.sum_up_suites();
}

} // namespace toft::lab
