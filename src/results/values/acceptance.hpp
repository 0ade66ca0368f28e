// A cluster's acceptance test (docs/distributed.md), as sgemm_acceptance writes it: each GPU beside the others.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/values/compared.hpp"

namespace results {

/// A GPU's verdict, from the mildest to the gravest. A GPU that deserves several has the last of them.
enum class GpuVerdict {
  ok,
  unsure,     // its times scatter too much, or there is nothing to compare it with
  changed,    // its counters differ from the other GPUs'. Only simulated GPUs count
  slower,     // than the median GPU
  throttled,  // it was too hot, or its supply of power too weak
  other,      // another model, or another version of the driver, CUDA or cuBLAS
  failed,     // its run failed or gave no result
  wrong,      // a result is wrong
};

/// Returns "THROTTLED", as in tables and JSON.
const char* name_of(GpuVerdict verdict);

/// True for OK and UNSURE: nothing speaks against the GPU.
bool passes(GpuVerdict verdict);

/// One kernel on one problem, on one GPU.
struct JudgedRow {
  std::string name{};                    // full_name() of its result
  std::string kernel{};                  // "12 stream_k"
  std::optional<int64_t> M{}, N{}, K{};  // unknown for a lab
  /// Quartiles of the kernel's own samples. Unknown if the row was not timed.
  std::optional<std::array<double, 3>> quartiles_ms{};
  std::optional<double> clock_mhz{};  // the median while the samples were taken
  std::vector<std::string> slowdowns{};
  /// The GPU that this row is compared with: of all right GPUs, the one with the median time. Unknown if there is none.
  std::optional<int> base_rank{};
  Compared compared{};
  bool operator==(const JudgedRow&) const = default;
};

/// One GPU, with its verdict.
struct JudgedGpu {
  int rank = 0;  // of the process that measured it
  std::string host{};
  std::string gpu{};  // its number on the host, or its name in CUDA_VISIBLE_DEVICES
  std::string device{};
  std::optional<std::string> driver{}, cuda{}, cublas{};
  std::optional<double> power_limit_watts{};
  GpuVerdict verdict = GpuVerdict::unsure;
  std::vector<std::string> reasons{};  // for people, each a clause
  /// Over all rows: the lowest clock, the median of their medians, and the highest clock.
  std::optional<std::array<double, 3>> clocks_mhz{};
  std::vector<JudgedRow> rows{};
  bool operator==(const JudgedGpu&) const = default;
};

/// Returns "rank 3 (node1, GPU 3)".
std::string name_of(const JudgedGpu& gpu);

/// Returns "12 stream_k at 4096x4096x4096".
std::string subject_of(const JudgedRow& row);

/// Returns the row with the largest loss of speed, else the first one that changed; nullptr if no row is compared.
const JudgedRow* worst_row(const JudgedGpu& gpu);

/// True if all GPUs pass. False if there are none.
bool all_pass(const std::vector<JudgedGpu>& gpus);

/// Returns "1 of 8 GPUs does not pass: rank 3 (node1, GPU 3) is SLOWER". If all pass, names the GPUs that are UNSURE; empty if
/// all are OK.
std::string told(const std::vector<JudgedGpu>& gpus);

}  // namespace results
