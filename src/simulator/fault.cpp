#include "simulator/fault.hpp"

#include <sstream>

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
  }
  return "error";
}

/// Whether the fault is an access's. Address 0 is a null pointer then, and worth showing.
bool has_address(FaultKind kind) {
  return kind == FaultKind::out_of_bounds || kind == FaultKind::use_after_free ||
         kind == FaultKind::misaligned;
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
  // An interrupt strikes the grid as a whole, no thread of it.
  if (kind != FaultKind::interrupted) {
    text << "\n  thread       " << triple(thread) << " of block " << triple(block);
  }
  if (!instruction.empty()) text << "\n  instruction  " << instruction;
  if (has_address(kind)) text << "\n  address      0x" << std::hex << address << std::dec;
  if (!detail.empty()) text << "\n  " << detail;
  text << '\n';
  return text.str();
}

}  // namespace simulator
