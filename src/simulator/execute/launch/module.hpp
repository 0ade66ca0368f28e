// PTX text in, kernels that can be launched out. This is the seam between the CUDA runtime API
// (src/simulator/runtime/) above and those who decode and execute below.
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

/// One __global__ function on one device. Read-only once loaded.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual const std::string& name() const = 0;  // mangled, as registered
  virtual const std::string& demangled() const = 0;
  virtual int registers_per_thread() const = 0;  // of 32 bits, after the simulator's allocation
  virtual size_t static_shared_bytes() const = 0;
  virtual size_t local_bytes_per_thread() const = 0;
  virtual int max_threads_per_block() const = 0;  // __launch_bounds__, or the device's limit

  /// Runs the whole grid on the host's cores and returns when it has finished: nothing, or the first
  /// fault (the lowest block's, so that it does not depend on the number of cores). `arguments` holds one
  /// pointer for each kernel parameter, as cudaLaunchKernel has them. The shape must be within the limits.
  virtual std::optional<Fault> run(const LaunchShape& shape, void* const* arguments) const = 0;
};

/// A statement of a kernel's code, as the compiler wrote it: an instruction with its guard, or a label with its colon.
struct CodeLine {
  SourceLine where;  // the user's line
  std::string text;
};

/// Variables by their mangled names, each with the place on the host where it shall lie.
using HostPlaces = std::map<std::string, void*, std::less<>>;

/// One translation unit's device code on one device, which outlives it.
class Module {
 public:
  /// Reads PTX, and places its variables in the device's memory. A kernel that uses an instruction outside the subset still loads; running into that
  /// instruction is the fault. Throws std::runtime_error where the text outside of functions is not PTX.
  static std::unique_ptr<Module> load(Device& device, std::string_view ptx,
                                      const HostPlaces& managed = {});
  virtual ~Module() = default;

  /// The kernel of that name, decoded when it is first asked for; nullptr if there is none. Throws
  /// Unreadable for a kernel that cannot be read or makes no sense, each time; others are not concerned.
  virtual const Kernel* find_kernel(std::string_view mangled) const = 0;
  /// The code of the kernel of that name, in its order; empty if there is none. Throws Unreadable.
  virtual std::vector<CodeLine> code(std::string_view mangled) const = 0;
  /// Device address of a __device__ or __constant__ variable, and its size; 0 if there is none.
  virtual uint64_t find_variable(std::string_view mangled, size_t* bytes) const = 0;
};

/// Host threads that run blocks: the machine's cores unless set (0 restores that).
void set_worker_threads(int count);
int worker_threads();

/// The order in which blocks start and the warps of a block get their turns: as they are numbered, or shuffled by
/// a seed other than 0. What a program may rely on does not depend on it. SIMULATOR_SCHEDULE=SEED sets it too.
void set_schedule(uint64_t seed);
uint64_t schedule();

/// What is run of a launch: all blocks, or so many at the beginning or the end of the grid, as they are numbered; and at most
/// so many turns of warps. The device's memory is then as if the other blocks were never reached.
struct LaunchExcerpt {
  enum class Blocks { all, first, last } blocks = Blocks::all;
  uint64_t count = 0;  // of first or last
  uint64_t turns = std::numeric_limits<uint64_t>::max();
};
/// Of the launches from now on. A launch that has more turns to run fails with FaultKind::interrupted.
void set_excerpt(const LaunchExcerpt& excerpt);
/// True if that happened since the last call.
bool take_cut_short();

/// How many blocks of the launch under way have ended, of how many; of none where no launch is under way. From any
/// thread.
struct LaunchProgress {
  uint64_t ended = 0, blocks = 0;
};
LaunchProgress launch_progress();

/// Ends the launch under way at the next block boundary or within some milliseconds, with
/// FaultKind::interrupted. Safe in a signal handler. Nothing is cut short if no launch is running.
void interrupt();

}  // namespace simulator
