// What the user of sgemm_distributed asks for.
#pragma once

#include <cstdint>
#include <string>

#include "distributed/layout/layout.hpp"
#include "distributed/machine/machine.hpp"

namespace distributed {

struct Request {
  int64_t m = 0, n = 0, k = 0;
  Grid grid;
  int64_t block = 0, panel = 0;
  int algorithm = 0;  // of sgemm_ladder.h
  bool trans_a = false, trans_b = false;
  float alpha = 1, beta = 0;
  uint64_t seed = 1;
  Carrier carrier = USUAL_CARRIER;
  int64_t samples = 0;  // elements that each process checks
  std::string help;     // what was asked for instead, if it is not empty
};

/// Reads a command line for this many processes. Throws runner::Error(ExitCode::usage).
Request parse(int argc, const char* const* argv, int processes);

/// Returns the request in one line, for a heading: "300³ FP32 · grid 2x2, blocks of 64, panels of 300 · best".
std::string text_of(const Request& request);

}  // namespace distributed
