// How a time is to be taken.
#pragma once

namespace runner {

struct MeasureOptions {
  bool cold = false;             // flush L2 before every launch
  bool once = false;             // one launch, no warm-up: for a profiler
  double seconds = 2.0;          // at most so long for a kernel's samples, the reference's included
  int samples = 200;             // at most so many
  double target_spread = 0.002;  // stop when the median is known this well, as a share of it
};

}  // namespace runner
