// The highest FP32 rate of a device, by its documentation.
#pragma once

namespace runner {

/// Returns the FP32 multiply-adds that one multiprocessor starts in a clock, by compute capability.
int fp32_lanes_per_multiprocessor(int major, int minor);

/// Returns the FP32 peak in GFLOP/s at a clock: lanes * 2 operations * clock.
double peak_gflops(int multiprocessors, int lanes_per_multiprocessor, double clock_mhz);

}  // namespace runner
