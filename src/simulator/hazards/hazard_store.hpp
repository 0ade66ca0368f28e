// The hazards of all launches and of host code together.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "simulator/hazards/hazard.hpp"

namespace simulator {

/// True if hazards are looked for: by default, unless SIMULATOR_HAZARDS=0. Memory allocated and kernels launched
/// while this is off count as free of hazards.
bool looks_for_hazards();
void look_for_hazards(bool on);
/// True if a program with a hazard shall not exit with 0: SIMULATOR_HAZARDS=error.
bool hazards_are_errors();

class HazardStore {
 public:
  /// Prints the first hazard of its kind on its pair of lines to stderr, unless output is off. Counts the others.
  void add(Hazard hazard);
  /// Returns all hazards found since clear(), in the order of their first finding.
  std::vector<Hazard> found() const;
  /// Forgets all hazards. Each may be printed again.
  void clear();
  void set_output(bool on);
  /// True if it prints hazards.
  bool has_output() const;

 private:
  mutable std::mutex mutex_;
  std::vector<Hazard> found_;
  bool output_ = true;
};

}  // namespace simulator
