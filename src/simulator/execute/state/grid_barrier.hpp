// The barrier of all blocks of a cooperative launch (grid.sync()).
#pragma once

#include <atomic>
#include <cstdint>

namespace simulator {

/// Works in phases 0, 1, ... Each block arrives once in each phase. Thread-safe.
class GridBarrier {
 public:
  /// Begins a launch of so many blocks; 0: the launch is not cooperative, and has no such barrier.
  void start(uint64_t blocks) { blocks_ = blocks; }
  bool is_valid() const { return blocks_ != 0; }

  /// Records that a block arrives. Returns true if that completes a phase.
  bool arrive() { return (arrivals_.fetch_add(1) + 1) % blocks_ == 0; }
  bool is_complete(uint64_t phase) const { return arrivals_.load() >= (phase + 1) * blocks_; }

  uint64_t blocks() const { return blocks_; }
  /// Returns the number of blocks that have arrived in the phase under way.
  uint64_t arrived() const { return arrivals_.load() % blocks_; }

 private:
  uint64_t blocks_ = 0;
  std::atomic<uint64_t> arrivals_{0};  // in all phases
};

}  // namespace simulator
