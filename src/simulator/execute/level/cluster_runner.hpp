// A running cluster: its blocks take turns on one host thread. Part of a level: see level.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "simulator/execute/level/block_runner.hpp"

BEGIN_LEVEL

/// Runs one cluster after the other. The number of the started "block" is the cluster's number in the grid.
class ClusterRunner : public Block {
 public:
  ClusterRunner(const Program& program, Worker& worker, const LaunchShape& shape,
                const std::byte* parameters);

  void start(uint64_t linear_number) override;
  Progress run() override;
  bool stuck() const override;
  Fault describe_wait(FaultKind kind) const override;

 private:
  const Dim3 clusters_;  // in the grid
  const Dim3 grid_;      // in blocks
  Worker& worker_;
  ClusterContext cluster_;
  std::vector<std::unique_ptr<BlockRunner>> blocks_;  // by rank
  std::vector<bool> has_ended_;                       // likewise
  std::vector<size_t> order_;                         // of the blocks' turns
};

END_LEVEL
