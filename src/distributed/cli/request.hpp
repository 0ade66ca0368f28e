// What the user of sgemm_distributed asks for.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "distributed/layout/layout.hpp"
#include "distributed/machine/machine.hpp"
#include "distributed/run/matrices.hpp"
#include "distributed/run/measure.hpp"
#include "results/values/distributed_model.hpp"

namespace distributed {

struct Request {
  std::vector<Problem> problems;  // of different sizes
  Grid grid;
  Carrier carrier = USUAL_CARRIER;
  std::chrono::seconds patience = USUAL_PATIENCE;
  Protocol protocol;
  std::string json_file;  // empty: none
  bool replace = false;   // the file

  // What was asked for instead, if it is not empty:
  std::string help;
  std::vector<Grid> predicted;  // what the cost model says of them
  results::Rates rates;         // for the model
};

/// Reads a command line for this many processes. Throws runner::Error(ExitCode::usage).
Request parse(int argc, const char* const* argv, int processes);

/// "best", "12 stream_k" or "16 tensor_fp32".
std::string name_of_algorithm(int algorithm);

}  // namespace distributed
