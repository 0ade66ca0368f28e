// What the user of sgemm_acceptance asks for.
#pragma once

#include <string>
#include <vector>

namespace distributed {

struct AcceptanceRequest {
  std::string runner;              // the program that measures a GPU
  std::vector<std::string> words;  // for its subcommand `save`, behind the file
  std::string json_file;           // empty: none
  bool replace = false;            // the file
  std::string help;                // what was asked for instead, if it is not empty
};

/// Reads a command line. Throws runner::Error(ExitCode::usage).
AcceptanceRequest parse_acceptance(int argc, const char* const* argv);

}  // namespace distributed
