// The counters of all launches together.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "simulator/count/counters.hpp"

namespace simulator {

/// Adds up rows. Rows with the same line, instruction and buffer become one.
class Tally {
 public:
  void add(const AccessCounters& row);
  void add(const TensorCounters& row);
  void add_instructions(const std::string& kind, uint64_t warps, uint64_t lanes);
  void add(const Counters& other);
  /// Returns the sums, with sorted rows.
  Counters counters() const;

  Counters totals;  // all counters that are not rows; the vectors stay empty

 private:
  using Key = std::tuple<std::string, std::string, int, std::string, int, std::string>;
  std::map<Key, AccessCounters> accesses_;
  std::map<std::tuple<std::string, std::string, int, std::string>, TensorCounters> tensor_;
  std::map<std::string, InstructionCount> kinds_;
};

/// The counters of one device.
class CounterStore {
 public:
  /// Adds one launch. Fills in `first` and `times`.
  void add(LaunchCounters launch);
  void reset();
  Counters since_reset() const;
  Counters since_start() const;
  std::vector<KernelUse> kernels_used() const;
  std::vector<LaunchCounters> launches() const;

 private:
  /// Returns nullptr if no launch is alike.
  LaunchCounters* find_alike(const LaunchCounters& launch);

  mutable std::mutex mutex_;
  Tally since_reset_, before_reset_;
  std::vector<KernelUse> used_;
  std::vector<LaunchCounters> launches_;
  std::unordered_map<std::string, std::vector<size_t>> of_kernel_;  // indices into launches_
};

}  // namespace simulator
