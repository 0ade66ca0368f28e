// The clock of the GPU and what holds it down, from NVIDIA's management library if that is installed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace runner {

/// Loads libnvidia-ml.so.1 at run time: the program neither links to it nor needs it.
class Nvml {
 public:
  /// For the current CUDA device. Without the library every reading is empty.
  Nvml();
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  /// Clock of the multiprocessors in MHz, now.
  std::optional<double> clock_mhz() const;
  /// What slows the device down now, beyond the power limit that a full load always meets: heat or a brake.
  std::vector<std::string> slowdowns() const;

 private:
  void* library_ = nullptr;
  void* device_ = nullptr;
  int (*clock_info_)(void*, int, unsigned*) = nullptr;
  int (*throttle_reasons_)(void*, unsigned long long*) = nullptr;
};

}  // namespace runner
