// What a program can learn from the simulator about its kernels on the current device, beyond what CUDA's API says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lens/request.hpp"
#include "simulator/count/counters.hpp"
#include "simulator/fault.hpp"

namespace simulator {

/// The fault that made the device unusable, or nothing if no kernel has failed since clear_fault().
std::optional<Fault> last_fault();

/// The first call since forget_waits() that returned once the device had caught up, by its name: "cudaFree",
/// "cudaMemcpy", "cudaStreamSynchronize". Nothing if there was none. Calls that only ask (cudaStreamQuery) are none.
std::optional<std::string> first_wait();
void forget_waits();

/// Whether a kernel's fault is written to stderr when it happens. It is, unless switched off.
void set_fault_output(bool on);

/// Makes the device usable again after a fault, its memory as the kernel left it. A real device offers
/// nothing like it; it is for tests that provoke faults.
void clear_fault();

void reset_counters();
/// Since reset_counters(). A snapshot: call it when no launch is under way.
Counters counters();
/// The kernels launched since reset_counters(), in the order of their first: one row for each kernel and shape, at
/// most 1,000.
std::vector<KernelUse> kernels_used();
/// Since the program began, whatever was reset in between.
Counters program_counters();
/// The same launch by launch, in the order of their first. Of one kernel's launches, those that are unlike the
/// 1,000 kept so far are left out: program_counters() has them, and their number is what `times` lacks there.
std::vector<LaunchCounters> launch_counters();

/// Records, of the launches from now on, the requests that are wanted; what was recorded before is forgotten. The
/// counters stay as they are without it. Call it when no launch is under way.
void record_requests(const lens::Wanted& wanted);

/// What was recorded since then, ordered by kernel, file, line, instruction, path and buffer, and within these by nth:
/// of each the worst request and those behind it, or the ones that were chosen. Of requests that are equally bad the
/// one of the lowest launch, block, warp and nth is kept, so that nothing depends on the number of host threads or on
/// the order in which blocks and warps take turns.
std::vector<lens::Request> recorded_requests();

}  // namespace simulator
