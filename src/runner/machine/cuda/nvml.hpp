// The GPU's clock, its limits and the reasons for a lower clock, from NVIDIA's management library if it is installed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace runner {

/// Loads libnvidia-ml.so.1 at run time: the program neither links to it nor needs it.
class Nvml {
 public:
  /// Opens the library for the current CUDA device. Without the library every reading is empty.
  Nvml();
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  /// Returns the present clock of the multiprocessors in MHz.
  std::optional<double> clock_mhz() const;
  /// Returns the energy that the device has used since the driver was loaded.
  std::optional<double> joules() const;
  /// Returns the causes that slow the device now: heat or a brake. The power limit does not count, because every full
  /// load meets it.
  std::vector<std::string> slowdowns() const;

  /// Returns "580.159.03".
  std::optional<std::string> driver_version() const;
  /// Returns the power limit in force.
  std::optional<double> power_limit_watts() const;
  /// Returns the highest clock that the multiprocessors are allowed.
  std::optional<double> clock_limit_mhz() const;
  /// True if memory is error-corrected now.
  std::optional<bool> ecc() const;

 private:
  /// Calls a function of the library that fills in a value for the device. Returns nothing if the call fails.
  template <typename Value, typename... Arguments>
  std::optional<Value> ask(const char* function, Arguments... arguments) const;

  void* library_ = nullptr;
  void* device_ = nullptr;
  int (*clock_info_)(void*, int, unsigned*) = nullptr;
  int (*throttle_reasons_)(void*, unsigned long long*) = nullptr;
};

/// Returns the library for the current CUDA device, which stays the same for the whole run.
const Nvml& nvml();

}  // namespace runner
