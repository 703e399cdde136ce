/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_RECORD_UNLOADING_H
#define TOFT_LAB_RECORD_UNLOADING_H

/* Called when a library is gone, and its addresses may be another's. */
void forget_addresses(void);

#endif
