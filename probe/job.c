/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels have in common: memory of the run's pages, and what they say. */
#include <string.h>

#include "kernels.h"

enum outcome job_memory(struct job* job, struct memory* memory, uint64_t bytes) {
  const enum pages pages =
      makes(job, MISTAKE_UNTOUCHED) ? PAGES_UNTOUCHED : (enum pages)job->set->pages;
  const enum outcome outcome =
      platform_memory(memory, bytes + job->point->shift, pages, job->message);

  if (outcome == OUTCOME_OK) memory->data = (char*)memory->data + job->point->shift;
  return outcome;
}

void job_fill(struct job* job, const struct memory* memory) {
  if (!makes(job, MISTAKE_UNTOUCHED)) fill(memory->data, job->point->bytes, job->seed);
}

void job_release(struct job* job) {
  platform_release(&job->a);
  platform_release(&job->b);
  platform_release(&job->order);
}

void say_at(char* message, const char* text, uint64_t number) {
  char digits[21];
  size_t used = strlen(text), place = sizeof(digits) - 1;

  digits[place] = 0;
  do digits[--place] = (char)('0' + number % 10);
  while (number /= 10);
  if (used > MESSAGE - sizeof(digits)) used = MESSAGE - sizeof(digits);
  memcpy(message, text, used);
  memcpy(message + used, digits + place, sizeof(digits) - place);
}
