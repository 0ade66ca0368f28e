#include "runner/trial/fence.hpp"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace runner {
namespace {

// The numbers of system calls on a processor family, for the filter.
struct Processor {
  const char* name;  // as uname() has it
  uint32_t architecture;
  std::vector<uint32_t> copying;  // system calls that copy a process: fork and vfork
  uint32_t other_calls;  // the first number of a second set of the same calls (x32); 0 for none
};

const Processor* this_processor() {
  static const std::array known = {
      Processor{.name = "x86_64",
                .architecture = AUDIT_ARCH_X86_64,
                .copying = {57, 58},
                .other_calls = 0x40000000},
      Processor{
          .name = "aarch64", .architecture = AUDIT_ARCH_AARCH64, .copying = {}, .other_calls = 0},
  };
  utsname system{};
  uname(&system);
  for (const Processor& one : known) {
    if (std::string_view(one.name) == system.machine) return &one;
  }
  return nullptr;
}

// The answer to a fork. A sanitizer forks to name the lines of its report, so it only gets an
// error.
constexpr uint32_t NO_COPY =
    SGEMM_SANITIZED != 0 ? SECCOMP_RET_ERRNO | EPERM : SECCOMP_RET_KILL_PROCESS;

// A filter of system calls, built call by call.
class Filter {
 public:
  explicit Filter(const Processor& processor) {
    load(offsetof(seccomp_data, arch));
    skip_unless(BPF_JEQ, processor.architecture, 1);
    jump(1);
    answer(SECCOMP_RET_KILL_PROCESS);
    load(offsetof(seccomp_data, nr));
    if (processor.other_calls == 0) return;
    skip_unless(BPF_JGE, processor.other_calls, 1);
    answer(SECCOMP_RET_KILL_PROCESS);
  }

  void deny(long call, uint32_t with) {
    skip_unless(BPF_JEQ, static_cast<uint32_t>(call), 1);
    answer(with);
  }
  // Denies the call unless one of these bits is in its first argument.
  void deny_without_bits(long call, uint32_t bits, uint32_t with) {
    skip_unless(BPF_JEQ, static_cast<uint32_t>(call), 4);
    load(offsetof(seccomp_data, args));
    skip_unless(BPF_JSET, bits, 1);
    answer(SECCOMP_RET_ALLOW);
    answer(with);
  }
  // Denies a call with this first argument. The next function denies it with any other argument.
  void deny_of(long call, uint32_t argument, uint32_t with) {
    judge_argument(call, argument, with, SECCOMP_RET_ALLOW);
  }
  void deny_but_of(long call, uint32_t argument, uint32_t with) {
    judge_argument(call, argument, SECCOMP_RET_ALLOW, with);
  }

  void install() {
    answer(SECCOMP_RET_ALLOW);
    const sock_fprog program{.len = static_cast<unsigned short>(code_.size()),
                             .filter = code_.data()};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
  }

 private:
  void load(size_t offset) {
    code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset)));
  }
  void answer(uint32_t with) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, with)); }
  void jump(uint32_t statements) { code_.push_back(BPF_STMT(BPF_JMP | BPF_JA, statements)); }
  // Continues with the next statement if the comparison holds; otherwise skips `statements` of
  // them.
  void skip_unless(uint16_t comparison, uint32_t value, uint8_t statements) {
    code_.push_back(
        BPF_JUMP(static_cast<uint16_t>(BPF_JMP | comparison | BPF_K), value, 0, statements));
  }
  void judge_argument(long call, uint32_t argument, uint32_t same, uint32_t other) {
    skip_unless(BPF_JEQ, static_cast<uint32_t>(call), 4);
    load(offsetof(seccomp_data, args));
    skip_unless(BPF_JEQ, argument, 1);
    answer(same);
    answer(other);
  }

  std::vector<sock_filter> code_;
};

}  // namespace

void forbid_what_judged_code_may_not() {
  const Processor* const processor = this_processor();
  if (processor == nullptr) return;
  constexpr uint32_t REFUSED = SECCOMP_RET_ERRNO | EPERM;
  const auto own = static_cast<uint32_t>(getpid());
  Filter filter(*processor);
  // Allows a thread, and the process of posix_spawn, which becomes another program at once.
  filter.deny_without_bits(SYS_clone, CLONE_THREAD | CLONE_VFORK, NO_COPY);
  filter.deny(SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);  // then the C library uses clone
  for (const uint32_t call : processor->copying) filter.deny(call, NO_COPY);
  filter.deny(SYS_setsid, REFUSED);
  filter.deny(SYS_setpgid, REFUSED);
  filter.deny_of(SYS_prctl, PR_SET_PDEATHSIG, REFUSED);
  filter.deny_but_of(SYS_kill, own, REFUSED);
  filter.deny_but_of(SYS_tgkill, own, REFUSED);
  filter.deny(SYS_tkill, REFUSED);
  filter.deny(SYS_ptrace, REFUSED);
  filter.deny(SYS_process_vm_writev, REFUSED);
  filter.install();
}

}  // namespace runner
