// The requests of sgemm_runner. Many subcommands belong to other programs: see subcommands.def and workbench_request.hpp.
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

/// The presentation of results.
struct Presentation {
  Format format = Format::table;
  When color = When::automatic;
  int verbosity = 0;        // -1 with -q, 1 with -v
  std::string html_file{};  // write a page to this file too; empty: none
  std::string baseline_file{};
  bool baseline_asked_for = false;  // false: the project's own file
};

/// The options common to runs of kernels and of labs.
struct RunOptions {
  Presentation presentation{};
  std::string json_file{};  // write JSON to this file too; empty: none
  results::MeasureOptions measure{};
  bool look_for_hazards = false;  // if the machine can
  std::optional<uint64_t>
      schedule{};  // seed of the order of warps and blocks; none: the usual order
  bool strict = false;
  std::vector<std::string> without_meaning{};  // given options without effect on this machine
  std::vector<std::string> command_line{};
};

/// `sgemm_runner [KERNELS...] [options]`
struct RunRequest : RunOptions {
  std::vector<Selected> rungs{};
  std::vector<std::string> kernel_files{};
  std::vector<results::Problem> problems{};
  bool errors = false;  // print each product's errors beside the reference's
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

/// Prints a text instead of a run: help or version.
struct ShowText {
  std::string text;
};

using Request = std::variant<RunRequest, ListRequest, TableRequest, ShowText>;

/// The program, as the table of subcommands names it. NOLINTNEXTLINE(readability-identifier-naming)
struct sgemm_runner {
  using Request = runner::Request;
};

}  // namespace runner
