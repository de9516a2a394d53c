/* SPDX-License-Identifier: Apache-2.0 */
#include "json.h"

#include <string.h>

#include "sum.h"

/* Room that is kept for the end of a line, however long a text in it is. */
enum { TAIL = 16 };

static bool summed;

void lines_summed(void) { summed = true; }

static void put(struct line* line, char c) {
  if (line->used < sizeof(line->text) - TAIL) line->text[line->used++] = c;
}

static void puts_in(struct line* line, const char* text) {
  while (*text) put(line, *text++);
}

/* A text as JSON has it; what is no ASCII goes as a question mark, for no path must break a line.
 */
static void quoted(struct line* line, const char* text) {
  put(line, '"');
  for (; *text && line->used < sizeof(line->text) - 64; text++) {
    if (*text == '"' || *text == '\\') put(line, '\\');
    put(line, *text < ' ' || *text > '~' ? '?' : *text);
  }
  put(line, '"');
}

static void digits(struct line* line, uint64_t value, unsigned least) {
  char text[20];
  unsigned count = 0;

  do text[count++] = (char)('0' + value % 10);
  while ((value /= 10) || count < least);
  while (count) put(line, text[--count]);
}

static void key_of(struct line* line, const char* key) {
  put(line, ',');
  quoted(line, key);
  put(line, ':');
}

void line_begin(struct line* line, const char* type) {
  line->used = 0;
  puts_in(line, "{\"type\":");
  quoted(line, type);
}

void line_text(struct line* line, const char* key, const char* value) {
  key_of(line, key);
  quoted(line, value);
}

void line_number(struct line* line, const char* key, uint64_t value) {
  key_of(line, key);
  digits(line, value, 1);
}

void line_real(struct line* line, const char* key, double value) {
  uint64_t scaled;

  if (!(value > -1e14 && value < 1e14)) {
    line_null(line, key);
    return;
  }
  key_of(line, key);
  if (value < 0) put(line, '-');
  scaled = (uint64_t)((value < 0 ? -value : value) * 1e4 + 0.5);
  digits(line, scaled / 10000, 1);
  put(line, '.');
  digits(line, scaled % 10000, 4);
}

void line_truth(struct line* line, const char* key, bool value) {
  key_of(line, key);
  puts_in(line, value ? "true" : "false");
}

void line_hex(struct line* line, const char* key, uint32_t value) {
  char text[9] = "";

  sum_write(value, text);
  line_text(line, key, text);
}

void line_null(struct line* line, const char* key) {
  key_of(line, key);
  puts_in(line, "null");
}

bool line_end(struct line* line) {
  line->text[line->used++] = '}';
  if (summed) {
    const uint32_t sum = sum_of(line->text, line->used);

    memcpy(line->text + line->used, " #", 2);
    sum_write(sum, line->text + line->used + 2);
    line->used += 10;
  }
  line->text[line->used++] = '\n';
  return lines_emit(line->text, line->used);
}
