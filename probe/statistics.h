/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROBE_STATISTICS_H
#define PROBE_STATISTICS_H

#include <stddef.h>

/* Sorts in place. */
void sort(double* values, size_t count);
/* Of sorted values, of which there is one at least. */
double median(const double* sorted, size_t count);
/*
 * Half the width of the 95 % interval of the median over the median, by order statistics: needs
 * sorted values; 1 where there are less than five.
 */
double spread(const double* sorted, size_t count);

#endif
