/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SERIAL_H
#define SERIAL_H

#include <stddef.h>
#include <stdint.h>

/* A line without its end, at most `most` - 1 characters of it; 0 where nothing has arrived. */
size_t serial_line(char *line, size_t most);
void serial_put(const char *text);
void serial_number(uint64_t value);

#endif
