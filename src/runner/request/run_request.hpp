// What sgemm_runner can be asked for. (Of its subcommands, many belong to another program: see subcommands.def and
// workbench_request.hpp.)
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/terminal.hpp"
#include "kernels/ladder.hpp"
#include "results/values/run.hpp"
#include "runner/choose/select.hpp"

namespace runner {

enum class Format { table, json, csv, markdown };

/// How results are to be shown.
struct Presentation {
  Format format = Format::table;
  When color = When::automatic;
  int verbosity = 0;        // -1 with -q, 1 with -v
  std::string html_file{};  // where a page goes beside the output on stdout; empty for nowhere
  std::string baseline_file{};
  bool baseline_asked_for = false;  // false: the file that belongs to the project
};

/// What a run of kernels and one of labs have in common.
struct RunOptions {
  Presentation presentation{};
  std::string json_file{};  // where JSON goes beside the output on stdout; empty for nowhere
  results::MeasureOptions measure{};
  bool look_for_hazards = false;       // where the machine can
  std::optional<uint64_t> schedule{};  // the order of warps and blocks; none: as the machine has it
  bool strict = false;
  std::vector<std::string> without_meaning{};  // options given that this machine has no use for
  std::vector<std::string> command_line{};
};

/// `sgemm_runner [KERNELS...] [options]`
struct RunRequest : RunOptions {
  std::vector<Selected> rungs{};
  std::vector<std::string> kernel_files{};
  std::vector<results::Problem> problems{};
};

/// `sgemm_runner list`
struct ListRequest {
  enum class Style { table, numbers, json } style = Style::table;
};

/// `sgemm_runner table FILE`
struct TableRequest {
  std::string file;
  Presentation presentation{};
};

/// Text for stdout in place of a run: help or version.
struct ShowText {
  std::string text;
};

using Request = std::variant<RunRequest, ListRequest, TableRequest, ShowText>;

/// The program, as the table of subcommands names it. NOLINTNEXTLINE(readability-identifier-naming)
struct sgemm_runner {
  using Request = runner::Request;
};

}  // namespace runner
