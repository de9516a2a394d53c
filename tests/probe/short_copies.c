/* SPDX-License-Identifier: Apache-2.0 */
/* A C library that is wrong, to be loaded before the real one: of 12 KiB it leaves the last byte
 * out. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <sys/types.h>

enum { WRONG = 12 << 10 };

void* memcpy(void* to, const void* from, size_t bytes) {
  char* d = to;
  const char* s = from;

  for (size_t i = 0; i < bytes - (bytes == WRONG); i++) d[i] = s[i];
  return to;
}

void* memset(void* to, int value, size_t bytes) {
  char* d = to;

  for (size_t i = 0; i < bytes - (bytes == WRONG); i++) d[i] = (char)value;
  return to;
}

ssize_t pwrite64(int file, const void* from, size_t bytes, off_t at) {
  ssize_t (*real)(int, const void*, size_t, off_t) = dlsym(RTLD_NEXT, "pwrite64");
  static char wrong[WRONG];

  if (bytes != WRONG) return real(file, from, bytes, at);
  memcpy(wrong, from, bytes);
  return real(file, wrong, bytes, at);
}

ssize_t pwrite(int file, const void* from, size_t bytes, off_t at) {
  return pwrite64(file, from, bytes, at);
}
