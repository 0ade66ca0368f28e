#include "runner/machine/peak.hpp"

namespace runner {

int fp32_lanes_per_multiprocessor(int major, int minor) {
  // CUDA C++ Programming Guide, "Arithmetic Instructions": 64 on 6.0, 7.x and 8.0, 128 on the others.
  const bool half = major == 7 || (major == 6 && minor == 0) || (major == 8 && minor == 0);
  return half ? 64 : 128;
}

double peak_gflops(int multiprocessors, int lanes_per_multiprocessor, double clock_mhz) {
  return static_cast<double>(multiprocessors) * lanes_per_multiprocessor * 2 * clock_mhz * 1e-3;
}

}  // namespace runner
