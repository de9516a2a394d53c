/* SPDX-License-Identifier: Apache-2.0 */
#include "statistics.h"

static void sift(double* values, size_t from, size_t count) {
  for (size_t child; (child = 2 * from + 1) < count; from = child) {
    const double kept = values[from];

    if (child + 1 < count && values[child + 1] > values[child]) child++;
    if (values[child] <= kept) return;
    values[from] = values[child];
    values[child] = kept;
  }
}

/* A heap's sort: no recursion and no worst case, for a firmware's stack. */
void sort(double* values, size_t count) {
  for (size_t i = count / 2; i-- > 0;) sift(values, i, count);
  for (size_t end = count; end > 1;) {
    const double most = values[0];

    values[0] = values[--end];
    values[end] = most;
    sift(values, 0, end);
  }
}

double median(const double* sorted, size_t count) {
  return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

static double root(double value) {
  double guess = value < 1 ? 1 : value;

  for (unsigned i = 0; i < 40; i++) guess = (guess + value / guess) / 2;
  return guess;
}

/* Ranks n/2 -+ 0.98 sqrt(n): the binomial's normal approximation, too narrow for few values. Of
 * five, all. */
double spread(const double* sorted, size_t count) {
  const double half = 0.98 * root((double)count), middle = median(sorted, count);
  const double low = (double)count / 2 - half;

  if (count < 5 || middle <= 0) return 1;
  const size_t first = low < 0 ? 0 : (size_t)low;
  return (sorted[count - 1 - first] - sorted[first]) / 2 / middle;
}
