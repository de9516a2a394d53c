/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sweeps by vectors of WIDTH bytes; included once for each size, with SIZED(name) their names.
 * The compiler must neither merge nor leave out an access: an empty statement of assembler takes
 * each.
 */
typedef uint64_t SIZED(vector) __attribute__((vector_size(WIDTH), may_alias));
#define VECTOR SIZED(vector)

static uint64_t SIZED(read)(const void* from, size_t bytes) {
  const VECTOR *at = from, *const end = (const void*)((const char*)from + bytes);
  VECTOR a = {0}, b = {0}, c = {0}, d = {0};
  uint64_t sum = 0;

  for (; (size_t)((const char*)end - (const char*)at) >= 4 * WIDTH; at += 4)
    a += at[0], b += at[1], c += at[2], d += at[3];
  for (; at < end; at++) a += at[0];
  a += b + c + d;
  for (unsigned i = 0; i < WIDTH / 8; i++) sum += a[i];
  return sum;
}

static void SIZED(write)(void* to, size_t bytes, uint64_t value) {
  VECTOR *at = to, *const end = (void*)((char*)to + bytes);
  const VECTOR v = value - (VECTOR){0};

  for (; (size_t)((char*)end - (char*)at) >= 4 * WIDTH; at += 4)
    at[0] = v, at[1] = v, at[2] = v, at[3] = v;
  for (; at < end; at++) at[0] = v;
}

static void SIZED(update)(void* to, size_t bytes) {
  VECTOR *at = to, *const end = (void*)((char*)to + bytes);

  for (; (size_t)((char*)end - (char*)at) >= 4 * WIDTH; at += 4)
    at[0] += 1, at[1] += 1, at[2] += 1, at[3] += 1;
  for (; at < end; at++) at[0] += 1;
}

static void SIZED(copy)(void* to, const void* from, size_t bytes) {
  VECTOR *at = to, *const end = (void*)((char*)to + bytes);
  const VECTOR* source = from;

  for (; (size_t)((char*)end - (char*)at) >= 4 * WIDTH; at += 4, source += 4) {
    const VECTOR a = source[0], b = source[1], c = source[2], d = source[3];

    at[0] = a, at[1] = b, at[2] = c, at[3] = d;
  }
  for (; at < end; at++, source++) at[0] = source[0];
}

static const struct sweeps SIZED(sweeps) = {WIDTH, SIZED(read), SIZED(write), SIZED(update),
                                            SIZED(copy)};
#undef VECTOR
