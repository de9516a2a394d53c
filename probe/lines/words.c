/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

#include <string.h>

/* ---- one line of what is wrong ---- */

void fault_say(struct fault* fault, const char* text) {
  for (; *text && fault->used + 1 < sizeof(fault->text); text++)
    fault->text[fault->used++] = *text < ' ' || *text > '~' ? '?' : *text;
  fault->text[fault->used] = 0;
}

/* A word of the user's, which may be of any length. */
static void say_word(struct fault* fault, const char* text) {
  char shown[44];
  const size_t length = strlen(text);

  if (length < sizeof(shown)) {
    fault_say(fault, text);
    return;
  }
  memcpy(shown, text, 40);
  memcpy(shown + 40, "...", 4);
  fault_say(fault, shown);
}

void fault_number(struct fault* fault, uint64_t value) {
  char digits[21];
  size_t place = sizeof(digits) - 1;

  digits[place] = 0;
  do digits[--place] = (char)('0' + value % 10);
  while (value /= 10);
  fault_say(fault, digits + place);
}

bool fault_begin(struct fault* fault, enum fault_kind kind, unsigned line, unsigned column,
                 const char* key, const char* value, const char* why) {
  *fault = (struct fault){.kind = kind, .line = line, .column = column};
  fault_say(fault, "plan line ");
  fault_number(fault, line);
  if (column) {
    fault_say(fault, ", column ");
    fault_number(fault, column);
  }
  fault_say(fault, ": ");
  if (key) say_word(fault, key);
  if (value) {
    fault_say(fault, "=");
    say_word(fault, value);
  }
  if (key) fault_say(fault, ": ");
  fault_say(fault, why);
  return false;
}

/* ---- values ---- */

struct unit {
  const char* name;
  uint64_t factor;
};
static const struct unit no_units[] = {{"", 1}, {NULL, 0}};
static const struct unit size_units[] = {{"", 1},          {"B", 1},         {"KiB", 1 << 10},
                                         {"MiB", 1 << 20}, {"GiB", 1 << 30}, {NULL, 0}};
static const struct unit time_units[] = {
    {"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {"min", UINT64_C(60000000000)},
    {NULL, 0}};

static unsigned digit_of(char c) {
  if (c >= '0' && c <= '9') return (unsigned)(c - '0');
  if (c >= 'a' && c <= 'f') return (unsigned)(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return (unsigned)(c - 'A') + 10;
  return 16;
}

static bool number(const char* text, const struct unit* units, uint64_t* value) {
  const unsigned base = text[0] == '0' && text[1] == 'x' ? 16 : 10;
  bool any = false;

  if (base == 16) text += 2;
  for (*value = 0; digit_of(*text) < base; text++, any = true) {
    const unsigned digit = digit_of(*text);

    if (*value > (UINT64_MAX - digit) / base) return false;
    *value = *value * base + digit;
  }
  for (; any && units->name; units++) {
    if (strcmp(text, units->name) != 0) continue;
    if (*value > UINT64_MAX / units->factor) return false;
    *value *= units->factor;
    return true;
  }
  return false;
}

static bool share(const char* text, double* value) {
  double digit = 0.1;

  if ((text[0] != '0' && text[0] != '1') || (text[1] && text[1] != '.')) return false;
  *value = text[0] - '0';
  if (!text[1]) return true;
  for (text += 2; *text; text++, digit /= 10) {
    if (*text < '0' || *text > '9') return false;
    *value += digit * (*text - '0');
  }
  return *value <= 1;
}

static bool choice(const char* text, const char* const* choices, uint64_t* value) {
  for (*value = 0; choices[*value]; ++*value)
    if (strcmp(text, choices[*value]) == 0) return true;
  return false;
}

static void put(void* place, size_t bytes, uint64_t value) {
  const uint8_t byte = (uint8_t)value;
  const uint16_t half = (uint16_t)value;
  const uint32_t word = (uint32_t)value;

  memcpy(place,
         bytes == 1   ? (const void*)&byte
         : bytes == 2 ? (const void*)&half
         : bytes == 4 ? (const void*)&word
                      : (const void*)&value,
         bytes);
}

/* How to mend a value. */
static void say_allowed(struct fault* fault, const struct word* word) {
  switch (word->kind) {
    case WORD_TEXT:
      fault_say(fault, "give a path");
      return;
    case WORD_SHARE:
      fault_say(fault, "give a share from 0 to 1, as 0.03");
      return;
    case WORD_CHOICE:
      fault_say(fault, "give one of");
      for (const char* const* name = word->choices; *name; name++) {
        fault_say(fault, " ");
        fault_say(fault, *name);
      }
      return;
    default:
      fault_say(fault, word->kind == WORD_SIZE   ? "give a size from "
                       : word->kind == WORD_TIME ? "give a time from "
                                                 : "give a number from ");
  }
  fault_number(fault, word->least);
  fault_say(fault, " to ");
  fault_number(fault, word->most);
  fault_say(fault, word->kind == WORD_SIZE   ? ", as 4096 or 4KiB"
                   : word->kind == WORD_TIME ? " ns, as 20s or 500us"
                                             : "");
}

/* Whether the text is a value of the word; if so, it is put into its place. */
static bool take(const struct word* word, const char* text, void* object) {
  char* place = (char*)object + word->place;
  uint64_t value;

  switch (word->kind) {
    case WORD_TEXT:
      if (*text) memcpy(place, &text, sizeof(text));
      return *text;
    case WORD_SHARE:
      return share(text, (double*)(void*)place);
    case WORD_CHOICE:
      if (!choice(text, word->choices, &value)) return false;
      break;
    default:
      if (!number(text,
                  word->kind == WORD_SIZE   ? size_units
                  : word->kind == WORD_TIME ? time_units
                                            : no_units,
                  &value) ||
          value < word->least || value > word->most)
        return false;
  }
  put(place, word->bytes, value);
  return true;
}

/* ---- lines ---- */

bool line_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

size_t line_trimmed(const char* text) {
  size_t length = strlen(text);

  while (length && line_blank(text[length - 1])) length--;
  return length;
}

enum line_kind line_kind(char* text, char** words) {
  char* comment = strchr(text, '#');

  if (comment) *comment = 0;
  while (line_blank(*text)) text++;
  *words = text;
  if (!*text) return LINE_EMPTY;
  if (line_trimmed(text) == 3 && !strncmp(text, "end", 3)) return LINE_END;
  if (strncmp(text, "set", 3) || (text[3] && !line_blank(text[3]))) return LINE_POINT;
  *words += 3;
  return LINE_SET;
}

/* ---- words ---- */

/* Cuts the next word off the line; NULL at its end. */
static char* cut(char** line) {
  char* word;

  while (line_blank(**line)) ++*line;
  if (!**line) return NULL;
  word = *line;
  while (**line && !line_blank(**line)) ++*line;
  if (**line) *(*line)++ = 0;
  return word;
}

bool words_read(struct reading* reading, char* words, const struct word* table, void* object,
                struct fault* fault) {
  char* word;

  while ((word = cut(&words))) {
    const unsigned column = (unsigned)(word - reading->start) + 1;
    char* value = strchr(word, '=');
    const struct word* found = table;

    if (!value || value == word)
      return fault_begin(fault, FAULT_WORD, reading->line, column, word, NULL,
                         "a word is KEY=VALUE, without blanks");
    *value++ = 0;
    while (found->name && strcmp(found->name, word) != 0) found++;
    if (!found->name) {
      fault_begin(fault, FAULT_KEY, reading->line, column, word, NULL, "no such key; there are");
      for (found = table; found->name; found++) {
        fault_say(fault, " ");
        fault_say(fault, found->name);
      }
      return false;
    }
    if (reading->columns[found - table])
      return fault_begin(fault, FAULT_TWICE, reading->line, column, word, value,
                         "given twice; give it once");
    reading->columns[found - table] = column;
    if (take(found, value, object)) continue;
    fault_begin(fault, FAULT_VALUE, reading->line, column, word, value, "");
    say_allowed(fault, found);
    return false;
  }
  return true;
}

bool words_complete(const struct reading* reading, const struct word* table, uint32_t kind,
                    const char* name, struct fault* fault) {
  for (const struct word* word = table; word->name; word++) {
    const unsigned column = reading->columns[word - table];

    if (column && !(word->takers & kind)) {
      fault_begin(fault, FAULT_TOGETHER, reading->line, column, word->name, NULL, name);
      fault_say(fault, " does not take it; leave it out");
      return false;
    }
    if (!column && word->needers & kind) {
      fault_begin(fault, FAULT_MISSING, reading->line, 0, word->name, NULL, "give it; ");
      fault_say(fault, name);
      fault_say(fault, " needs it");
      return false;
    }
  }
  return true;
}

/* Where a word of the table is in the line. */
static unsigned column_of(const struct reading* reading, const struct word* table,
                          const char* name) {
  const struct word* word = table;

  while (word->name && strcmp(word->name, name) != 0) word++;
  return word->name ? reading->columns[word - table] : 0;
}

bool words_given(const struct reading* reading, const struct word* table, const char* name) {
  return column_of(reading, table, name) != 0;
}

bool words_wrong(const struct reading* reading, const struct word* table, const char* name,
                 const char* why, struct fault* fault) {
  return fault_begin(fault, FAULT_TOGETHER, reading->line, column_of(reading, table, name), name,
                     NULL, why);
}
