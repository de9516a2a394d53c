/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a line of a plan: words KEY=VALUE, which a table of the program names. This room is what
 * the programs that measure share, on Linux and on bare metal: it allocates nothing, prints nothing
 * and needs nothing of the C library but <string.h>. json.h writes what they answer.
 */
#ifndef LINES_WORDS_H
#define LINES_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- one line of what is wrong ---- */

enum fault_kind {
  FAULT_NONE,
  FAULT_LINE,     /* the line as a whole, or the plan */
  FAULT_WORD,     /* no KEY=VALUE */
  FAULT_KEY,      /* the table has no such key */
  FAULT_TWICE,    /* the key was there already */
  FAULT_VALUE,    /* not of the kind of value, or outside its limits */
  FAULT_MISSING,  /* a key that has to be there */
  FAULT_TOGETHER, /* words that do not go together */
};

struct fault {
  enum fault_kind kind;
  unsigned line, column; /* from 1; 0: none */
  size_t used;
  char text[240]; /* one line: what is wrong, where, how to mend it */
};

/* Begins the text: where, the key and its value if there are any, and why. Gives false. */
bool fault_begin(struct fault* fault, enum fault_kind kind, unsigned line, unsigned column,
                 const char* key, const char* value, const char* why);
/* Adds to it; what is no printable ASCII is shown as `?`. */
void fault_say(struct fault* fault, const char* text);
void fault_number(struct fault* fault, uint64_t value);

/* ---- lines ---- */

enum line_kind { LINE_EMPTY, LINE_SET, LINE_END, LINE_POINT };

/* Cuts the comment off; `words` is where the words begin, behind `set` where the line has it. */
enum line_kind line_kind(char* text, char** words);
bool line_blank(char c);
/* Bytes of a text without the blanks at its end. */
size_t line_trimmed(const char* text);

/* ---- words ---- */

enum word_kind {
  WORD_NUMBER, /* decimal, or hexadecimal with 0x */
  WORD_SIZE,   /* the same with B, KiB, MiB or GiB, or without: bytes */
  WORD_TIME,   /* the same with ns, us, ms, s or min */
  WORD_SHARE,  /* from 0 to 1, into a double */
  WORD_CHOICE, /* one of several names, as its place among them */
  WORD_TEXT,   /* as it stands, into a pointer to it */
};

/* A word that a line may have. A table of them ends with one without a name. */
struct word {
  const char* name;
  enum word_kind kind;
  size_t place, bytes; /* of the member that it goes into, an unsigned number where not said */
  uint64_t least, most;
  const char* const* choices; /* NULL ends them */
  uint32_t takers, needers;   /* kinds of line that may have it, and that must, a bit each */
};
#define WORD_AT(type, member) offsetof(type, member), sizeof(((type*)0)->member)

enum { WORDS = 32 }; /* of a table at most */

/* What was read of a line, or of several that set the same object. */
struct reading {
  unsigned line;     /* its number in the plan, from 1 */
  const char* start; /* its text */
  unsigned
      columns[WORDS]; /* where the word at this place of the table begins, from 1; 0: not given */
};

/* Reads the words of a line, which it cuts apart in place, into `object`. False: see `fault`. */
bool words_read(struct reading* reading, char* words, const struct word* table, void* object,
                struct fault* fault);
/* Whether a line of this kind, a bit, has what it must and nothing that it may not. */
bool words_complete(const struct reading* reading, const struct word* table, uint32_t kind,
                    const char* name, struct fault* fault);
bool words_given(const struct reading* reading, const struct word* table, const char* name);
/* Begins a fault of words that do not go together, where `name` is. Gives false. */
bool words_wrong(const struct reading* reading, const struct word* table, const char* name,
                 const char* why, struct fault* fault);

#endif
