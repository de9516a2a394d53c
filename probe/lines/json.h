/* SPDX-License-Identifier: Apache-2.0 */
/* JSON lines, put together without an allocation or a locale, given away as whole lines. */
#ifndef LINES_JSON_H
#define LINES_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line {
  char text[1024];
  size_t used;
};

void line_begin(struct line* line, const char* type);
void line_text(struct line* line, const char* key, const char* value);
void line_number(struct line* line, const char* key, uint64_t value);
/* Four decimals; null where it is no number of that size. */
void line_real(struct line* line, const char* key, double value);
void line_truth(struct line* line, const char* key, bool value);
/* As eight hexadecimal digits. */
void line_hex(struct line* line, const char* key, uint32_t value);
void line_null(struct line* line, const char* key);
/* Gives the line away by lines_emit(). False once the output is gone. */
bool line_end(struct line* line);
/* From here on each line ends with a blank, # and the CRC-32 of what is before them. */
void lines_summed(void);

/* What a program answers for itself: writes whole lines; false once the output is gone. */
bool lines_emit(const char* bytes, size_t length);

#endif
