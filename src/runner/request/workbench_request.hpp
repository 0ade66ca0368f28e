// The requests of sgemm_workbench, the program of the subcommands that look into kernels and teach. It is separate from
// sgemm_runner, so that a first run compiles less. Users call it through sgemm_runner (see program.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/terminal.hpp"
#include "runner/choose/workload.hpp"
#include "runner/request/run_request.hpp"

namespace runner {

/// `sgemm_runner lab LABS... [options]`
struct LabRequest : RunOptions {
  std::vector<Workload> workloads{};
  bool reveal = false;
};

/// `sgemm_runner lab`
struct LabListRequest {
  bool json = false;
};

/// `sgemm_runner playground [PRESET]`
struct PlaygroundRequest {
  std::string preset{};       // the page's name for it; empty: none
  std::string output_file{};  // empty: only print the page's address
  bool replace = false;       // replace an existing file
};

/// Selects the request to draw and the kind of drawing.
struct PictureRequest {
  std::optional<uint64_t> block{}, warp{}, nth{};  // none set: the worst request
  uint64_t steps = 1;
  bool ribbon = false;
  bool fragments = false;  // draw the products on tensor cores, not a request
  bool layout = false;     // draw boxes and wgmma's matrices in shared memory, not a request
  bool timeline = false;   // draw what a block's warps do from step to step, not a request
  std::string svg_file{};

  bool is_chosen() const { return block || warp || nth; }
};

/// `sgemm_runner show KERNELS...`
struct ShowRequest {
  std::vector<Workload> workloads{};
  bool compares = false;  // compare two; otherwise show one after the other
  std::string file{};     // the end of the name of the file with `line`; empty: any file
  std::optional<int> line{};
  std::string buffer{};  // empty for all
  std::optional<PictureRequest> picture{};
  bool json = false;
  When color = When::automatic;
  std::string baseline_file{};
  bool baseline_asked_for = false;  // false: the project's own files
  std::vector<std::string> command_line{};
};

/// `sgemm_runner profile KERNELS...`
struct ProfileRequest {
  std::vector<Workload> workloads{};
  std::string json_file{};  // empty: none
  bool json_to_stdout = false;
  When color = When::automatic;
  bool once = false;  // launch once and print nothing, for a profiler
  std::vector<std::string> command_line{};
};

/// `sgemm_runner sass KERNELS...`
struct SassRequest {
  std::vector<Workload> workloads{};
  std::string json_file{};
  bool json_to_stdout = false;
  When color = When::automatic;
  std::string program{};  // the program to read; empty: this one
};

/// `sgemm_runner ptx KERNELS...`
struct PtxRequest {
  std::vector<Workload> workloads{};
  When color = When::automatic;
};

/// `sgemm_runner save FILE [KERNELS...] [options]`
struct SaveRequest {
  std::string file;
  std::vector<std::string> words;  // the run's words: all words after FILE
  int runs = 0;
  bool replace = false;  // replace an existing file
  std::vector<std::string> command_line{};
};

/// `sgemm_runner compare [BASE [NEW]]`
struct CompareRequest {
  std::string base;  // empty: the project's file for this device
  std::string now;   // empty: a run made now
  int runs = 0;      // number of runs, if a run is made now
  int again = 0;     // repetitions for unsure rows
  // Selected rows; empty: all.
  std::vector<results::Identity> only{};
  std::vector<results::Problem> sizes{};
  std::vector<std::string>
      kernel_files{};             // files of BASE's user kernels, if BASE does not name them
  Format format = Format::table;  // the format on stdout
  std::string json_file{}, markdown_file{};  // empty: none
  int verbosity = 0;                         // -1 with -q, 1 with -v
  When color = When::automatic;
  bool annotations = false;
  bool strict = false;
  std::vector<std::string> command_line{};
};

using WorkbenchRequest =
    std::variant<LabRequest, LabListRequest, ShowRequest, ProfileRequest, SassRequest, PtxRequest,
                 SaveRequest, CompareRequest, PlaygroundRequest, ShowText>;

/// The program, as the table of subcommands names it. NOLINTNEXTLINE(readability-identifier-naming)
struct sgemm_workbench {
  using Request = WorkbenchRequest;
};

}  // namespace runner
