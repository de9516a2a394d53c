/* SPDX-License-Identifier: Apache-2.0 */
/* The program: a plan from a file or the standard input, samples to the standard output. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "linux.h"

static const char usage[] =
    "usage: probe [PLAN]\n"
    "Measures the points of PLAN, or of the standard input, and writes samples as JSON lines.\n"
    "A plan of two points:\n"
    "    set budget=5s\n"
    "    id=1 kernel=load bytes=32KiB\n"
    "    id=2 kernel=copy bytes=64MiB copy=vector traffic=read threads=1\n"
    "Exit status: 0 every point has an outcome, 1 the output could not be written,\n"
    "2 the plan is wrong, 130 interrupted. README.md beside the source has the rest.\n";

/* All of a file, with a NUL behind it; NULL with errno. */
static char* content(int fd, size_t* length) {
  size_t room = 1 << 16;
  char* text = malloc(room);

  for (*length = 0; text;) {
    const ssize_t done = read(fd, text + *length, room - *length - 1);

    if (done < 0) {
      free(text);
      return NULL;
    }
    *length += (size_t)done;
    text[*length] = 0;
    if (!done || plan_ended(text, *length)) return text;
    if (room - *length < 2) {
      char* more = realloc(text, room *= 2);

      if (!more) free(text);
      text = more;
    }
  }
  return NULL;
}

int main(int count, char** arguments) {
  const char* path = count > 1 ? arguments[1] : "-";
  struct fault fault;
  char* text;
  struct plan plan;
  size_t length;
  int fd = STDIN_FILENO;

  if (count > 2 || (path[0] == '-' && path[1])) {
    const bool asked = count == 2 && (!strcmp(path, "--help") || !strcmp(path, "-h"));

    fputs(usage, asked ? stdout : stderr);
    return asked ? 0 : 2;
  }
  if (strcmp(path, "-")) fd = open(path, O_RDONLY | O_CLOEXEC);
  text = fd < 0 ? NULL : content(fd, &length);
  if (!text) {
    fprintf(stderr, "probe: plan %s: %s\n", path, strerror(errno));
    return 2;
  }
  plan.points = calloc(plan_room(text, length), sizeof(*plan.points));
  if (!plan.points) {
    fprintf(stderr, "probe: plan %s: %s\n", path, strerror(errno));
    return 2;
  }
  if (!plan_parse(text, length, &plan, &fault) || !linux_pin(plan.set.cpu, &fault)) {
    fprintf(stderr, "%s\n", fault.text);
    return 2;
  }
  linux_begin();
  const int status = probe_run(&plan);

  return linux_stopped_by() && status == 130 ? 128 + linux_stopped_by() : status;
}
