// What went wrong inside a simulated kernel, and where.
#pragma once

#include <cstdint>
#include <string>

#include "simulator/message.hpp"

namespace simulator {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t{x} * y * z; }
  bool operator==(const Dim3&) const = default;
};

/// "(0, 1, 0)"
std::string triple(const Dim3& d);

/// The kinds of error a kernel can make; the runtime maps each to the CUDA error that a device returns.
enum class FaultKind {
  out_of_bounds,        // an address in no live allocation          -> cudaErrorIllegalAddress
  use_after_free,       // an address in a freed allocation          -> cudaErrorIllegalAddress
  misaligned,           // an address not a multiple of the width    -> cudaErrorMisalignedAddress
  unknown_instruction,  // PTX outside the subset                    -> cudaErrorIllegalInstruction
  barrier_divergence,   // a barrier not reached by all threads      -> cudaErrorLaunchFailure
  trap,                 // __trap()                                  -> cudaErrorLaunchFailure
  failed_assert,        // assert() in the kernel                    -> cudaErrorAssert
  interrupted,          // interrupt() was called during the launch  -> cudaErrorLaunchFailure
  endless_wait,         // all wait, and nobody can end it           -> cudaErrorLaunchTimeout
  stack_overflow,       // more calls than the stack has room for    -> cudaErrorHardwareStackError
  no_function,          // a call through what points to none        -> cudaErrorInvalidPc
  timed_out,            // longer than SIMULATOR_TIMEOUT allows      -> cudaErrorLaunchTimeout
  host_memory,          // no more memory on the host, at any point  -> cudaErrorMemoryAllocation
};

/// What the instruction at fault does.
enum class FaultAction {
  accesses,  // atomically; also what has nothing to do with memory
  reads,
  writes,
  copies,
  frees,  // free() in a kernel
  meets,  // __syncwarp()
};

/// What an address that is at fault points to.
enum class AddressKind {
  device,         // or close to it: the simulated device's addresses
  before,         // the same, and the next allocation begins behind it
  shared,         // the block's shared memory
  local,          // the thread's own
  host,           // the host's, or nothing at all
  null,           // at most a page from 0
  before_shared,  // before the block's shared memory
};

/// "out_of_bounds", "reads", "shared": the enumerator's own name.
const char* name_of(FaultKind kind);
const char* name_of(FaultAction action);
const char* name_of(AddressKind kind);

/// A place in the user's source. An empty file means that the compiler left no line.
struct SourceLine {
  std::string file;
  int line = 0;
  /// "tiled.cu", whatever folder it lies in.
  std::string file_name() const { return file.substr(file.rfind('/') + 1); }
  bool operator==(const SourceLine&) const = default;
};

/// Where an address lies, among the allocations as they were then.
struct AddressPlace {
  AddressKind kind = AddressKind::device;
  bool inside = false;    // the allocation, that is; else beside it
  bool freed = false;     // the allocation is
  uint64_t distance = 0;  // from its first byte; before that, or past its end
  uint64_t base = 0;      // of the allocation; 0: there never was one
  uint64_t bytes = 0;     // of the allocation; of the block's shared or the thread's local memory
  std::string allocation{};  // its name

  /// "4 bytes past the end of A (1024 bytes at 0x...)"; of device memory and the host's.
  std::string text() const;
};

/// What this process may have of its host's memory.
struct HostMemory {
  enum class Limit { none, of_addresses, of_data };  // none of its own

  uint64_t in_use = 0;  // bytes
  Limit limited = Limit::none;
  uint64_t limit = 0;  // bytes

  /// "this process has 39 MiB of the 40 MiB that it may have (ulimit -v)"
  std::string text() const;
};

/// Thrown for a kernel whose PTX cannot be read or makes no sense.
struct Unreadable {
  std::string what;  // "PTX line 12: unknown directive .texref"
  SourceLine where;  // the user's line, as far as it is known
};

/// One error of one thread: everything a person needs to find it.
struct Fault {
  FaultKind kind{};
  std::string kernel{};       // demangled
  SourceLine where{};         // the user's line, never one of our headers' lines
  std::string instruction{};  // the PTX as written
  Dim3 block{0, 0, 0};
  Dim3 thread{0, 0, 0};
  uint64_t address = 0;  // of an access, or called; in shared or local memory, the offset in it
  AddressPlace place{};  // of that address, or of the access's first byte that is outside
  FaultAction action = FaultAction::accesses;
  uint32_t bytes = 0;      // that a lane reads or writes at once
  uint32_t alignment = 0;  // that the address should have
  // Of the lanes that should meet: those at the barrier, those that took another branch, and the first one's thread.
  uint32_t lanes_here = 0, lanes_elsewhere = 0, thread_elsewhere = 0;
  uint32_t calls = 0;  // that the stack has room for
  /// As the C library's assert() has them.
  struct Assertion {
    std::string expression{}, file{}, function{};
    uint32_t line = 0;
  } assertion{};
  uint64_t block_bytes =
      0;  // that a block takes of the host's memory; 0: of a kernel that cannot be read
  HostMemory host{};

  /// The three lines for a person: what happened, where, and what to try.
  Message message() const;
  std::string text() const { return message().text(); }
};

/// "kernel(float*)::As" for _ZZ6kernelPfE2As; the name itself where it is not mangled.
std::string whole_name(const std::string& mangled);
/// "void ladder::naive_kernel(ladder::Sgemm)" -> "ladder::naive_kernel", from the mangled name.
std::string demangled(const std::string& name);

}  // namespace simulator
