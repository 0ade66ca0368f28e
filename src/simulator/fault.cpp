#include "simulator/fault.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string_view>
#include <utility>

namespace simulator {
namespace {

bool is_access(FaultKind kind) {
  return kind == FaultKind::out_of_bounds || kind == FaultKind::use_after_free ||
         kind == FaultKind::no_peer_access || kind == FaultKind::misaligned;
}

// True if an access or a call faulted. Address 0 is then a null pointer, and worth showing.
bool has_address(FaultKind kind) {
  return is_access(kind) || kind == FaultKind::no_function || kind == FaultKind::misused_mbarrier;
}

// True if the fault belongs to a thread; others concern the whole grid.
bool is_of_a_thread(FaultKind kind) {
  return kind != FaultKind::interrupted && kind != FaultKind::host_memory;
}

std::string counted(uint64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

bool is_of_block_or_thread(AddressKind kind) {
  return kind == AddressKind::shared || kind == AddressKind::before_shared ||
         kind == AddressKind::local || kind == AddressKind::parameters ||
         kind == AddressKind::cluster;
}

// Returns the offset from the memory's first byte. An address in shared memory has 32 bits, so one before it
// wraps.
int64_t byte_of(const Fault& fault) {
  return fault.place.kind == AddressKind::before_shared
             ? static_cast<int32_t>(static_cast<uint32_t>(fault.address))
             : static_cast<int64_t>(fault.address);
}

bool is_local(const Fault& fault) { return fault.place.kind == AddressKind::local; }

std::string advice_misaligned(const Fault& fault) {
  if (fault.bytes != 8 && fault.bytes != 16)
    return "an address that is a multiple of the type's size";
  const std::string count = std::to_string(fault.bytes / 4);
  return "for float" + count + ", start at a multiple of " + count + " floats (rows too; alignas(" +
         std::to_string(fault.bytes) + ") for arrays), or take single floats";
}

// Returns " in line 7", or nothing if the line is not known.
std::string line_of(const Fault& fault, const char* preposition = "in") {
  if (fault.where.file.empty()) return "";
  return std::string(" ") + preposition + " line " + std::to_string(fault.where.line);
}

std::string detail_of_barrier(const Fault& fault) {
  if (fault.action == FaultAction::meets) {
    return "__syncwarp waits for " + counted(fault.lanes_here + fault.lanes_elsewhere, "lane") +
           " of the warp, but " + std::to_string(fault.lanes_elsewhere) +
           " of them took another branch";
  }
  if (fault.cluster_threads.expected != 0) {
    return std::to_string(fault.cluster_threads.arrived) + " of the cluster's " +
           counted(fault.cluster_threads.expected, "thread") +
           " have arrived, and no running thread can arrive";
  }
  if (fault.lanes_elsewhere == 0)
    return "the barrier waits for threads that never come: no thread of the block can go on";
  return counted(fault.lanes_here, "lane") + " of the warp reached the barrier while " +
         counted(fault.lanes_elsewhere, "lane") + " took another branch (the first is thread " +
         std::to_string(fault.thread_elsewhere) + " of the block)";
}

bool misses_bytes(const Fault& fault) {
  return fault.phase.arrivals == fault.phase.expected_arrivals;
}

// Returns the reason why a warp never gets the registers that it asks for.
std::string detail_of_registers(const Fault& fault) {
  const Fault::Registers& registers = fault.registers;
  return "setmaxnreg.inc to " + std::to_string(registers.asked) +
         " registers brings the block to " + std::to_string(registers.wanted) +
         ", and it was launched with " +
         std::to_string(uint64_t{registers.at_launch} * registers.threads_at_launch) + " (" +
         std::to_string(registers.threads_at_launch) + " threads of " +
         std::to_string(registers.at_launch) + ")";
}

std::string detail_of_wait(const Fault& fault) {
  if (fault.registers.asked != 0) return detail_of_registers(fault);
  if (fault.grid_blocks.expected != 0) {
    return std::to_string(fault.grid_blocks.arrived) + " of the grid's " +
           counted(fault.grid_blocks.expected, "block") +
           " have arrived at its barrier, and no running thread can arrive";
  }
  if (!fault.phase.is_awaited) {
    return "this loop repeats itself, and no running thread can change the value that it waits for";
  }
  if (misses_bytes(fault)) {
    return "the mbarrier's phase was told to expect " + std::to_string(fault.phase.expected_bytes) +
           " bytes, and copies brought " + std::to_string(fault.phase.bytes);
  }
  return "the mbarrier's phase has " + std::to_string(fault.phase.arrivals) + " of its " +
         counted(fault.phase.expected_arrivals, "arrival") + ", and no running thread can arrive";
}

struct MisuseWords {
  const char *what, *advice;
};

MisuseWords words_of(MbarrierMisuse misuse) {
  switch (misuse) {
    case MbarrierMisuse::not_initialised:
      return {" uses an mbarrier that was not initialised",
              "mbarrier.init by one thread, fence.mbarrier_init, and __syncthreads() before the "
              "first use"};
    case MbarrierMisuse::bad_count:
      return {" initialises an mbarrier with a number of arrivals that it cannot have",
              "a number from 1 to 1048575"};
    case MbarrierMisuse::too_many_arrivals:
      return {" arrives at an mbarrier more often than its phase expects",
              "mbarrier.init with the number of arrivals of each phase"};
    case MbarrierMisuse::too_many_bytes:
      return {" lets an mbarrier expect more bytes than it can count",
              "at most 1048575 bytes in a phase"};
  }
  return {"", ""};
}

std::string detail_of_tensor_copy(const Fault& fault) {
  const std::string coordinate = "coordinate " + std::to_string(fault.tensor.dimension) + " is " +
                                 std::to_string(fault.tensor.coordinate);
  switch (fault.tensor.mistake) {
    case TensorMistake::no_map:
      return "the tensor map was never encoded";
    case TensorMistake::other_rank:
      return "the instruction has " + counted(fault.tensor.dimension, "coordinate") +
             ", and the tensor map has " + counted(fault.tensor.dimensions, "dimension");
    case TensorMistake::uneven_start:
      return coordinate + ", which is " +
             std::to_string(fault.tensor.coordinate * fault.tensor.bytes) +
             " bytes and no multiple of 16";
    case TensorMistake::negative_store:
      return coordinate + ", and a store cannot begin before the tensor";
  }
  return "";
}

std::string advice_on_tensor_copy(const Fault& fault) {
  switch (fault.tensor.mistake) {
    case TensorMistake::no_map:
      return "cuTensorMapEncodeTiled on the host, with its return code checked, and pass the map "
             "as "
             "const __grid_constant__ CUtensorMap";
    case TensorMistake::other_rank:
      return "an instruction of the map's number of dimensions" + line_of(fault);
    case TensorMistake::uneven_start:
      return "a first coordinate that is a multiple of " + std::to_string(16 / fault.tensor.bytes) +
             " elements";
    case TensorMistake::negative_store:
      return "begin the box at 0 or above" + line_of(fault) +
             "; only loads may begin before the tensor";
  }
  return "";
}

std::string detail_of_obstacle(const Fault& fault) {
  switch (fault.obstacle) {
    case Obstacle::outside_subset:
      break;
    case Obstacle::bad_register_count:
      return "the number must be a multiple of 8 from 24 to 256";
    case Obstacle::raising_decrease:
      return "the thread has " + std::to_string(fault.registers.at_launch) +
             " registers, and .dec cannot raise the number to " +
             std::to_string(fault.registers.asked);
    case Obstacle::newer_device:
      return "this instruction needs compute capability 10.0, and the simulated GPU has 9.0";
    case Obstacle::features_of_90a:
      return "the program is compiled for " + fault.target +
             ", and this instruction needs -arch=sm_90a";
    case Obstacle::interleave:
      return "the simulated GPU leaves out no slices";
  }
  return "this instruction is outside the subset of PTX that the simulator executes";
}

std::string advice_on_obstacle(const Fault& fault) {
  switch (fault.obstacle) {
    case Obstacle::outside_subset:
      break;
    case Obstacle::bad_register_count:
      return "24 or 40 registers for a producer, 232 or 240 for each of two consumers";
    case Obstacle::raising_decrease:
      return "setmaxnreg.inc, or a smaller number; the threads of a block have 64 Ki registers";
    case Obstacle::newer_device:
      return "instructions of Hopper" + line_of(fault) +
             " (wgmma, tensor copies), or a GPU of compute capability 10.0";
    case Obstacle::features_of_90a:
      return "simcc -arch=sm_90a, or simcc without -arch, which means the same; nvcc too needs "
             "-arch=sm_90a";
    case Obstacle::interleave:
      return "elementStrides[0] = 1, or a real GPU";
  }
  return "other code" + line_of(fault) +
         ", or a real GPU: docs/simulator.md lists what the simulated one covers";
}

// Returns the error, the correct state, and the nearest allocation.
std::string detail_of(const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::out_of_bounds:
    case FaultKind::use_after_free:
    case FaultKind::no_peer_access:
      if (is_of_block_or_thread(fault.place.kind)) {
        if (fault.place.kind == AddressKind::before_shared) {
          return "the address is " + std::to_string(-byte_of(fault)) +
                 " bytes before the block's shared memory";
        }
        if (fault.place.kind == AddressKind::cluster) {
          return "the address belongs to the block with rank " +
                 std::to_string(fault.place.distance) + ", and the cluster has " +
                 counted(fault.place.bytes, "block");
        }
        if (fault.place.kind == AddressKind::parameters) {
          return "the address is byte " + std::to_string(byte_of(fault)) +
                 " of the kernel's parameters, which have " + std::to_string(fault.place.bytes) +
                 " bytes and are constant";
        }
        return "the address is byte " + std::to_string(byte_of(fault)) +
               (is_local(fault) ? " of the thread's local memory, which has "
                                : " of the block's shared memory, which has ") +
               std::to_string(fault.place.bytes) + " bytes";
      }
      return (fault.action == FaultAction::frees ? "free() was given a pointer that malloc() did "
                                                   "not return, or that was freed before: "
                                                 : "") +
             fault.place.text();
    case FaultKind::misaligned:
      return std::to_string(fault.alignment) + " bytes at once need a multiple of " +
             std::to_string(fault.alignment) + ", this leaves a remainder of " +
             std::to_string(fault.address % fault.alignment) +
             (fault.place.kind == AddressKind::device ? ", " + fault.place.text() : "");
    case FaultKind::unknown_instruction:
      return detail_of_obstacle(fault);
    case FaultKind::barrier_divergence:
      return detail_of_barrier(fault);
    case FaultKind::failed_assert:
      return "assertion `" + fault.assertion.expression + "' failed in " +
             fault.assertion.function + " (" + fault.assertion.file + ":" +
             std::to_string(fault.assertion.line) + ")";
    case FaultKind::endless_wait:
      return detail_of_wait(fault);
    case FaultKind::stack_overflow:
      return "the stack of a thread has room for " + counted(fault.calls, "nested call");
    case FaultKind::no_function:
      return "the function pointer holds no address of a __device__ function";
    case FaultKind::incomplete_warp:
      return "it needs all 32 lanes of the warp, and " + std::to_string(fault.lanes_here) + " came";
    case FaultKind::bad_tensor_copy:
      return detail_of_tensor_copy(fault);
    case FaultKind::timed_out:
      return "the launch took longer than SIMULATOR_TIMEOUT allows";
    case FaultKind::host_memory:
      return (fault.block_bytes == 0
                  ? "there is no room to read it into: "
                  : "a block of it takes " + std::to_string(fault.block_bytes) +
                        " bytes for registers, shared and local memory, and its counters more: ") +
             fault.host.text();
    case FaultKind::bad_texture:
      return fault.texture == TextureMistake::no_object
                 ? "the handle is no texture object, or one that was destroyed"
                 : "`" + fault.instruction + "` does not fit the texture's dimensions and layers";
    case FaultKind::no_cooperative_launch:
      return "its blocks may not all run at once";
    case FaultKind::trap:
    case FaultKind::misused_mbarrier:
    case FaultKind::interrupted:
      break;
  }
  return "";
}

// Returns the text before the kernel's name and the text after it.
std::pair<std::string, std::string> around_kernel(const Fault& fault) {
  const std::string verb =
      std::string(" ") + name_of(is_access(fault.kind) && fault.action == FaultAction::meets
                                     ? FaultAction::accesses
                                     : fault.action);
  switch (fault.kind) {
    case FaultKind::out_of_bounds:
      return {"", verb + " out of bounds"};
    case FaultKind::use_after_free:
      return {"", verb + " memory that was freed before"};
    case FaultKind::no_peer_access:
      return {"", verb + " memory of device " + std::to_string(fault.place.device) +
                      ", and device " + std::to_string(fault.place.seen_from) +
                      " has no access to it"};
    case FaultKind::misaligned:
      return {"", verb + " at a misaligned address"};
    case FaultKind::unknown_instruction:
      if (fault.obstacle == Obstacle::interleave)
        return {"",
                " comes to a tensor copy by a tensor map with an interleave and "
                "elementStrides[0] above 1"};
      return {"", " comes to `" + fault.instruction + "`"};
    case FaultKind::barrier_divergence:
      return {"", " waits at a barrier that not all threads reach"};
    case FaultKind::trap:
      return {"", " stops itself with __trap()"};
    case FaultKind::failed_assert:
      return {"an assert in ", " does not hold"};
    case FaultKind::interrupted:
      return {"", " was interrupted"};
    case FaultKind::endless_wait:
      return {"", " waits for ever"};
    case FaultKind::stack_overflow:
      return {"", " overflows its stack"};
    case FaultKind::no_function:
      return {"", " calls a pointer that is no function"};
    case FaultKind::incomplete_warp:
      return {"", " comes to `" + fault.instruction + "` with a part of a warp"};
    case FaultKind::bad_tensor_copy:
      return {"", " comes to a tensor copy that no device makes"};
    case FaultKind::misused_mbarrier:
      return {"", words_of(fault.misuse).what};
    case FaultKind::timed_out:
      return {"", " takes too long"};
    case FaultKind::bad_texture:
      return {"", " fetches from a texture that it cannot read"};
    case FaultKind::no_cooperative_launch:
      return {"", " waits for its whole grid, in a launch that is not cooperative"};
    case FaultKind::host_memory:
      return {"there is not enough memory on the host to run ", ""};
  }
  return {"an error in ", ""};
}

std::string what_of(const Fault& fault) {
  const auto [before, behind] = around_kernel(fault);
  const std::string detail = detail_of(fault);
  return before + (fault.kernel.empty() ? "a kernel" : fault.kernel) + behind +
         (detail.empty() ? "" : ": " + detail);
}

// Returns the line, or the instruction for code without lines.
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
    if (is_of_block_or_thread(fault.place.kind)) {
      const bool is_parameter = fault.place.kind == AddressKind::parameters;
      text << ", byte " << byte_of(fault) << " of "
           << (is_parameter      ? "the parameters"
               : is_local(fault) ? "local memory"
                                 : "shared memory");
    } else {
      text << ", address 0x" << std::hex << fault.address;
    }
  }
  return text.str();
}

std::string advice_out_of_bounds(const Fault& fault) {
  if (fault.action == FaultAction::frees)
    return "free() only pointers from malloc() in a kernel; cudaFree() pointers from cudaMalloc";
  switch (fault.place.kind) {
    case AddressKind::null:
      return "pass a pointer from cudaMalloc, and check cudaMalloc's return code";
    case AddressKind::host:
      return "cudaMalloc and cudaMemcpy if this is a pointer to host memory; if it was computed "
             "from a device "
             "pointer, look for a product of ints that overflows (int64_t holds more)";
    case AddressKind::shared:
      return "a larger __shared__ array or a smaller index" + line_of(fault) +
             "; of extern __shared__, <<<grid, block, BYTES>>> gives the size";
    case AddressKind::before_shared:
      return "keep the index at 0 or above" + line_of(fault) +
             "; in a ring the last place comes before the first one";
    case AddressKind::cluster:
      return "a rank from 0 to " + std::to_string(fault.place.bytes - 1) + line_of(fault) +
             ": below cluster.num_blocks(), or a launch with larger clusters";
    case AddressKind::local:
      return "an index that stays within the array" + line_of(fault);
    case AddressKind::before:
      return "keep the index at 0 or above" + line_of(fault) +
             ": a guard like `if (i > 0)`; a product of ints may also overflow (size_t holds more)";
    case AddressKind::parameters:
      return "copy the parameter into a variable" + line_of(fault) +
             " if the thread is to change it; a read must stay within it";
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
      return "call cudaFree after the last kernel that uses the memory, or pass the new pointer";
    case FaultKind::no_peer_access: {
      const std::string owner = std::to_string(fault.place.device);
      return "cudaSetDevice(" + std::to_string(fault.place.seen_from) +
             ") and cudaDeviceEnablePeerAccess(" + owner +
             ", 0) before the launch; or launch it on device " + owner +
             ", or copy with cudaMemcpyPeer";
    }
    case FaultKind::misaligned:
      return advice_misaligned(fault);
    case FaultKind::unknown_instruction:
      return advice_on_obstacle(fault);
    case FaultKind::barrier_divergence:
      if (fault.action == FaultAction::meets) {
        return "__syncwarp with a mask of just the lanes that come here, or move it out of the "
               "`if` "
               "or loop";
      }
      if (fault.cluster_threads.expected != 0) {
        return "cluster.sync(), or an arrival and a wait, in all threads of all blocks of the "
               "cluster: move it out of the `if` or loop";
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
      if (fault.registers.asked != 0) {
        return "setmaxnreg.dec in the other warpgroups, and numbers that are " +
               std::to_string(fault.registers.at_launch) + " on average over all warpgroups";
      }
      if (fault.grid_blocks.expected != 0) {
        return "grid.sync() in all blocks, equally often: move it" + line_of(fault) +
               " out of the `if`, the loop or behind the early return";
      }
      if (fault.phase.is_awaited) {
        return misses_bytes(fault)
                   ? "expect_tx with the sum of the bytes of all copies to this mbarrier in one "
                     "phase"
                   : "count the arrivals: mbarrier.init's number in each phase; a wait for the "
                     "wrong parity waits for the phase after";
      }
      if (const auto [not_begun, most_at_once] = fault.waiting_blocks; not_begun != 0) {
        return "at most " + std::to_string(most_at_once) +
               " blocks, which is what the device runs at once, or a cooperative launch: " +
               counted(not_begun, "block") + " cannot begin while those before wait";
      }
      return "let the thread that sets the value run: with a lock, work and unlock inside the loop "
             "that takes it";
    case FaultKind::stack_overflow:
      return "a condition that ends the recursion earlier, or a loop in its place";
    case FaultKind::no_function:
      return "take the function's address in device code (`__device__ F f = function;`) and "
             "cudaMemcpyFromSymbol it";
    case FaultKind::incomplete_warp:
      return "move the instruction" + line_of(fault) +
             " out of the `if` or loop, and launch blocks of a multiple of 32 threads";
    case FaultKind::bad_tensor_copy:
      return advice_on_tensor_copy(fault);
    case FaultKind::misused_mbarrier:
      return words_of(fault.misuse).advice;
    case FaultKind::timed_out:
      return "a smaller problem or a longer SIMULATOR_TIMEOUT; if that does not help, a loop" +
             line_of(fault) + " may never end";
    case FaultKind::bad_texture:
      return fault.texture == TextureMistake::no_object
                 ? "cudaCreateTextureObject with its return code checked, and "
                   "cudaDestroyTextureObject after the last kernel"
                 : "tex1Dfetch for linear memory, tex1D, tex2D or tex3D for an array of so many "
                   "dimensions, tex2DLayered for cudaArrayLayered";
    case FaultKind::no_cooperative_launch:
      return "cudaLaunchCooperativeKernel in place of <<< >>>";
    case FaultKind::host_memory:
      return "fewer threads or less shared memory in a block, or a higher limit on memory for this "
             "process";
  }
  return "";
}

}  // namespace

const char* name_of(FaultKind kind) {
  constexpr std::array NAMES = {
      "out_of_bounds",       "use_after_free",     "misaligned",
      "unknown_instruction", "barrier_divergence", "trap",
      "failed_assert",       "interrupted",        "endless_wait",
      "stack_overflow",      "no_function",        "incomplete_warp",
      "bad_tensor_copy",     "misused_mbarrier",   "timed_out",
      "host_memory",         "bad_texture",        "no_cooperative_launch",
      "no_peer_access"};
  static_assert(NAMES.size() == static_cast<size_t>(FaultKind::no_peer_access) + 1);
  return NAMES[static_cast<size_t>(kind)];
}

const char* name_of(FaultAction action) {
  constexpr std::array NAMES = {"accesses", "reads", "writes", "copies", "frees", "meets"};
  return NAMES[static_cast<size_t>(action)];
}

const char* name_of(AddressKind kind) {
  constexpr std::array NAMES = {"device", "before",        "shared",     "local",  "host",
                                "null",   "before_shared", "parameters", "cluster"};
  return NAMES[static_cast<size_t>(kind)];
}

std::string triple(const Dim3& d) {
  return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + ")";
}

std::string AddressPlace::text() const {
  if (kind == AddressKind::null) return "a null pointer, or a small offset from one";
  if (kind == AddressKind::host)
    return "no device memory: a pointer to the host's memory, or not a pointer at all";
  if (base == 0) return "device memory that was never allocated";
  std::ostringstream whole;
  whole << allocation << " (" << counted(bytes, "byte") << " at 0x" << std::hex << base
        << (freed ? ", freed)" : ")");
  const std::string far = distance == 0 ? "the start of " : counted(distance, "byte") + " into ";
  if (inside) return far + whole.str();
  if (kind == AddressKind::before) return counted(distance, "byte") + " before " + whole.str();
  return (distance == 0 ? "the first byte" : counted(distance, "byte")) + " past the end of " +
         whole.str();
}

std::string HostMemory::text() const {
  const auto mebibytes = [](uint64_t size) { return std::to_string(size >> 20) + " MiB"; };
  const std::string has = "this process has " + mebibytes(in_use);
  switch (limited) {
    case Limit::of_addresses:
      return has + " of the " + mebibytes(limit) + " that it may have (ulimit -v)";
    case Limit::of_data:
      return has + ", and may have " + mebibytes(limit) + " of data (ulimit -d)";
    case Limit::none:
      break;
  }
  return has + ", and the machine or its control group has no more";
}

Message Fault::message() const { return {what_of(*this), where_of(*this), advice_of(*this)}; }

std::string whole_name(const std::string& mangled) {
  // clang's mark of a static kernel or variable of a file that is compiled separately: _ZL4scalePf__intern__0123456789abcdef
  std::string name = mangled;
  for (const std::string_view mark : {"__intern__", "__static__"}) {
    const size_t at = name.rfind(mark);
    if (at == name.npos) continue;
    const std::string_view number = std::string_view(name).substr(at + mark.size());
    if (number.size() == 16 && number.find_first_not_of("0123456789abcdef") == number.npos)
      name.resize(at);
  }
  if (!name.starts_with("_Z")) return name;  // of "s" a demangler makes "short"
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : name;
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
