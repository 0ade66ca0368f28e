// A running block, as the launch sees it. A launch can put it aside and take it up again.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simulator/decode/program.hpp"
#include "simulator/execute/state/launch_shape.hpp"
#include "simulator/execute/state/worker.hpp"

namespace simulator {

enum class Progress {
  finished,  // all its threads have exited
  going_on,  // its turn is over, and it has more to do
  waiting,   // its warps only poll memory that others may change; see `stuck`
};

class Block {
 public:
  virtual ~Block() = default;

  /// Sets all warps to the kernel's first instruction.
  virtual void start(uint64_t linear_number) = 0;

  /// Lets the block's warps run for a while. Throws a complete Fault.
  virtual Progress run() = 0;

  /// After Progress::waiting: true if the block alone will never end. Each warp waits at a barrier or was seen
  /// twice in exactly the same state, and nobody stored anything in between.
  virtual bool stuck() const = 0;

  /// Returns the wait of a stuck block's first warp, as a fault.
  virtual Fault describe_wait(FaultKind kind) const = 0;

  uint64_t number = 0;  // linear number of the started block
};

}  // namespace simulator
