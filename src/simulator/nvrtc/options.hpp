// NVRTC's options, as simcc has them.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace simulator::nvrtc {

struct Options {
  std::vector<std::string> for_simcc;
  bool has_machine_code = true;    // False if they name a virtual architecture (compute_90)
  bool device_is_default = false;  // True if a function without a space is a __device__ function
  std::optional<std::string> unknown = {};  // the first option that NVRTC does not have here
};

Options translate(const std::vector<std::string>& options);

}  // namespace simulator::nvrtc
