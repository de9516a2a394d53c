// SPDX-License-Identifier: GPL-2.0-only
#include "confinement.hpp"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <vector>

namespace weighbridge::processor {
namespace {

constexpr rlim_t kSeconds = 1200;
constexpr rlim_t kAddresses = 16ULL << 30;  // of which most is the program's memory, untouched

// What is needed to compute, and to write to what is open.
constexpr long kAllowed[] = {
    SYS_read,       SYS_write,      SYS_writev,        SYS_close,        SYS_fstat,
    SYS_lseek,      SYS_mmap,       SYS_munmap,        SYS_mprotect,     SYS_mremap,
    SYS_madvise,    SYS_brk,        SYS_futex,         SYS_rt_sigaction, SYS_rt_sigprocmask,
    SYS_exit,       SYS_exit_group, SYS_clock_gettime, SYS_getrandom,    SYS_newfstatat,
    SYS_getpid,     SYS_gettid,     SYS_tgkill,        SYS_rt_sigreturn, SYS_sigaltstack,
    SYS_sched_yield};

// The standard library asks so whether standard output is a terminal, and takes an error for a no.
constexpr long kRefused[] = {SYS_ioctl};

void limit(int what, rlim_t most) {
  const rlimit both{most, most};
  if (setrlimit(static_cast<__rlimit_resource>(what), &both) != 0) {
    throw std::runtime_error("the emulator cannot be limited");
  }
}

}  // namespace

void confine([[maybe_unused]] const Beside& beside) {
#if defined(__x86_64__)
  limit(RLIMIT_CORE, 0);
  if (!beside.endless) limit(RLIMIT_CPU, kSeconds);
  limit(RLIMIT_AS, kAddresses);
  std::vector<sock_filter> filter;
  const auto load = [&](std::size_t offset) {
    filter.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  };
  load(offsetof(seccomp_data, arch));
  filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0));
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
  load(offsetof(seccomp_data, nr));
  const auto answer = [&](std::span<const long> calls, std::uint32_t with) {
    for (const long number : calls) {
      const auto call = static_cast<std::uint32_t>(number);
      filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
      filter.push_back(BPF_STMT(BPF_RET | BPF_K, with));
    }
  };
  answer(kAllowed, SECCOMP_RET_ALLOW);
  answer(beside.allowed, SECCOMP_RET_ALLOW);
  answer(kRefused, SECCOMP_RET_ERRNO | EPERM);
  answer(beside.refused, SECCOMP_RET_ERRNO | EPERM);
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    throw std::runtime_error("the emulator cannot be confined");
  }
#endif
}

}  // namespace weighbridge::processor
