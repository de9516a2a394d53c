/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The value of a name in the object that is the text: a whole number, true (1) or false (0). False
 * where the text is no object, or has no such value under that name; what is nested is passed over.
 */
bool json_number(const char *text, size_t bytes, const char *name, uint64_t *value);

#endif
