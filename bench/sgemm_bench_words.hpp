// The command line of sgemm_bench: its own words and the words of Google Benchmark.
#pragma once

#include <string>
#include <vector>

#include "results/values/problem.hpp"

namespace bench {

struct Words {
  bool help = false;
  bool list = false;  // --benchmark_list_tests
  std::vector<results::Problem> problems{};
  std::string format = "console";  // --benchmark_format
  std::string out_file{};          // --benchmark_out; empty for none
  std::string out_format = "json";
  std::vector<std::string> for_google{};  // the words for benchmark::Initialize, the program first
};

/// Parses `line`, which begins with the program. Drops the subcommand `bench`. Throws
/// runner::Error(ExitCode::usage).
Words understood(std::vector<std::string> line);

/// Throws runner::Error(ExitCode::usage) about the first word that Google Benchmark left, because it does not know that word.
void refuse_unknown(const std::vector<std::string>& left);

/// Returns our own part of --help.
std::string help();

}  // namespace bench
