// Loads, checks and launches a single workload.
#pragma once

#include <functional>

#include "results/values/run.hpp"
#include "runner/choose/workload.hpp"
#include "runner/machine/machine.hpp"

namespace runner {

/// Compiles the workload's kernel_file, if it has one, and loads its rung. Throws Error: see load_kernel_file().
void load(Workload& workload);

/// Lays out the workload's data and passes one launch of it to the function. The launch is valid during the call.
void with_launch(const Workload& workload, const std::function<void(const machine::Launch&)>& use);

/// Runs the workload, checks its result and fills in `seen` and `judged`, without claims.
results::Result verified(const Workload& workload);

/// Launches the workload once between cudaProfilerStart and cudaProfilerStop, for a profiler.
void launch_once(const Workload& workload);

}  // namespace runner
