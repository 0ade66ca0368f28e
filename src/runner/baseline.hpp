// A recorded run of a real device: where there is no GPU, its percentages stand in for a measurement.
#pragma once

#include <map>
#include <string>

namespace runner {

/// Per cent of cuBLAS by kernel name, at one size of one recorded run.
struct Baseline {
  std::string device;  // "NVIDIA H200"
  std::string date;    // "2026-11-20"
  std::string size;    // "4096x4096x4096"
  std::map<std::string, double> percent_of_cublas;

  /// The size whose figures are quoted.
  static constexpr const char* SIZE = "4096x4096x4096";
};

/// Reads what --json=FILE wrote on a CUDA device. Throws Error(ExitCode::usage) that says what is missing.
Baseline read_baseline(const std::string& path);

}  // namespace runner
