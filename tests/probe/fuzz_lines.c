/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gives lines of chance to the reader of words, by a table of every kind and width of member.
 *
 *	fuzz_lines SEED COUNT
 *
 * Each line lies in memory of just its size. Prints how often each kind of fault was found; ends
 * with 1 where a value is outside its limits, a neighbour of a member was written, or a fault is
 * not told in one line with the column of a word.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../probe/lines/json.h"
#include "../../probe/lines/words.h"

enum { UNTOUCHED = 0xa5, FAULTS = FAULT_TOGETHER + 1 };

struct object {
  uint8_t before, byte, after;
  uint16_t half;
  uint32_t size, guard;
  uint64_t time;
  double share;
  uint8_t choice, end[7];
  const char* text;
};

static const char* const names[] = {"one", "two", "three", NULL};
#define AT(member) WORD_AT(struct object, member)
static const struct word table[] = {{"byte", WORD_NUMBER, AT(byte), 3, 200, NULL, 3, 1},
                                    {"half", WORD_NUMBER, AT(half), 0, UINT16_MAX, NULL, 3, 0},
                                    {"size", WORD_SIZE, AT(size), 4, UINT32_MAX, NULL, 1, 0},
                                    {"time", WORD_TIME, AT(time), 0, UINT64_MAX, NULL, 2, 0},
                                    {"share", WORD_SHARE, AT(share), 0, 0, NULL, 3, 0},
                                    {"choice", WORD_CHOICE, AT(choice), 0, 0, names, 3, 0},
                                    {"text", WORD_TEXT, AT(text), 0, 0, NULL, 3, 0},
                                    {0}};

static const char* const pieces[] = {
    "byte=",    "half=", "size=", "time=", "share=",    "choice=",   "text=", "byte=3", "200",
    "0x",       "ff",    "KiB",   "GiB",   "ms",        "min",       "0.5",   "1",      "one",
    "three",    " ",     "\t",    "#",     "=",         "set ",      "end",   "\r",     "\x80",
    "99999999", "-",     "no=1",  "\x1b[", "65535",     "size=4KiB", " ",     " ",      " byte=7 ",
    "text=/x",  "1.",    "0.",    "B",     "choice=two"};

static uint64_t state;

static uint64_t draw(uint64_t limit) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state % limit;
}

static void demand(bool holds, const char* what, const char* line) {
  if (holds) return;
  fprintf(stderr, "%s: %s\n", what, line);
  _exit(1); /* without a word on what is not freed then */
}

/* What is written must be a line, too. */
static bool emitted;
bool lines_emit(const char* bytes, size_t length) {
  demand(length <= sizeof(((struct line*)0)->text) &&
             memchr(bytes, '\n', length) == bytes + length - 1,
         "no whole line", bytes);
  return emitted = true;
}

static enum fault_kind check(const char* shown, size_t length) {
  char *text = malloc(length + 1), *words;
  struct reading reading = {.line = 7, .start = text};
  struct fault fault = {0};
  struct object object;
  struct line line;

  memcpy(text, shown, length + 1);
  memset(&object, UNTOUCHED, sizeof(object));
  line_kind(text, &words);
  const bool good = words_read(&reading, words, table, &object, &fault) &&
                    words_complete(&reading, table, 1u << draw(2), "the line", &fault);
  demand(object.before == UNTOUCHED && object.after == UNTOUCHED && object.guard == 0xa5a5a5a5u &&
             object.end[0] == UNTOUCHED,
         "a neighbour was written", shown);
  if (good) {
    if (words_given(&reading, table, "byte"))
      demand(object.byte >= 3 && object.byte <= 200, "a value outside its limits", shown);
    if (words_given(&reading, table, "size")) demand(object.size >= 4, "a small size", shown);
    if (words_given(&reading, table, "share"))
      demand(object.share >= 0 && object.share <= 1, "no share", shown);
    if (words_given(&reading, table, "choice")) demand(object.choice < 3, "no choice", shown);
    if (words_given(&reading, table, "text"))
      demand(object.text > text && object.text + strlen(object.text) <= text + length,
             "a text from nowhere", shown);
  } else {
    demand(fault.line == 7 && fault.column <= length && fault.kind != FAULT_NONE, "no place",
           shown);
    demand(!strncmp(fault.text, "plan line 7", 11) && strlen(fault.text) < sizeof(fault.text) &&
               strspn(fault.text + 11,
                      " !\"#$%&'()*+,-./0123456789:;<=>?@[\\]^_`{|}~"
                      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") ==
                   strlen(fault.text + 11),
           "no line that says why", fault.text);
  }
  line_begin(&line, shown);
  line_text(&line, shown, fault.text);
  line_real(&line, shown, (double)(int64_t)state);
  demand(line_end(&line) && emitted, "nothing was written", shown);
  free(text);
  return fault.kind;
}

int main(int count, char** arguments) {
  static const char* const kinds[FAULTS] = {"none",  "line",  "word",    "key",
                                            "twice", "value", "missing", "together"};
  unsigned long lines = count > 2 ? strtoul(arguments[2], NULL, 10) : 0, found[FAULTS] = {0};
  char text[160];

  if (!lines) return 2;
  state = strtoull(arguments[1], NULL, 10) * 2 + 1;
  while (lines--) {
    size_t length = 0;

    for (uint64_t left = draw(9) + 1; left; left--) {
      const char* piece = pieces[draw(sizeof(pieces) / sizeof(*pieces))];

      memcpy(text + length, piece, strlen(piece));
      length += strlen(piece);
      if (draw(3)) text[length++] = ' ';
    }
    text[length] = 0;
    found[check(text, length)]++;
  }
  for (int kind = 0; kind < FAULTS; kind++) printf("%s %lu\n", kinds[kind], found[kind]);
  return 0;
}
