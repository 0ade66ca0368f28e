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

class CounterStore {
 public:
  static CounterStore& instance();

  /// One launch: `times` is 1.
  void add(LaunchCounters launch);
  void reset();
  Counters snapshot() const;
  std::vector<LaunchCounters> launches() const;

 private:
  struct Alike {
    LaunchCounters first;  // as it was added
    Tally sum;
    uint64_t times = 0;
  };
  Alike& find_alike(const LaunchCounters& launch);

  mutable std::mutex mutex_;
  Tally total_;
  std::vector<Alike> launches_;
  std::unordered_map<std::string, std::vector<size_t>> of_kernel_;  // indices into launches_
};

}  // namespace simulator
