/* SPDX-License-Identifier: Apache-2.0 */
/* The Linux platform: signals as outcomes, output, pinning, usage, and what the machine is. */
#define _GNU_SOURCE
#include "linux.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#if defined(__arm__)
#include <sys/auxv.h>
#endif

#include "kernels.h"
#include "lines/json.h"

/* ---- signals
 * ------------------------------------------------------------------------------------- */

static sigjmp_buf back;
static volatile sig_atomic_t guarding, stopped;

static void on_signal(int number) {
  if (number == SIGINT || number == SIGTERM || number == SIGHUP) stopped = number;
  if (guarding) {
    guarding = 0;
    siglongjmp(back, number);
  }
  if (number == SIGBUS || number == SIGSEGV || number == SIGILL) {
    signal(number, SIG_DFL);
    raise(number);
  }
}

void linux_begin(void) {
  const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGBUS, SIGSEGV, SIGILL, SIGALRM};
  struct sigaction action = {.sa_handler = on_signal};

  sigemptyset(&action.sa_mask);
  for (unsigned i = 0; i < sizeof(caught) / sizeof(*caught); i++) {
    struct sigaction now;

    sigaction(caught[i], NULL, &now);
    /* A signal that the caller has switched off stays off, as with `&` or nohup. */
    if (now.sa_handler != SIG_IGN) sigaction(caught[i], &action, NULL);
  }
  signal(SIGPIPE, SIG_IGN);
}

void linux_block_signals(void) {
  sigset_t all;

  sigfillset(&all);
  sigdelset(&all, SIGBUS);
  sigdelset(&all, SIGSEGV);
  sigdelset(&all, SIGILL);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
}

bool platform_stopped(void) { return stopped != 0; }
int linux_stopped_by(void) { return stopped; }

const struct kernel* platform_kernel(enum kernel_name name) {
  switch (name) {
    case KERNEL_FILE_READ:
      return &file_read_kernel;
    case KERNEL_FILE_WRITE:
      return &file_write_kernel;
    case KERNEL_IOCTL:
      return &ioctl_kernel;
    default:
#ifdef PROBE_DATRA
      return &block_kernel;
#else
      return NULL;
#endif
  }
}

static void alarm_in(uint64_t ns) {
  const struct itimerval timer = {
      .it_value = {(time_t)(ns / 1000000000), (suseconds_t)(ns % 1000000000 / 1000)}};

  setitimer(ITIMER_REAL, &timer, NULL);
}

enum outcome platform_guard(void (*work)(void*), void* argument, uint64_t timeout_ns,
                            char* message) {
  const int number = sigsetjmp(back, 1);

  if (number == 0) {
    guarding = 1;
    if (stopped) {
      guarding = 0;
      return OUTCOME_INTERRUPTED;
    }
    alarm_in(timeout_ns);
    work(argument);
    guarding = 0;
    alarm_in(0);
    return OUTCOME_OK;
  }
  alarm_in(0);
  switch (number) {
    case SIGALRM:
      say_at(message, "no answer within ms: ", timeout_ns / 1000000);
      return OUTCOME_TIMEOUT;
    case SIGBUS:
    case SIGSEGV:
      strcpy(message, number == SIGBUS ? "bus error" : "access to an address that is not mapped");
      return OUTCOME_BUS_ERROR;
    case SIGILL:
      strcpy(message, "the processor does not know an instruction of this kernel");
      return OUTCOME_REFUSED;
    default:
      strcpy(message, "interrupted");
      return OUTCOME_INTERRUPTED;
  }
}

/* ---- output, time, usage
 * ------------------------------------------------------------------------- */

bool lines_emit(const char* bytes, size_t length) {
  while (length) {
    const ssize_t done = write(STDOUT_FILENO, bytes, length);

    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) {
      fprintf(stderr, "probe: output: %s\n", done < 0 ? strerror(errno) : "nothing was taken");
      return false;
    }
    bytes += done;
    length -= (size_t)done;
  }
  return true;
}

uint64_t platform_now(void) {
  struct timespec time;

  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

void platform_usage(struct usage* usage) {
  struct rusage now;

  getrusage(RUSAGE_THREAD, &now);
  usage->faults = (uint64_t)(now.ru_minflt + now.ru_majflt);
  usage->switches = (uint64_t)(now.ru_nvcsw + now.ru_nivcsw);
  usage->cpu = sched_getcpu();
}

void linux_say(char* message, const char* what) {
  snprintf(message, MESSAGE, "%.90s: %s", what, strerror(errno));
}

bool linux_file_says(const char* path, const char* text) {
  char content[4096];
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t length;

  if (fd < 0) return false;
  length = read(fd, content, sizeof(content) - 1);
  close(fd);
  content[length < 0 ? 0 : length] = 0;
  return strstr(content, text) != NULL;
}

/* Empty where there is no such file. */
static void linux_first_line(const char* path, char* text, int room) {
  FILE* file = fopen(path, "re");

  if (!file || !fgets(text, room, file)) text[0] = 0;
  if (file) fclose(file);
  text[strcspn(text, "\n")] = 0;
}

/* ---- processors
 * ---------------------------------------------------------------------------------- */

static cpu_set_t allowed;
static int main_cpu;

static bool pin_to(int cpu) {
  cpu_set_t one;

  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  return sched_setaffinity(0, sizeof(one), &one) == 0;
}

bool linux_pin(uint64_t cpu, struct fault* fault) {
  int first = 0, last = CPU_SETSIZE - 1;

  if (sched_getaffinity(0, sizeof(allowed), &allowed)) {
    snprintf(fault->text, sizeof(fault->text), "processors: %s", strerror(errno));
    return false;
  }
  while (first < CPU_SETSIZE - 1 && !CPU_ISSET(first, &allowed)) first++;
  while (last > 0 && !CPU_ISSET(last, &allowed)) last--;
  main_cpu = cpu == CPU_ANY ? first : (int)cpu;
  if (main_cpu < CPU_SETSIZE && CPU_ISSET(main_cpu, &allowed) && pin_to(main_cpu)) return true;
  snprintf(fault->text, sizeof(fault->text),
           "cpu=%d: this program may use %d of the processors %d to %d; give one", main_cpu,
           CPU_COUNT(&allowed), first, last);
  return false;
}

int linux_main_cpu(void) { return main_cpu; }

int linux_cpu_for_traffic(unsigned number) {
  const int count = CPU_COUNT(&allowed);
  int cpu = main_cpu;

  for (unsigned steps = count > 1 ? number % (unsigned)(count - 1) + 1 : 0; steps; steps--) do
      cpu = (cpu + 1) % CPU_SETSIZE;
    while (!CPU_ISSET(cpu, &allowed));
  return cpu;
}

unsigned platform_vector_bytes(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") ? 64 : __builtin_cpu_supports("avx2") ? 32 : 16;
#elif defined(__arm__)
  return getauxval(AT_HWCAP) & 1 << 12 /* HWCAP_NEON */ ? 16 : 8;
#else
  return 16;
#endif
}

/* ---- what the machine is
 * ------------------------------------------------------------------------- */

#if defined(__GLIBC__)
#define LIBC "glibc"
#else
#define LIBC "musl"
#endif
#if defined(__x86_64__)
#define ARCH "x86_64"
#elif defined(__aarch64__)
#define ARCH "aarch64"
#elif defined(__arm__)
#define ARCH "armv7"
#else
#error "the probe does not know this processor"
#endif

bool platform_describe(const struct plan* plan) {
  struct utsname kernel;
  struct line line;
  char text[128];

  line_begin(&line, "probe");
  line_text(&line, "version", PROBE_VERSION);
  line_text(&line, "arch", ARCH);
  line_text(&line, "libc", LIBC);
  line_text(&line, "build", PROBE_BUILD);
  if (!line_end(&line)) return false;
  uname(&kernel);
  line_begin(&line, "machine");
  line_text(&line, "kernel", kernel.release);
  line_text(&line, "machine", kernel.machine);
  line_number(&line, "cpus", (uint64_t)CPU_COUNT(&allowed));
  line_number(&line, "cpu", (uint64_t)main_cpu);
  line_number(&line, "page_bytes", (uint64_t)sysconf(_SC_PAGESIZE));
  line_number(&line, "vector_bytes", platform_vector_bytes());
  linux_first_line("/sys/devices/system/cpu/isolated", text, sizeof(text));
  line_text(&line, "isolated", text);
  line_number(&line, "seed", plan->set.seed);
  line_number(&line, "points", plan->count);
  return line_end(&line);
}
