// The hazards of one launch, from all its workers.
#pragma once

#include <cstdint>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "simulator/hazards/hazard.hpp"

namespace simulator {

/// The place of a finding in a launch. A message describes the lowest sighting of the best rank, so it does not
/// depend on which worker came first.
struct Sighting {
  uint64_t block = 0;  // linear
  uint64_t address = 0;
  uint32_t thread = 0;  // linear, in its block
  uint32_t rank = 0;    // lower: it shows more of the error on its lines

  bool operator<(const Sighting& other) const {
    return std::tie(rank, block, address, thread) <
           std::tie(other.rank, other.block, other.address, other.thread);
  }
};

class LaunchHazards {
 public:
  /// Adds a sighting. Thread-safe. `make` returns the hazard. It is called only if this sighting is the first of
  /// its key or lower than the earlier ones. `key` is a cheap number: equal for the same kind on the same
  /// instructions. `times`: 0 if the sighting was counted before.
  template <typename Make>
  void add(uint64_t key, const Sighting& at, Make make, uint64_t times = 1) {
    const std::lock_guard lock(mutex_);
    Seen* const seen = find(key);
    if (seen == nullptr) {
      seen_.push_back({key, at, times, make()});
    } else {
      seen->times += times;
      if (at < seen->at) *seen = {key, at, seen->times, make()};
    }
  }

  /// Returns all hazards in the order of their lines, and forgets them.
  std::vector<Hazard> take();

 private:
  struct Seen {
    uint64_t key;
    Sighting at;
    uint64_t times;
    Hazard hazard;
  };
  Seen* find(uint64_t key);
  void drop_consequences();

  std::mutex mutex_;
  std::vector<Seen> seen_;
};

/// Returns the key for LaunchHazards::add. The instructions belong to the launched program.
inline uint64_t hazard_key(HazardKind kind, uint32_t instruction, uint32_t other = 0) {
  return static_cast<uint64_t>(kind) << 56 | static_cast<uint64_t>(instruction) << 28 | other;
}

}  // namespace simulator
