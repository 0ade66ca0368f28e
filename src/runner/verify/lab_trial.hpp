// Runs a lab's variant on the machine: lays out and fills its arrays, launches it, and checks every word.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "labs/lab.hpp"
#include "results/values/run.hpp"
#include "runner/machine/device_buffer.hpp"
#include "runner/machine/machine.hpp"
#include "runner/verify/workload_trial.hpp"

namespace runner {

class LabTrial : public WorkloadTrial {
 public:
  /// Lays out and fills the arrays, each with `guard` words of poison on both sides. The variant must outlive the object and
  /// must not refuse the sizes. Throws Error if there is not enough memory.
  LabTrial(const lab::Variant& variant, const lab::Sizes& sizes, int64_t guard);

  /// Returns one launch of the variant, valid while this object lives.
  machine::Launch launch() override;
  /// Returns a device-to-device copy of the least bytes that the variant must move, half of them read. It allocates its
  /// own memory. Empty if the lab is not about bytes moved.
  machine::Launch copy();

  /// Returns the device memory of a trial with this setup, and of the copy too if the machine measures.
  static double bytes_needed(const lab::Setup& setup, int64_t guard);

  /// Fills the arrays again if a launch may have changed them, runs the variant, and compares every word of every
  /// array, and the poison around them, with the lab's expectation. The counters go to `seen`.
  results::Judgement check(results::Observation& seen);
  /// Checks in the same way, and fills in the result: counters, judgement, path and useful bytes.
  void check(results::Result& result) override;
  /// Times the variant in turns with copy().
  std::optional<results::Timing> time(const results::MeasureOptions& options) override;

 private:
  struct Laid {
    int64_t words = 0;
    DeviceBuffer<uint32_t> buffer;
    uint32_t* data = nullptr;
  };

  void fill(const lab::Array& array, const Laid& laid) const;
  void compare(const lab::Array& array, const Laid& laid, results::Judgement& judgement) const;
  std::string damage_around(const lab::Array& array, const Laid& laid) const;

  const lab::Variant& variant_;
  lab::Sizes sizes_;
  int64_t guard_;
  lab::Setup setup_;
  std::vector<Laid> laid_;
  bool is_fresh_ = true;  // nothing was launched since the arrays were filled
  DeviceBuffer<uint32_t> copy_from_, copy_to_;
};

}  // namespace runner
