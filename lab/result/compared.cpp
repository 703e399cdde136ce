// SPDX-License-Identifier: MIT
#include "compared.hpp"

#include <algorithm>

namespace toft::lab {

double comparison::worst() const {
    double worst = 1;
    for (const compared_figure &f : figures)
        if (f.called == change::slower && f.role == row_role::judged)
            worst = std::max(worst, f.ratio);
    return worst;
}

bound_verdict judge_bound(const comparison &c, double bound_percent) {
    const double bound = 1 + bound_percent / 100;
    if (c.worst() > bound) return bound_verdict::exceeded;
    const bool seen = std::all_of(c.suites.begin(), c.suites.end(), [&](const compared_suite &s) {
        return s.not_judged == 0 && s.visible_in_all != 0 && s.visible_in_all <= bound;
    });
    return seen && !c.suites.empty() && c.not_judged.empty() ? bound_verdict::kept
                                                             : bound_verdict::cannot_tell;
}

} // namespace toft::lab
