#include "runner/machine/capacity.hpp"

#include <fmt/format.h>

#include "app/error.hpp"

namespace runner {

std::string the_device(const machine::Device& device) {
  return (machine::MEASURES_TIME ? "" : "the ") + device.name;
}

void refuse_what_cannot_fit(const std::string& what, double bytes_needed,
                            const machine::Device& device) {
  if (bytes_needed <= static_cast<double>(device.memory_bytes)) return;
  throw Error(ExitCode::usage,
              fmt::format("{} needs {:.4g} GiB of device memory, and {} has {:.4g} GiB", what,
                          bytes_needed / 0x1p30, the_device(device),
                          static_cast<double>(device.memory_bytes) / 0x1p30));
}

}  // namespace runner
