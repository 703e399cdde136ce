// SPDX-License-Identifier: MIT
#pragma once

namespace toft::lab {

// Student's t distribution with so many degrees of freedom, of which there is at least one: the
// share of it that lies between -t and t.
double student_share_within(double t, unsigned freedom);

// The t between whose negative and itself the share lies; the share is above 0 and below 1. For
// shares up to 1 - 1e-9.
double student_quantile(double share, unsigned freedom);

} // namespace toft::lab
