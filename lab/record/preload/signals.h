/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_RECORD_SIGNALS_H
#define TOFT_LAB_RECORD_SIGNALS_H

/* From now on, a signal that ends the process saves the recording before it does. */
void save_at_signals(void);

#endif
