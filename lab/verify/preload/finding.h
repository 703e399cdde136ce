/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_VERIFY_FINDING_H
#define TOFT_LAB_VERIFY_FINDING_H

#include "verify/plan.h"

/* Writes to the plan that the object of an ended region at this address is used, with its stacks,
 * and ends the process. */
_Noreturn void end_with_finding(enum toft_verify_use, const char *system_call, uintptr_t address,
                                uint32_t used_node);

#endif
