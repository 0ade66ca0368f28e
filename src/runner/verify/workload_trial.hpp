// A workload laid out on the device: a rung's product or a lab's variant.
#pragma once

#include <optional>

#include "results/values/run.hpp"
#include "runner/machine/machine.hpp"

namespace runner {

class WorkloadTrial {
 public:
  WorkloadTrial() = default;
  WorkloadTrial(const WorkloadTrial&) = delete;
  WorkloadTrial& operator=(const WorkloadTrial&) = delete;
  virtual ~WorkloadTrial() = default;

  /// Runs the workload and checks its result. Fills in the result's path, `seen` and `judged` without the claims. Throws Error
  /// if there is not enough memory or the user interrupts.
  virtual void check(results::Result& result) = 0;

  /// Returns one launch, valid while this object lives.
  virtual machine::Launch launch() = 0;

  /// Times the workload in turns with the reference, or with a copy of as many bytes. Nothing if there is nothing to
  /// time, or on a machine that does not measure.
  virtual std::optional<results::Timing> time(const results::MeasureOptions& options) = 0;
};

}  // namespace runner
