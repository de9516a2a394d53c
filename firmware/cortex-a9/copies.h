/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COPIES_H
#define COPIES_H

#include <stddef.h>

#include "plan.h"

/* A copy by the processor. Both places are whole words from each other. */
typedef void *copy_function(void *to, const void *from, size_t bytes);

copy_function *copy_of(enum copy copy);

#endif
