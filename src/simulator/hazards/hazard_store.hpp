// Where the hazards of all launches, and of host code, come together.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "simulator/hazards/hazard.hpp"

namespace simulator {

/// Whether hazards are looked for. They are unless SIMULATOR_HAZARDS=0 says otherwise. What is allocated or
/// launched while they are not is taken to be in order.
bool looks_for_hazards();
void look_for_hazards(bool on);
/// Whether a program in which one was found shall not end with 0: SIMULATOR_HAZARDS=error.
bool hazards_are_errors();

class HazardStore {
 public:
  /// Prints the first of its kind on its pair of lines to stderr, unless that is switched off; counts the others.
  void add(Hazard hazard);
  /// All that were found since clear(), in the order in which they were found first.
  std::vector<Hazard> found() const;
  /// Forgets them; what was said may be said again.
  void clear();
  void set_output(bool on);
  /// Whether it prints them.
  bool has_output() const;

 private:
  mutable std::mutex mutex_;
  std::vector<Hazard> found_;
  bool output_ = true;
};

}  // namespace simulator
