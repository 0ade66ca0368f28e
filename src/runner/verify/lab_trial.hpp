// A lab's variant on the machine: its arrays laid out and filled, launched, and every word of them checked.
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
  /// Lays out the arrays, each with `guard` words of poison on both sides, and fills them. The variant must outlive it
  /// and must not refuse the sizes. Throws Error if memory does not suffice.
  LabTrial(const lab::Variant& variant, const lab::Sizes& sizes, int64_t guard);

  /// One launch of the variant, for as long as this lives.
  machine::Launch launch() override;
  /// A device-to-device copy of as many bytes as the variant must move at least: half of them are read. It has memory of
  /// its own, taken here. Empty where the lab is not about bytes moved.
  machine::Launch copy();

  /// Device memory that a trial of this setup takes, the copy included where the machine measures.
  static double bytes_needed(const lab::Setup& setup, int64_t guard);

  /// Fills the arrays anew if a launch may have changed them, runs the variant and compares every word of every array,
  /// and the poison around them, with what the lab says they must be. What was seen goes to `seen`.
  results::Judgement check(results::Observation& seen);
  /// The same, and all that it tells of the result: what was seen, how it was judged, the path and the useful bytes.
  void check(results::Result& result) override;
  /// Its time beside that of copy().
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
