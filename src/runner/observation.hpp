// What a machine shows of a kernel beside its result: the simulator counts, a CUDA device takes time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/ladder.hpp"
#include "runner/measure_options.hpp"

namespace runner {

/// One claim of a promise beside what was counted. Not kept where nothing was counted at all.
struct ClaimCheck {
  ladder::Claim claim;
  std::optional<double> counted;
  bool kept = false;
};

/// Memory traffic of one launch, in Nsight Compute's terms.
struct Traffic {
  /// "load A", "store C", ...: sectors per request, in the order A, B, C.
  std::vector<std::pair<std::string, double>> sectors_per_request;
  double load_sectors_per_request = 0;  // over all loads from global memory
  double bytes_used_over_fetched = 0;   // over all of global memory
  double flops_per_byte = 0;  // FP32 operations / bytes fetched from and written to global memory
  std::vector<std::pair<std::string, uint64_t>> totals;  // exact counts, by name
  /// The rung's promise, claim by claim; empty where the problem is none that it speaks of.
  std::vector<ClaimCheck> promise;
  double seconds = 0;  // wall time that the simulation took; says nothing of a GPU

  bool promise_kept() const {
    for (const ClaimCheck& check : promise) {
      if (!check.kept) return false;
    }
    return true;
  }
};

/// Times of one kernel, beside the reference in the same run. Each is that of one launch.
struct Timing {
  MeasureOptions options{};  // as it was asked for
  std::vector<double> samples_ms{};
  /// Each was taken right after the kernel's; empty without a reference.
  std::vector<double> reference_samples_ms{};
  double median_ms = 0, q1_ms = 0, q3_ms = 0;
  double gflops = 0;
  std::optional<double> percent_of_cublas{};  // median of the paired ratios
  std::optional<double> percent_of_peak{};    // of the FP32 peak at the clock that was measured
  std::optional<double> clock_mhz{};
  int launches_per_sample = 1;
  std::vector<std::string> doubts{};  // why the measurement cannot be trusted

  bool trusted() const { return doubts.empty(); }
  /// Interquartile range over the median.
  double spread() const { return median_ms > 0 ? (q3_ms - q1_ms) / median_ms : 0; }
};

}  // namespace runner
