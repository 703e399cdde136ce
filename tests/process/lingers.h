/* SPDX-License-Identifier: MIT */
#ifndef TOFT_TESTS_PROCESS_LINGERS_H
#define TOFT_TESTS_PROCESS_LINGERS_H

void count_round(void);
long counted_rounds(void);

#endif
