// The one interface to the machine: a CUDA device or the simulated GPU. simulator.cpp and cuda/machine.cpp implement it; each
// build has one of them. A machine returns facts; it judges nothing.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lens/fragments.hpp"
#include "lens/layout.hpp"
#include "lens/request.hpp"
#include "lens/timeline.hpp"
#include "results/values/run.hpp"

namespace runner::machine {

extern const results::Machine KIND;
extern const char* const NAME;      // "simulator" or "cuda", for reports
extern const bool MEASURES_TIME;    // true if time() measures
extern const int64_t DEFAULT_SIZE;  // of M, N and K, unless the user names a size
/// Floats of poison before and after each matrix, for the verifier.
extern const int64_t GUARD;

struct Device {
  std::string name;            // "NVIDIA H200"
  std::string detail;          // "sm_90"
  int compute_capability = 0;  // 90
  int64_t memory_bytes = 0;
};
/// Opens the device. Throws Error(ExitCode::no_device), which names the devices that were sought.
Device open();

/// Fills in the machine's facts: device, driver, versions, limits.
void describe(results::Provenance& provenance);

/// Measures the device's limits. Empty on a machine that does not measure.
results::Roofs measure_roofs();

/// Times cuBLAS's product of FP16 matrices with FP32 sums, an M x N result, alone, for about so many seconds. Returns its GFLOP/s.
/// Nothing on a machine that does not measure, or if it cannot run there (no memory).
std::optional<double> fp16_gflops(int64_t M, int64_t N, int64_t K, double seconds);

/// Names an allocation, for the machine's reports. A null pointer is ignored.
void name_buffer(const void* buffer, const char* name);

/// Puts one launch on a stream; run() and time() call it.
using Launch = std::function<cudaError_t(cudaStream_t)>;

/// Launches and waits. Writes to `seen` the kernels that ran and, on a machine that counts, their counters.
cudaError_t run(const Launch& launch, results::Observation& seen);

/// Times `kernel` in turns with `reference`, or alone if `reference` is empty. Nothing on a machine that does not measure.
std::optional<results::Timing> time(const Launch& kernel, const Launch& reference,
                                    const results::MeasureOptions& options);

/// The machine's account of a failed launch.
struct Failure {
  std::string kind{};     // "misaligned"; empty if unknown
  std::string action{};   // "reads": the instruction's action
  std::string memory{};   // "shared": the memory of its address
  std::string text{};     // for people: several lines, or nothing
  std::string account{};  // the same without advice
  std::string place{};    // "tiled.cu:21 in tiled: thread (0, 0, 0) of block (0, 0, 0)", or nothing
  bool is_in_freed_memory = false;
  bool waits_for_ever = false;  // every thread waits, and no event can wake one
};
/// Returns the last launch's failure.
Failure last_failure();

/// From now on, record the requests that match `wanted`. Does nothing on a machine that does not count.
void record_requests(const lens::Wanted& wanted);
/// Returns the requests recorded since then, in the order in which a warp made them.
std::vector<lens::Request> recorded_requests();

/// From now on, record the timeline of the block with this linear number in each kernel. Does nothing on a machine that does
/// not count.
void record_timelines(uint64_t block);
/// Returns the timelines recorded since then, one for each kernel.
std::vector<lens::Timeline> recorded_timelines();

/// From now on, record the layouts of tensor copies and wgmma. Does nothing on a machine that does not count.
void record_layouts();
/// Returns the layouts recorded since then.
std::vector<lens::Layout> recorded_layouts();

/// Returns the products on tensor cores of the last counted run: one for each kernel, line and instruction. Empty on a
/// machine that does not count.
std::vector<lens::MatrixProduct> matrix_products();

/// The finished blocks of the running launch, and all its blocks.
struct LaunchProgress {
  int64_t done = 0, blocks = 0;
};
/// Returns nothing if no launch is running or the machine cannot tell. Any thread may call it.
std::optional<LaunchProgress> progress();

/// Turns the search for hazards on or off, for later launches and their memory. A hazard may give a right result today and a
/// wrong one tomorrow. Does nothing on a CUDA device; use compute-sanitizer there. See take_hazards().
void look_for_hazards(bool on);
bool looks_for_hazards();
/// Returns the hazards of all launches since the last call.
std::vector<results::Hazard> take_hazards();

/// Shuffles the order of blocks and warps by a seed; 0 restores the usual order. No right kernel depends on the order. A CUDA
/// device keeps its own order.
void vary_order(uint64_t seed);
/// Returns the current seed. SIMULATOR_SCHEDULE in the environment sets the first one.
uint64_t order();

/// Calls `launch` and returns its first CUDA call that waits for the device: "cudaFree". Returns an empty value if no
/// call waits. Always empty on a CUDA device; see returns_at_once().
std::optional<std::string> call_that_waits(const std::function<void()>& launch);
/// True if `launch` returns while earlier work on the stream is held back. Run `launch` once before: loading a kernel may wait.
/// Always true on a machine that cannot hold work back; see call_that_waits().
bool returns_at_once(const Launch& launch, cudaStream_t stream);

/// Runs both at the same time on two streams, and waits; the simulated GPU runs one after the other. Returns the first
/// error. Run each once before: loading a kernel may wait.
cudaError_t run_together(const Launch& one, const Launch& other);

/// True on a machine that can capture launches in a graph: a CUDA device.
extern const bool HAS_GRAPHS;
/// Captures `launch` in a graph and runs the graph `times` times. Waits, and returns the first error.
cudaError_t run_as_graph(const Launch& launch, int times);

/// A part of a launch, for problems that would take the simulator hours: some blocks at the beginning or the end of the grid,
/// and a limit on the turns of warps.
struct Excerpt {
  enum class Blocks { all, first, last } blocks = Blocks::all;
  int64_t count = 0;               // number of blocks; 0: record the launch, run nothing
  std::optional<int64_t> turns{};  // the limit on the turns
};
/// True if the machine can run excerpts.
extern const bool RUNS_EXCERPTS;
/// Runs only this part of later launches. Without a value, later launches run whole again.
void run_only(const std::optional<Excerpt>& excerpt);
/// True if a launch since the last call exceeded the excerpt's turns. The device is usable again.
bool take_cut_short();

/// Returns the number of blocks of all launches since the program began; nothing on a machine that does not count.
std::optional<uint64_t> blocks_run();

/// Makes the simulated device large enough for `bytes` of allocations that are hardly touched. Does nothing on a CUDA
/// device. Throws Error, which names the limit, if the process may not have so many addresses.
void offer_addresses(int64_t bytes);

/// A kernel's code as the machine executes it, each statement with its source line.
struct CodeLine {
  std::string file;
  int line = 0;
  std::string text;
};
struct KernelCode {
  std::string kernel;  // as in results::Kernel
  std::vector<CodeLine> lines;
};
/// Returns the code of the kernels launched since the last call, in order. Empty on a machine that cannot show it.
std::vector<KernelCode> take_code();

/// Stops the running launch, if the machine can. Safe in a signal handler.
void interrupt();

}  // namespace runner::machine
