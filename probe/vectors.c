/* SPDX-License-Identifier: Apache-2.0 */
/* Sweeps by the processor's vectors, and by stores that pass its caches by. */
#include "kernels.h"
#include "sweeps.h"

#define JOINED(name, width) name##_##width
#define JOIN(name, width) JOINED(name, width)
#define SIZED(name) JOIN(name, WIDTH)

#if defined(__arm__) && !defined(__ARM_NEON)
#pragma GCC push_options
#pragma GCC target("fpu=neon")
#endif
#define WIDTH 16
#include "vectors.h"
#undef WIDTH
#if defined(__arm__) && !defined(__ARM_NEON)
#pragma GCC pop_options
/* By core registers where there is no NEON. */
#define WIDTH 8
#include "vectors.h"
#undef WIDTH
#endif

#if defined(__x86_64__)
#pragma GCC push_options
#pragma GCC target("avx2")
#define WIDTH 32
#include "vectors.h"
#undef WIDTH
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f")
#define WIDTH 64
#include "vectors.h"
#undef WIDTH
#pragma GCC pop_options
#endif

const struct sweeps* vector_sweeps(void) {
  const unsigned widest = platform_vector_bytes();

#if defined(__x86_64__)
  if (widest >= 64) return &sweeps_64;
  if (widest >= 32) return &sweeps_32;
#endif
#if defined(__arm__) && !defined(__ARM_NEON)
  if (widest < 16) return &sweeps_8;
#endif
  (void)widest;
  return &sweeps_16;
}

#if defined(__x86_64__)
typedef long long pair __attribute__((vector_size(16), may_alias));

bool stream_write(void* to, size_t bytes, uint64_t value) {
  const pair v = {(long long)value, (long long)value};

  for (pair *at = to, *end = (void*)((char*)to + bytes); at < end; at += 4) {
    __builtin_ia32_movntdq(at, v);
    __builtin_ia32_movntdq(at + 1, v);
    __builtin_ia32_movntdq(at + 2, v);
    __builtin_ia32_movntdq(at + 3, v);
  }
  __builtin_ia32_sfence();
  return true;
}

bool stream_copy(void* to, const void* from, size_t bytes) {
  const pair* source = from;

  for (pair *at = to, *end = (void*)((char*)to + bytes); at < end; at += 4, source += 4) {
    const pair a = source[0], b = source[1], c = source[2], d = source[3];

    __builtin_ia32_movntdq(at, a);
    __builtin_ia32_movntdq(at + 1, b);
    __builtin_ia32_movntdq(at + 2, c);
    __builtin_ia32_movntdq(at + 3, d);
  }
  __builtin_ia32_sfence();
  return true;
}
#elif defined(__aarch64__)
bool stream_write(void* to, size_t bytes, uint64_t value) {
  for (char *at = to, *end = at + bytes; at < end; at += 64)
    __asm__ volatile(
        "stnp %1, %1, [%0]\n\tstnp %1, %1, [%0, 16]\n\t"
        "stnp %1, %1, [%0, 32]\n\tstnp %1, %1, [%0, 48]"
        :
        : "r"(at), "r"(value)
        : "memory");
  return true;
}

bool stream_copy(void* to, const void* from, size_t bytes) {
  const char* source = from;

  for (char *at = to, *end = at + bytes; at < end; at += 64, source += 64)
    __asm__ volatile(
        "ldnp q0, q1, [%1]\n\tldnp q2, q3, [%1, 32]\n\t"
        "stnp q0, q1, [%0]\n\tstnp q2, q3, [%0, 32]"
        :
        : "r"(at), "r"(source)
        : "memory", "v0", "v1", "v2", "v3");
  return true;
}
#else
bool stream_write(void* to, size_t bytes, uint64_t value) {
  (void)to, (void)bytes, (void)value;
  return false;
}

bool stream_copy(void* to, const void* from, size_t bytes) {
  (void)to, (void)from, (void)bytes;
  return false;
}
#endif
