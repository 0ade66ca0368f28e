// Something to run, laid out on the device: a rung's product, a lab's variant.
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

  /// Runs it and compares what it left with what it should leave. Fills in the result's path, `seen` and `judged`, the
  /// claims excepted. Throws Error if memory does not suffice or the user interrupts.
  virtual void check(results::Result& result) = 0;

  /// One launch, for as long as this lives.
  virtual machine::Launch launch() = 0;

  /// Its time beside that of what it is held against: the reference, or a copy of as many bytes. Nothing where there is
  /// nothing to time, or on a machine that does not measure.
  virtual std::optional<results::Timing> time(const results::MeasureOptions& options) = 0;
};

}  // namespace runner
