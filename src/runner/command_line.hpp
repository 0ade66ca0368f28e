// The command line: words in, a request out.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kernels/ladder.hpp"
#include "runner/measure_options.hpp"
#include "runner/problem.hpp"

namespace runner {

enum class Format { table, json, csv, markdown };
enum class When { automatic, always, never };

/// `sgemm_runner [KERNELS...] [options]`
struct RunRequest {
  std::vector<const ladder::Rung*> rungs;
  std::vector<Problem> problems;
  Format format = Format::table;
  std::string json_file;  // where JSON goes beside the output on stdout; empty for nowhere
  std::string baseline_file;
  bool baseline_asked_for = false;  // false: the file that belongs to the project
  When color = When::automatic;
  int verbosity = 0;  // -1 with -q, 1 with -v
  MeasureOptions measure;
  bool strict = false;
  std::vector<std::string> without_meaning;  // options given that this machine has no use for
};

/// `sgemm_runner list`
struct ListRequest {
  enum class Style { table, numbers, json } style = Style::table;
};

/// Text for stdout in place of a run: help or version.
struct ShowText {
  std::string text;
};

using Request = std::variant<RunRequest, ListRequest, ShowText>;

/// Throws Error(ExitCode::usage) with a message for the user.
Request parse_command_line(int argc, const char* const* argv);

/// "4096" or "128x160x7168" (M, N, K). Throws Error(ExitCode::usage).
Problem parse_size(const std::string& text);

}  // namespace runner
