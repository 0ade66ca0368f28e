// An error in a simulated kernel, and its place.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "simulator/message.hpp"

namespace simulator {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t{x} * y * z; }
  auto operator<=>(const Dim3&) const = default;
};

/// "(0, 1, 0)"
std::string triple(const Dim3& d);

/// The kinds of error a kernel can make. The runtime maps each to the CUDA error that a device returns.
enum class FaultKind {
  out_of_bounds,        // an address in no live allocation          -> cudaErrorIllegalAddress
  use_after_free,       // an address in a freed allocation          -> cudaErrorIllegalAddress
  misaligned,           // an address not a multiple of the width    -> cudaErrorMisalignedAddress
  unknown_instruction,  // PTX outside the subset                    -> cudaErrorIllegalInstruction
  barrier_divergence,   // a barrier not reached by all threads      -> cudaErrorLaunchFailure
  trap,                 // __trap()                                  -> cudaErrorLaunchFailure
  failed_assert,        // assert() in the kernel                    -> cudaErrorAssert
  interrupted,          // interrupt() was called during the launch  -> cudaErrorLaunchFailure
  endless_wait,         // all threads wait, and none can go on      -> cudaErrorLaunchTimeout
  stack_overflow,       // more calls than the stack has room for    -> cudaErrorHardwareStackError
  no_function,          // a call through a pointer to no function   -> cudaErrorInvalidPc
  incomplete_warp,      // a matrix instruction without all lanes    -> cudaErrorIllegalInstruction
  bad_tensor_copy,      // a tensor copy that a device cannot make   -> cudaErrorIllegalInstruction
  misused_mbarrier,     // more than its phase expects, ...          -> cudaErrorLaunchFailure
  timed_out,            // longer than SIMULATOR_TIMEOUT allows      -> cudaErrorLaunchTimeout
  host_memory,          // the host has no more memory               -> cudaErrorMemoryAllocation
  bad_texture,          // no texture object, or one of another shape -> cudaErrorIllegalInstruction
  no_cooperative_launch,  // grid.sync() in another launch           -> cudaErrorLaunchFailure
  no_peer_access,         // an address of another device              -> cudaErrorIllegalAddress
};

/// The action of the instruction at fault.
enum class FaultAction {
  accesses,  // atomic accesses; also instructions that do not touch memory
  reads,
  writes,
  copies,
  frees,  // free() in a kernel
  meets,  // __syncwarp()
};

/// The kind of memory that a faulting address points to.
enum class AddressKind {
  device,         // in the simulated device's address range, or close to it
  before,         // the same, shortly before the next allocation
  shared,         // the block's shared memory
  local,          // the thread's own memory
  host,           // the host's memory, or none
  null,           // at most a page from 0
  before_shared,  // before the block's shared memory
  parameters,     // the kernel's parameters, which are constant
  cluster,        // the shared memory of a block that the cluster does not have
};

/// The reason why an instruction is not executed.
enum class Obstacle : uint8_t {
  outside_subset,
  bad_register_count,  // setmaxnreg with a number that it cannot have
  raising_decrease,    // setmaxnreg.dec to more registers than the warp has
  newer_device,        // the instruction needs compute capability 10.0
  features_of_90a,     // the instruction exists in programs for sm_90a alone
  interleave,          // a tensor copy by a map with an interleave that leaves out elements
};

/// A mistake with an mbarrier.
enum class MbarrierMisuse {
  not_initialised,
  bad_count,          // mbarrier.init with a number of arrivals that none can have
  too_many_arrivals,  // more than the phase still waits for
  too_many_bytes,     // beyond the range of the count
};

/// The reason why a device cannot make a tensor copy.
enum class TensorMistake {
  no_map,          // the tensor map was never encoded
  other_rank,      // the instruction has another number of coordinates than the map has dimensions
  uneven_start,    // the first coordinate's bytes are no multiple of 16
  negative_store,  // a store begins before the tensor
};

/// The reason why a fetch from a texture fails.
enum class TextureMistake : uint8_t {
  no_object,    // the handle is no texture object of this device
  other_shape,  // the texture has other dimensions, or layers
};

/// Returns the enumerator's own name: "out_of_bounds", "reads", "shared".
const char* name_of(FaultKind kind);
const char* name_of(FaultAction action);
const char* name_of(AddressKind kind);

/// A line of the user's source. An empty file name means that the compiler left no line.
struct SourceLine {
  std::string file;
  int line = 0;
  /// Returns the name without its folder: "tiled.cu".
  std::string file_name() const { return file.substr(file.rfind('/') + 1); }
  bool operator==(const SourceLine&) const = default;
};

/// The place of an address among the allocations at the time of the fault.
struct AddressPlace {
  AddressKind kind = AddressKind::device;
  bool inside = false;    // True if the address is inside the allocation
  bool freed = false;     // True if the allocation was freed
  uint64_t distance = 0;  // from its first byte if inside; else before it or past its end
  uint64_t base = 0;      // the allocation's first byte; 0: there never was an allocation
  // Size of the allocation, the block's shared or the thread's local memory; of a cluster its blocks.
  uint64_t bytes = 0;
  std::string allocation{};  // the allocation's name
  uint32_t device = 0;       // the number of the device that has the memory
  uint32_t seen_from = 0;    // and of the device whose kernel uses the address

  /// Returns "4 bytes past the end of A (1024 bytes at 0x...)". For device and host memory.
  std::string text() const;
};

/// The host memory that this process uses, and its limit.
struct HostMemory {
  enum class Limit { none, of_addresses, of_data };  // none: no limit for this process

  uint64_t in_use = 0;  // bytes
  Limit limited = Limit::none;
  uint64_t limit = 0;  // bytes

  /// Returns "this process has 39 MiB of the 40 MiB that it may have (ulimit -v)".
  std::string text() const;
};

/// Thrown for a kernel whose PTX cannot be read or makes no sense.
struct Unreadable {
  std::string what;  // "PTX line 12: unknown directive .texref"
  SourceLine where;  // the user's line, if known
};

/// One error of one thread, with all that a person needs to find it.
struct Fault {
  FaultKind kind{};
  std::string kernel{};       // demangled
  SourceLine where{};         // the user's line, never one of our headers' lines
  std::string instruction{};  // the PTX as written
  Dim3 block{0, 0, 0};
  Dim3 thread{0, 0, 0};
  uint64_t address = 0;  // accessed or called; in shared or local memory, an offset
  AddressPlace place{};  // of the address, or of the access's first byte out of bounds
  FaultAction action = FaultAction::accesses;
  uint32_t bytes = 0;      // width of a lane's access
  uint32_t alignment = 0;  // bytes that the address must be a multiple of
  // The lanes that should meet: the number at the barrier, the number on another branch, and the thread of the
  // first lane on another branch.
  uint32_t lanes_here = 0, lanes_elsewhere = 0, thread_elsewhere = 0;
  /// Of a wait at the barrier of a cluster: the threads that have arrived, of those that it waits for.
  struct ClusterThreads {
    uint32_t arrived = 0, expected = 0;
  } cluster_threads{};
  uint32_t calls = 0;  // calls that fit into the stack
  Obstacle obstacle{};
  std::string target{};  // the architecture that the kernel is compiled for: "sm_90a"
  MbarrierMisuse misuse{};
  /// The mistake of a tensor copy: the dimension, its coordinate, and the bytes of an element or the map's dimensions.
  struct Tensor {
    TensorMistake mistake{};
    uint32_t dimension = 0;
    int64_t coordinate = 0;
    uint32_t bytes = 0, dimensions = 0;
  } tensor{};
  TextureMistake texture{};
  /// The arguments of a failed assert(), as the C library passes them.
  struct Assertion {
    std::string expression{}, file{}, function{};
    uint32_t line = 0;
  } assertion{};
  /// The phase of an mbarrier that an endless wait waits for.
  struct Phase {
    bool is_awaited = false;
    uint32_t arrivals = 0, expected_arrivals = 0;
    int64_t bytes = 0,
            expected_bytes = 0;  // that copies brought, and that the phase was told to expect
  } phase{};
  /// Of an endless wait at the grid's barrier: the blocks that have arrived, of those that it waits for.
  struct GridBlocks {
    uint64_t arrived = 0, expected = 0;
  } grid_blocks{};
  /// Of an endless wait: the blocks that have not begun because those that wait keep their places.
  struct WaitingBlocks {
    uint64_t not_begun = 0, most_at_once = 0;
  } waiting_blocks{};
  /// The registers that an endless wait asks for by setmaxnreg.
  struct Registers {
    uint32_t asked = 0;  // for a thread of the warp; 0: it is no such wait
    uint32_t at_launch = 0, threads_at_launch = 0;
    uint64_t wanted = 0;  // by all warps of the block, with those that wait
  } registers{};
  uint64_t block_bytes = 0;  // host memory of a block; 0: unknown
  HostMemory host{};

  /// Returns three lines for a person: the error, its place, and advice.
  Message message() const;
  std::string text() const { return message().text(); }
};

/// Returns the demangled name, with its parameters: "kernel(float*)::As" for _ZZ6kernelPfE2As. Returns a name
/// that is not mangled unchanged.
std::string whole_name(const std::string& mangled);
/// Returns the demangled name, without result and parameters: "ladder::naive_kernel" for "void
/// ladder::naive_kernel(ladder::Sgemm)".
std::string demangled(const std::string& name);

}  // namespace simulator
