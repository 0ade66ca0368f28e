// The command line: words in, a request out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kernels/ladder.hpp"
#include "results/run.hpp"
#include "runner/select.hpp"
#include "runner/select_labs.hpp"
#include "runner/subject.hpp"
#include "runner/terminal.hpp"

namespace runner {

enum class Format { table, json, csv, markdown };

/// How results are to be shown.
struct Presentation {
  Format format = Format::table;
  When color = When::automatic;
  int verbosity = 0;  // -1 with -q, 1 with -v
  std::string html_file{};  // where a page goes beside the output on stdout; empty for nowhere
  std::string baseline_file{};
  bool baseline_asked_for = false;  // false: the file that belongs to the project
};

/// What a run of kernels and one of labs have in common.
struct RunOptions {
  Presentation presentation{};
  std::string json_file{};  // where JSON goes beside the output on stdout; empty for nowhere
  results::MeasureOptions measure{};
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

/// `sgemm_runner lab LABS... [options]`
struct LabRequest : RunOptions {
  std::vector<SelectedLab> labs{};
  bool reveal = false;
};

/// `sgemm_runner lab`
struct LabListRequest {
  bool json = false;
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

/// Which request is drawn, and how.
struct PictureRequest {
  std::optional<uint64_t> block{}, warp{}, nth{};  // without any of them the worst
  uint64_t steps = 1;
  bool ribbon = false;
  std::string svg_file{};

  bool is_chosen() const { return block || warp || nth; }
};

/// `sgemm_runner show KERNELS...`
struct ShowRequest {
  std::vector<Subject> subjects{};
  bool compares = false;  // two beside each other; otherwise one after the other
  std::string file{};     // of `line`, how its name ends; empty for any
  std::optional<int> line{};
  std::string buffer{};  // empty for all
  std::optional<PictureRequest> picture{};
  bool json = false;
  When color = When::automatic;
  std::string baseline_file{};
  bool baseline_asked_for = false;  // false: the files that belong to the project
  std::vector<std::string> command_line{};
};

/// `sgemm_runner profile KERNELS...`
struct ProfileRequest {
  std::vector<Subject> subjects{};
  std::string json_file{};  // empty for nowhere
  bool json_to_stdout = false;
  When color = When::automatic;
  bool once = false;  // launch and say nothing: what a profiler runs
  std::vector<std::string> command_line{};
};

/// `sgemm_runner sass KERNELS...`
struct SassRequest {
  std::vector<Subject> subjects{};
  std::string json_file{};
  bool json_to_stdout = false;
  When color = When::automatic;
  std::string program{};  // another one than this; empty for this
};

/// `sgemm_runner ptx KERNELS...`
struct PtxRequest {
  std::vector<Subject> subjects{};
  When color = When::automatic;
};

/// Text for stdout in place of a run: help or version.
struct ShowText {
  std::string text;
};

using Request = std::variant<RunRequest, LabRequest, LabListRequest, ListRequest, TableRequest,
                             ShowRequest, ProfileRequest, SassRequest, PtxRequest, ShowText>;

/// Throws Error(ExitCode::usage) with a message for the user.
Request parse_command_line(int argc, const char* const* argv);

/// "4096" or "128x160x7168" (M, N, K). Throws Error(ExitCode::usage).
results::Problem parse_size(const std::string& text);

}  // namespace runner
