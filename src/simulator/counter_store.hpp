// Where the counters of all launches come together.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "simulator/counters.hpp"
#include "simulator/memory_access.hpp"

namespace simulator {

class CounterStore {
 public:
  static CounterStore& instance();

  void add_launch(uint64_t blocks, double seconds);
  void add_worker(const Worker& worker);
  void reset();
  Counters snapshot() const;

 private:
  using Key = std::tuple<std::string, std::string, int, std::string, int, std::string>;

  void add_instructions(const Worker& worker);
  void add_instruction(const SourceInstruction& source, uint64_t warps, uint64_t lanes);
  void add_accesses(const Worker& worker);

  mutable std::mutex mutex_;
  Counters totals_;
  std::map<std::string, InstructionCount> kinds_;
  std::map<Key, AccessCounters> accesses_;
};

}  // namespace simulator
