// A block at work, as the launch sees it: it can be put aside and taken up again.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simulator/decode/program.hpp"
#include "simulator/execute/state/launch_shape.hpp"
#include "simulator/execute/state/worker.hpp"

namespace simulator {

enum class Progress {
  finished,  // all its threads have exited
  going_on,  // its turn is over, and there is more to do
  waiting,   // all it does is look at what others may change; `stuck` says whether that can end
};

class Block {
 public:
  virtual ~Block() = default;

  /// Sets all warps to the kernel's first instruction.
  virtual void start(uint64_t linear_number) = 0;

  /// Lets the block's warps run for a while. Throws a complete Fault.
  virtual Progress run() = 0;

  /// After Progress::waiting: true if each warp waits at a barrier or has been seen twice in exactly the same
  /// state, with nothing stored by anybody in between: alone it will never end.
  virtual bool stuck() const = 0;

  /// The wait of a stuck block's first warp, as a fault.
  virtual Fault describe_wait(FaultKind kind) const = 0;

  uint64_t number = 0;  // linear, of the block that was started
};

}  // namespace simulator
