#include "simulator/fault.hpp"

#include <cxxabi.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <string_view>

namespace simulator {
namespace {

const char* headline(FaultKind kind) {
  switch (kind) {
    case FaultKind::out_of_bounds:
      return "access out of bounds";
    case FaultKind::use_after_free:
      return "access to freed memory";
    case FaultKind::misaligned:
      return "misaligned access";
    case FaultKind::unknown_instruction:
      return "instruction outside the simulator's subset";
    case FaultKind::barrier_divergence:
      return "barrier not reached by all threads";
    case FaultKind::trap:
      return "trap";
    case FaultKind::failed_assert:
      return "failed assert";
    case FaultKind::interrupted:
      return "interrupted";
    case FaultKind::endless_wait:
      return "a wait that never ends";
    case FaultKind::stack_overflow:
      return "stack overflow";
    case FaultKind::no_function:
      return "call of no function";
    case FaultKind::timed_out:
      return "time limit reached";
    case FaultKind::host_memory:
      return "out of memory on the host";
  }
  return "error";
}

// Whether the fault is an access's or a call's. Address 0 is a null pointer then, and worth showing.
bool has_address(FaultKind kind) {
  return kind == FaultKind::out_of_bounds || kind == FaultKind::use_after_free ||
         kind == FaultKind::misaligned || kind == FaultKind::no_function;
}

// The others strike the grid as a whole.
bool is_of_a_thread(FaultKind kind) {
  return kind != FaultKind::interrupted && kind != FaultKind::host_memory;
}

std::string triple(const Dim3& d) {
  std::ostringstream text;
  text << '(' << d.x << ", " << d.y << ", " << d.z << ')';
  return text.str();
}

}  // namespace

std::string Fault::text() const {
  std::ostringstream text;
  text << "simulated GPU: " << headline(kind) << " in " << (kernel.empty() ? "a kernel" : kernel);
  if (!where.file.empty()) text << "\n  at           " << where.file << ':' << where.line;
  if (is_of_a_thread(kind)) {
    text << "\n  thread       " << triple(thread) << " of block " << triple(block);
  }
  if (!instruction.empty()) text << "\n  instruction  " << instruction;
  if (has_address(kind)) text << "\n  address      0x" << std::hex << address << std::dec;
  if (!detail.empty()) text << "\n  " << detail;
  text << '\n';
  return text.str();
}

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0) return name;
  std::string plain = text.get();
  for (const std::string_view noise : {"(anonymous namespace)::"}) {
    for (size_t at = 0; (at = plain.find(noise)) != std::string::npos;)
      plain.erase(at, noise.size());
  }
  int depth = 0;  // the parameter list is the first parenthesis outside < >
  for (size_t i = 0; i < plain.size(); ++i) {
    if (plain[i] == '<') ++depth;
    if (plain[i] == '>') --depth;
    if (plain[i] == '(' && depth == 0) {
      plain.resize(i);
      break;
    }
  }
  if (plain.starts_with("void ")) plain.erase(0, 5);
  return plain;
}

void report_mismatched_barriers(const std::string& kernel, const SourceLine& one,
                                const SourceLine& other) {
  static std::mutex mutex;
  static std::set<std::string> said;
  const SourceLine& first = one.line <= other.line ? one : other;
  const SourceLine& second = one.line <= other.line ? other : one;
  std::ostringstream text;
  text
      << "simulated GPU: warning: warps of one block meet at different barriers in " << kernel
      << "\n  at           " << first.file << ':' << first.line << "\n  and          "
      << second.file << ':' << second.line
      << "\n  A device lets them; CUDA's programming guide forbids it: all threads of a block must "
         "reach the same\n  __syncthreads(). Barriers with numbers of their own (bar.sync) are for "
         "this.\n";
  const std::lock_guard lock(mutex);
  if (said.insert(text.str()).second) std::fputs(text.str().c_str(), stderr);
}

}  // namespace simulator
