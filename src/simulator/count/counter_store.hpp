// Where the counters of all launches come together.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "simulator/count/counters.hpp"

namespace simulator {

/// Adds up rows; the same line, instruction and buffer make one.
class Tally {
 public:
  void add(const AccessCounters& row);
  void add_instructions(const std::string& kind, uint64_t warps, uint64_t lanes);
  void add(const Counters& other);
  /// With the rows in order.
  Counters counters() const;

  Counters totals;  // what is no row; its vectors stay empty

 private:
  using Key = std::tuple<std::string, std::string, int, std::string, int, std::string>;
  std::map<Key, AccessCounters> accesses_;
  std::map<std::string, InstructionCount> kinds_;
};

/// Of one device.
class CounterStore {
 public:
  /// One launch; `first` and `times` are filled in here.
  void add(LaunchCounters launch);
  void reset();
  Counters since_reset() const;
  Counters since_start() const;
  std::vector<KernelUse> kernels_used() const;
  std::vector<LaunchCounters> launches() const;

 private:
  /// nullptr: there is none.
  LaunchCounters* find_alike(const LaunchCounters& launch);

  mutable std::mutex mutex_;
  Tally since_reset_, before_reset_;
  std::vector<KernelUse> used_;
  std::vector<LaunchCounters> launches_;
  std::unordered_map<std::string, std::vector<size_t>> of_kernel_;  // indices into launches_
};

}  // namespace simulator
