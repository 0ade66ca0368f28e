// From PTX text to kernels that can be launched. This is the seam between the CUDA runtime API
// (src/simulator/runtime/) above and the code that decodes and executes below.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/execute/state/launch_shape.hpp"
#include "simulator/fault.hpp"

namespace simulator {

struct Device;

/// One __global__ function on one device. Read-only after loading.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual const std::string& name() const = 0;  // mangled, as registered
  virtual const std::string& demangled() const = 0;
  // 32-bit registers, after the simulator's allocation.
  virtual int registers_per_thread() const = 0;
  /// Returns the architecture that it was compiled for: 90 for sm_90a.
  virtual int architecture() const = 0;
  virtual size_t static_shared_bytes() const = 0;
  virtual size_t local_bytes_per_thread() const = 0;
  virtual int max_threads_per_block() const = 0;  // __launch_bounds__, or the device's limit
  virtual std::vector<size_t> parameter_bytes() const = 0;  // the size of each
  /// Returns the place of each parameter in a buffer of all of them.
  virtual std::vector<size_t> parameter_offsets() const = 0;
  virtual Dim3 cluster() const = 0;              // __cluster_dims__, or zeros
  virtual uint64_t most_in_cluster() const = 0;  // by __launch_bounds__, or 0

  /// Runs the whole grid on the host's cores and returns when it has finished. Returns nothing, or the first
  /// fault: the lowest block's, so that it does not depend on the number of cores. `arguments` holds one pointer
  /// per kernel parameter, as cudaLaunchKernel has them. The shape must be within the limits.
  virtual std::optional<Fault> run(const LaunchShape& shape, void* const* arguments) const = 0;
};

/// A statement of a kernel's code as the compiler wrote it: an instruction with its guard, or a label with its
/// colon.
struct CodeLine {
  SourceLine where;  // the user's line
  std::string text;
};

/// The host addresses for variables, by their mangled names.
using HostPlaces = std::map<std::string, void*, std::less<>>;

/// One translation unit's device code on one device. The device must outlive it.
class Module {
 public:
  /// Reads PTX, and places its variables in the device's memory. A kernel with an instruction outside the subset
  /// still loads; executing that instruction is the fault. Throws std::runtime_error if the text outside of
  /// functions is not PTX.
  static std::unique_ptr<Module> load(Device& device, std::string_view ptx,
                                      const HostPlaces& managed = {});
  virtual ~Module() = default;

  /// Gives further variables their host addresses and their initial values. Before the first launch only.
  virtual void place_managed(const HostPlaces& managed) = 0;

  /// Returns the kernel of this name, decoded on first use, or nullptr if there is none. Throws Unreadable, each
  /// time, for a kernel that cannot be read or makes no sense. Other kernels are not affected.
  virtual const Kernel* find_kernel(std::string_view mangled) const = 0;
  /// Decodes all kernels. Throws Unreadable for the first one that cannot be read or has an instruction outside the subset.
  virtual void check_kernels() const = 0;
  /// Returns the code of the kernel of this name in order; empty if there is none. Throws Unreadable.
  virtual std::vector<CodeLine> code(std::string_view mangled) const = 0;
  /// Returns the device address of a __device__ or __constant__ variable, and its size; 0 if there is none.
  virtual uint64_t find_variable(std::string_view mangled, size_t* bytes) const = 0;
};

/// Lets a launch that would do what an earlier one did take that one's results (the default, unless SIMULATOR_REPEATS=0), or
/// makes every launch run.
void repeat_launches(bool on);

/// Sets the number of host threads that run blocks. 0 restores the default: one for each core that this process may use.
void set_worker_threads(int count);
int worker_threads();

/// Sets the order in which blocks start and warps get their turns: by number (0), or shuffled by a seed. Correct
/// programs do not depend on it. SIMULATOR_SCHEDULE=SEED sets it too.
void set_schedule(uint64_t seed);
uint64_t schedule();

/// The part of a launch that runs: all blocks, or `count` blocks at the beginning or end of the grid by number,
/// and at most `turns` turns of warps. The device's memory is then as if the other blocks were never reached.
struct LaunchExcerpt {
  enum class Blocks { all, first, last } blocks = Blocks::all;
  uint64_t count = 0;  // of first or last
  uint64_t turns = std::numeric_limits<uint64_t>::max();
};
/// Sets the excerpt of later launches. A launch with more turns to run fails with FaultKind::interrupted.
void set_excerpt(const LaunchExcerpt& excerpt);
/// True if a launch was cut short by `turns` since the last call.
bool take_cut_short();

/// The number of ended blocks of the current launch, and of all its blocks; 0 of 0 without a launch. Thread-safe.
struct LaunchProgress {
  uint64_t ended = 0, blocks = 0;
};
LaunchProgress launch_progress();

/// Ends the current launch at the next block boundary or within some milliseconds, with FaultKind::interrupted.
/// Safe in a signal handler. Does nothing if no launch is running.
void interrupt();

}  // namespace simulator
