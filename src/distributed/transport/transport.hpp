// The narrow interface to whatever moves data between processes.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "distributed/gpu/cuda.hpp"
#include "distributed/layout/layout.hpp"

namespace distributed {

/// The processes of a row of the grid, or of a column.
struct Line {
  bool is_row = true;
  int index = 0;
};

/// True if a process belongs to the line.
inline bool has(const Grid& grid, int rank, const Line& line) {
  return line.index == (line.is_row ? grid.row_of(rank) : grid.col_of(rank));
}

/// Returns the processes of a line.
inline std::vector<int> ranks_of(const Grid& grid, const Line& line) {
  const int count = line.is_row ? grid.cols : grid.rows;
  std::vector<int> ranks;
  ranks.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i)
    ranks.push_back(line.is_row ? grid.rank_of(line.index, i) : grid.rank_of(i, line.index));
  return ranks;
}

/// Floats that a process sends to all processes of a line. It may belong to the line.
struct Message {
  int sender = 0;  // its rank
  Line line;
  float* data = nullptr;  // device memory of this process, if it sends or receives
  int64_t floats = 0;
};

class Transport {
 public:
  virtual ~Transport() = default;

  /// Sends all messages, in the order of the stream. Every process of the grid calls with the same messages. The call may return before
  /// they have been sent.
  virtual void deliver(std::span<const Message> messages, cudaStream_t stream) = 0;

  /// Waits for an event. Throws std::runtime_error if that fails, or a message does, or nothing happens for too long.
  virtual void wait(const Event& event) = 0;

  /// Gives up: no message is waited for any more. Call it before an exception leaves memory that messages may use.
  virtual void abort() = 0;
};

}  // namespace distributed
