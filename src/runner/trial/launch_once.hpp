// A workload by itself: loaded, checked, launched.
#pragma once

#include <functional>

#include "results/values/run.hpp"
#include "runner/choose/workload.hpp"
#include "runner/machine/machine.hpp"

namespace runner {

/// Compiles the workload's kernel_file, if it has one, and takes its rung. Throws Error: see load_kernel_file().
void load(Workload& workload);

/// Lays the workload's data out and hands over one launch of it, valid during the call.
void with_launch(const Workload& workload, const std::function<void(const machine::Launch&)>& use);

/// Runs it, checks its result and fills in `seen` and `judged`, without claims.
results::Result verified(const Workload& workload);

/// Launches it once between cudaProfilerStart and cudaProfilerStop, for a profiler.
void launch_once(const Workload& workload);

}  // namespace runner
