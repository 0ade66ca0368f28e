#include "simulator/fault.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <sstream>
#include <string_view>

namespace simulator {
namespace {

bool is_access(FaultKind kind) {
  return kind == FaultKind::out_of_bounds || kind == FaultKind::use_after_free ||
         kind == FaultKind::misaligned;
}

// Whether the fault is an access's or a call's. Address 0 is a null pointer then, and worth showing.
bool has_address(FaultKind kind) { return is_access(kind) || kind == FaultKind::no_function; }

// The others strike the grid as a whole.
bool is_of_a_thread(FaultKind kind) {
  return kind != FaultKind::interrupted && kind != FaultKind::host_memory;
}

const char* verb(const Fault& fault) {
  switch (fault.action) {
    case FaultAction::reads:
      return "reads";
    case FaultAction::writes:
      return "writes";
    case FaultAction::copies:
      return "copies";
    case FaultAction::frees:
      return "frees";
    default:
      return "accesses";
  }
}

std::string advice_misaligned(const Fault& fault) {
  if (fault.bytes != 8 && fault.bytes != 16)
    return "an address that is a multiple of the type's size";
  const std::string count = std::to_string(fault.bytes / 4);
  return "for float" + count + ", start at a multiple of " + count + " floats (rows too; alignas(" +
         std::to_string(fault.bytes) + ") for arrays), or take single floats";
}

// " in line 7"; nothing where the line is not known.
std::string line_of(const Fault& fault, const char* preposition = "in") {
  if (fault.where.file.empty()) return "";
  return std::string(" ") + preposition + " line " + std::to_string(fault.where.line);
}

std::string what_of(const Fault& fault) {
  const std::string kernel = fault.kernel.empty() ? "a kernel" : fault.kernel;
  const std::string detail = fault.detail.empty() ? "" : ": " + fault.detail;
  switch (fault.kind) {
    case FaultKind::out_of_bounds:
      return kernel + " " + verb(fault) + " out of bounds" + detail;
    case FaultKind::use_after_free:
      return kernel + " " + verb(fault) + " memory that was freed before" + detail;
    case FaultKind::misaligned:
      return kernel + " " + verb(fault) + " at a misaligned address" + detail;
    case FaultKind::unknown_instruction:
      return kernel + " comes to `" + fault.instruction + "`" + detail;
    case FaultKind::barrier_divergence:
      return kernel + " waits at a barrier that not all threads reach" + detail;
    case FaultKind::trap:
      return kernel + " stops itself with __trap()";
    case FaultKind::failed_assert:
      return "an assert in " + kernel + " does not hold" + detail;
    case FaultKind::interrupted:
      return kernel + " was interrupted";
    case FaultKind::endless_wait:
      return kernel + " waits for ever" + detail;
    case FaultKind::stack_overflow:
      return kernel + " overflows its stack" + detail;
    case FaultKind::no_function:
      return kernel + " calls what is no function" + detail;
    case FaultKind::timed_out:
      return kernel + " takes too long" + detail;
    case FaultKind::host_memory:
      return "there is not enough memory on the host to run " + kernel + detail;
  }
  return "an error in " + kernel + detail;
}

// The line, and for code without lines the instruction in its place.
std::string where_of(const Fault& fault) {
  std::ostringstream text;
  if (!fault.where.file.empty()) {
    text << fault.where.file << ':' << fault.where.line << " in " << fault.kernel;
  } else if (!fault.instruction.empty()) {
    text << '`' << fault.instruction << "` in " << fault.kernel << " (compiled without lines)";
  } else {
    return "";
  }
  if (is_of_a_thread(fault.kind)) {
    text << ": thread " << triple(fault.thread) << " of block " << triple(fault.block);
  }
  if (has_address(fault.kind)) {
    const bool is_offset = is_access(fault.kind) && (fault.address_kind == AddressKind::shared ||
                                                     fault.address_kind == AddressKind::local);
    if (is_offset) {
      text << ", byte " << fault.address << " of "
           << (fault.address_kind == AddressKind::shared ? "shared" : "local") << " memory";
    } else {
      text << ", address 0x" << std::hex << fault.address;
    }
  }
  return text.str();
}

std::string advice_out_of_bounds(const Fault& fault) {
  if (fault.action == FaultAction::frees)
    return "free() only what malloc() in a kernel gave; cudaFree() what cudaMalloc gave";
  switch (fault.address_kind) {
    case AddressKind::null:
      return "pass a pointer that cudaMalloc has set, and check what cudaMalloc returns";
    case AddressKind::host:
      return "cudaMalloc and cudaMemcpy: this is a pointer to host memory, and a kernel needs one "
             "to the device's";
    case AddressKind::shared:
      return "a larger __shared__ array or a smaller index" + line_of(fault) +
             "; of extern __shared__, <<<grid, block, BYTES>>> gives the size";
    case AddressKind::local:
      return "an index that stays within the array" + line_of(fault);
    case AddressKind::before:
      return "an index that is never below 0" + line_of(fault) +
             ": a guard like `if (i > 0)`; a product of ints may also overflow (size_t holds more)";
    case AddressKind::device:
      break;
  }
  return "a guard like `if (i < n)`" + line_of(fault, "around") +
         "; or more memory: cudaMalloc takes bytes, n * sizeof(float), not elements";
}

std::string advice_of(const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::out_of_bounds:
      return advice_out_of_bounds(fault);
    case FaultKind::use_after_free:
      if (fault.action == FaultAction::frees) return "free() each pointer once, in one thread";
      return "cudaFree only when no kernel that is still to come uses the memory, or pass the new "
             "pointer";
    case FaultKind::misaligned:
      return advice_misaligned(fault);
    case FaultKind::unknown_instruction:
      return "other code" + line_of(fault) +
             ", or a real GPU: docs/simulator.md lists what the simulated one covers";
    case FaultKind::barrier_divergence:
      if (fault.action == FaultAction::meets) {
        return "__syncwarp with a mask of just the lanes that come here, or move it out of the "
               "`if` "
               "or loop";
      }
      return "move the __syncthreads()" + line_of(fault) +
             " out of the `if`, the loop or behind the early return: all threads must reach it";
    case FaultKind::trap:
      return "find the condition that leads" + line_of(fault, "to") +
             "; printf in the kernel shows its values";
    case FaultKind::failed_assert:
      return "printf the values that the assert compares, just before it";
    case FaultKind::interrupted:
      return "";
    case FaultKind::endless_wait:
      return "whoever sets what is waited for must be able to run: in a lock, work and unlock "
             "inside "
             "the loop that takes it";
    case FaultKind::stack_overflow:
      return "a condition that ends the recursion earlier, or a loop in its place";
    case FaultKind::no_function:
      return "take the function's address in device code (`__device__ F f = function;`) and "
             "cudaMemcpyFromSymbol it";
    case FaultKind::timed_out:
      return "a smaller problem or a longer SIMULATOR_TIMEOUT; if that does not help, a loop" +
             line_of(fault) + " may never end";
    case FaultKind::host_memory:
      return "fewer threads or less shared memory in a block, or a higher limit on memory for this "
             "process";
  }
  return "";
}

}  // namespace

std::string triple(const Dim3& d) {
  return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + ")";
}

Message Fault::message() const { return {what_of(*this), where_of(*this), advice_of(*this)}; }

std::string whole_name(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : mangled;
}

std::string demangled(const std::string& name) {
  std::string plain = whole_name(name);
  if (plain == name) return name;  // not mangled
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

}  // namespace simulator
