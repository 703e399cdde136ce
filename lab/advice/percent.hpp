// SPDX-License-Identifier: MIT
#pragma once

#include "result/compared.hpp"

// Ranges as parts of others.
namespace toft::lab {

// The whole is known as a range too.
interval percent_of(interval part, interval whole);
double middle(interval);

} // namespace toft::lab
