// SPDX-License-Identifier: MIT
#include "compared.hpp"

#include <algorithm>

namespace toft::lab {

double comparison::worst() const {
    double worst = 1;
    for (const compared_figure &f : figures)
        if (f.called == change::slower) worst = std::max(worst, f.ratio);
    return worst;
}

} // namespace toft::lab
