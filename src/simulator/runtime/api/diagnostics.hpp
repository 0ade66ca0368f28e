// A program's questions to the simulator about its kernels on the current device, beyond CUDA's API.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lens/fragments.hpp"
#include "lens/layout.hpp"
#include "lens/request.hpp"
#include "lens/timeline.hpp"
#include "simulator/count/counters.hpp"
#include "simulator/fault.hpp"

namespace simulator {

/// Returns the fault that made the device unusable, or nothing if no kernel has failed since clear_fault().
std::optional<Fault> last_fault();

/// Returns the name of the first call since forget_waits() that waited for the device: "cudaFree", "cudaMemcpy",
/// "cudaStreamSynchronize". Returns nothing if there was none. Pure queries (cudaStreamQuery) do not wait.
std::optional<std::string> first_wait();
void forget_waits();

/// Turns the output of kernel faults to stderr on or off. Default: on.
void set_fault_output(bool on);

/// Makes the device usable again after a fault; its memory stays as the kernel left it. A real device has no such
/// function: this one is for tests that provoke faults.
void clear_fault();

void reset_counters();
/// Returns the counters since reset_counters(). Call it when no launch is running.
Counters counters();
/// Returns the kernels launched since reset_counters(), in the order of their first launch: one row for each
/// kernel and shape, at most 1,000.
std::vector<KernelUse> kernels_used();
/// Returns the counters since the program began, regardless of resets.
Counters program_counters();
/// Returns the counters since the program began, launch by launch, in the order of the first launches. A kernel's
/// launches that differ from the 1,000 kept so far are left out. program_counters() includes them: their number
/// is its `launches` minus the sum of `times` here.
std::vector<LaunchCounters> launch_counters();

/// From now on, records the requests that match `wanted`. Forgets the earlier recording. The counters are not
/// affected. Call it when no launch is running.
void record_requests(const lens::Wanted& wanted);

/// Returns the requests recorded since record_requests(). For each line, instruction and buffer they are the worst
/// request and the requests after it, or the chosen requests. They are ordered by kernel, file, line, instruction,
/// path and buffer, then by nth. If several requests are equally bad, the one with the lowest launch, block, warp
/// and nth is kept. So the result does not depend on the number of host threads or the order of blocks and warps.
std::vector<lens::Request> recorded_requests();

/// From now on, records the timeline of the first block with this linear number in each kernel whose name contains `kernel`.
/// Meanwhile such a block's warps take turns basic block by basic block. Forgets the earlier recording.
void record_timelines(const std::string& kernel, uint64_t block);
/// Records no further timelines, and forgets the recorded ones.
void stop_recording_timelines();
/// Returns the recorded timelines, one for each such kernel, in the order of the blocks' ends.
std::vector<lens::Timeline> recorded_timelines();

/// From now on, records where tensor copies put and take boxes in shared memory, and where wgmma finds its matrices: on this line,
/// in files with this name. An empty name: in any file; 0: on any line. Forgets the earlier recording.
void record_layouts(const std::string& file = "", int line = 0);
/// Records no further layouts, and forgets the recorded ones.
void stop_recording_layouts();
/// Returns the recorded layouts: for each line, instruction and shape the first one, executed by the warp with the lowest launch,
/// block and number. They are ordered by kernel, file, line, instruction and matrix.
std::vector<lens::Layout> recorded_layouts();

/// Returns the products by mma.sync in these counters: one for each kernel, line and instruction.
std::vector<lens::MatrixProduct> matrix_products(const Counters& counters);

}  // namespace simulator
