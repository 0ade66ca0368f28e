// The order of device work: which operations of all streams come before a point.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simulator {

/// A vector clock: for each stream the number of its operations that come before.
class Clock {
 public:
  uint64_t of(uint32_t stream) const { return stream < counts_.size() ? counts_[stream] : 0; }
  void raise(uint32_t stream, uint64_t count) {
    if (stream >= counts_.size()) counts_.resize(stream + size_t{1});
    counts_[stream] = std::max(counts_[stream], count);
  }
  void join(const Clock& other) {
    counts_.resize(std::max(counts_.size(), other.counts_.size()));
    for (size_t i = 0; i < other.counts_.size(); ++i)
      counts_[i] = std::max(counts_[i], other.counts_[i]);
  }

 private:
  std::vector<uint64_t> counts_;  // by the streams' numbers
};

}  // namespace simulator
