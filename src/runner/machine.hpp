// The one interface to what only one build has. machine_simulator.cpp and machine_cuda.cpp implement it, and
// the build takes one of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/ladder.hpp"
#include "runner/measure_options.hpp"
#include "runner/observation.hpp"

namespace runner::machine {

extern const char* const name;      // "simulator" or "cuda", as reports have it
extern const bool measures_time;    // whether time() does anything
extern const int64_t default_size;  // M, N and K where the user asks for none
/// Floats of poison that the verifier lays around each matrix.
extern const int64_t guard;

struct Device {
  std::string name;    // "NVIDIA H200"
  std::string detail;  // "sm_90"
  int64_t memory_bytes = 0;
};
/// The device that everything runs on. Throws Error(ExitCode::no_device) that says what was looked for.
Device open();

/// Tells the machine which matrix is which, for its reports.
void name_matrices(const ladder::Sgemm& problem);

/// Launches the rung and waits for it. `traffic` receives what was counted, on a machine that counts.
cudaError_t run(const ladder::Rung& rung, const ladder::Sgemm& problem,
                std::optional<Traffic>& traffic);

/// Takes the rung's time, the reference and it taking turns. Nothing on a machine that does not measure.
std::optional<Timing> time(const ladder::Rung& rung, const ladder::Sgemm& problem,
                           const MeasureOptions& options);

/// What the machine has to say on the last failed launch: several lines, or nothing.
std::string last_failure();

/// Shuffles the order in which blocks start and warps take their turns by a seed; 0 restores the usual one. What a
/// kernel may rely on does not depend on it. A CUDA device has an order of its own, which nothing changes.
void vary_order(uint64_t seed);

/// The blocks of all launches since the program began, or nothing on a machine that does not count.
std::optional<uint64_t> blocks_run();

/// Ends a launch under way, if the machine can. Safe in a signal handler.
void interrupt();

}  // namespace runner::machine
