// The one interface to what only one build has. simulator.cpp and cuda/machine.cpp implement it, and
// the build takes one of them. A machine returns facts; it judges nothing.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lens/request.hpp"
#include "results/values/run.hpp"

namespace runner::machine {

extern const results::Machine KIND;
extern const char* const NAME;      // "simulator" or "cuda", as reports have it
extern const bool MEASURES_TIME;    // whether time() does anything
extern const int64_t DEFAULT_SIZE;  // M, N and K where the user asks for none
/// Floats of poison that the verifier lays around each matrix.
extern const int64_t GUARD;

struct Device {
  std::string name;            // "NVIDIA H200"
  std::string detail;          // "sm_90"
  int compute_capability = 0;  // 90
  int64_t memory_bytes = 0;
};
/// The device that everything runs on. Throws Error(ExitCode::no_device) that says what was looked for.
Device open();

/// What the machine knows of itself, filled in: device, driver, versions, limits.
void describe(results::Provenance& provenance);

/// What the device reaches at most, measured now. Nothing on a machine that does not measure.
results::Roofs measure_roofs();

/// Tells the machine what an allocation is called, for its reports. A null pointer has no name.
void name_buffer(const void* buffer, const char* name);

/// Puts one launch on a stream: what is run, watched and timed.
using Launch = std::function<cudaError_t(cudaStream_t)>;

/// Launches and waits. `seen` receives which kernels ran and, on a machine that counts, what was counted.
cudaError_t run(const Launch& launch, results::Observation& seen);

/// Takes the time of `kernel`, with `reference` taking turns unless it is empty. Nothing on a machine that does not
/// measure.
std::optional<results::Timing> time(const Launch& kernel, const Launch& reference,
                                    const results::MeasureOptions& options);

/// What the machine has to say on a failed launch.
struct Failure {
  std::string kind{};    // "misaligned"; nothing if it is not known
  std::string action{};  // "reads": what the instruction at fault did
  std::string memory{};  // "shared": where its address lies
  std::string text{};    // for people: several lines, or nothing
  std::string place{};   // "tiled.cu:21 in tiled: thread (0, 0, 0) of block (0, 0, 0)", or nothing
  bool waits_for_ever = false;  // all wait for what cannot come: no matter how long it may take
};
/// Of the last one.
Failure last_failure();

/// From now on, record the requests that match `wanted`. Does nothing on a machine that does not count.
void record_requests(const lens::Wanted& wanted);
/// The requests recorded since then, in the order in which a warp made them.
std::vector<lens::Request> recorded_requests();

/// How many blocks of the launch under way are done.
struct LaunchProgress {
  int64_t done = 0, blocks = 0;
};
/// Nothing where no launch is under way, or that cannot be told. From any thread.
std::optional<LaunchProgress> progress();

/// Whether the launches from now on, and the memory that they use, are watched for hazards: what may give a right result
/// today and a wrong one tomorrow. Nothing on a CUDA device, where compute-sanitizer does that. See take_hazards().
void look_for_hazards(bool on);
bool looks_for_hazards();
/// Those of all launches since the last call.
std::vector<results::Hazard> take_hazards();

/// Shuffles the order in which blocks start and warps take their turns by a seed; 0 restores the usual one. What a
/// kernel may rely on does not depend on it. A CUDA device has an order of its own, which nothing changes.
void vary_order(uint64_t seed);
/// The seed that it has now; SIMULATOR_SCHEDULE in the environment sets the first one.
uint64_t order();

/// Calls `launch` and returns the first call in it that waits for the device: "cudaFree". Nothing if there is none, and
/// on a CUDA device, where returns_at_once() tells.
std::optional<std::string> call_that_waits(const std::function<void()>& launch);
/// True if `launch` returns while work that came before it on the stream is held back. `launch` should have run once
/// before, since a device may wait to load a kernel. True on a machine that holds nothing back; see call_that_waits().
bool returns_at_once(const Launch& launch, cudaStream_t stream);

/// Runs both at the same time on streams of their own, and waits; one after the other on the simulated GPU. Returns the first
/// error. Each should have run once before, since a device may wait to load a kernel.
cudaError_t run_together(const Launch& one, const Launch& other);

/// True on a machine that can capture launches in a graph: a CUDA device.
extern const bool HAS_GRAPHS;
/// Captures `launch` in a graph and runs that so many times, one after the other. Waits, and returns the first error.
cudaError_t run_as_graph(const Launch& launch, int times);

/// What is run of a launch, for problems of which the whole would take a simulator hours: so many blocks at the beginning
/// or the end of the grid, and so many turns of warps in all.
struct Excerpt {
  enum class Blocks { all, first, last } blocks = Blocks::all;
  int64_t count = 0;               // of first or last
  std::optional<int64_t> turns{};  // at most
};
/// True on a machine that can.
extern const bool RUNS_EXCERPTS;
/// Of the launches from now on only that is run. Nothing runs all of them again.
void run_only(const std::optional<Excerpt>& excerpt);
/// True if a launch since the last call had more turns to run than the excerpt allows. The device is usable again.
bool take_cut_short();

/// The blocks of all launches since the program began, or nothing on a machine that does not count.
std::optional<uint64_t> blocks_run();

/// Makes the device large enough for so many bytes of allocations that are hardly touched, where that costs nothing: on
/// the simulated GPU. A CUDA device has what it has. Throws Error if the process may not have so many addresses, with the
/// limit that forbids it.
void offer_addresses(int64_t bytes);

/// A kernel's code as the machine executes it, each statement with the source line that it came of.
struct CodeLine {
  std::string file;
  int line = 0;
  std::string text;
};
struct KernelCode {
  std::string kernel;  // as results::Kernel has it
  std::vector<CodeLine> lines;
};
/// Of the kernels launched since the last call, in order. Nothing on a machine that cannot show it.
std::vector<KernelCode> take_code();

/// Ends a launch under way, if the machine can. Safe in a signal handler.
void interrupt();

}  // namespace runner::machine
