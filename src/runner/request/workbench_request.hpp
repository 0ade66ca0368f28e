// What sgemm_workbench can be asked for: the program behind the subcommands that look into kernels and teach. It is apart
// from sgemm_runner, so that whoever wants to run a kernel need not wait until all this is compiled; users call it through
// sgemm_runner (see program.hpp).
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
  std::string preset{};       // as the page calls it; empty for none
  std::string output_file{};  // empty: only say where the page is
  bool replace = false;       // whatever lies there
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
  std::vector<Workload> workloads{};
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
  std::vector<Workload> workloads{};
  std::string json_file{};  // empty for nowhere
  bool json_to_stdout = false;
  When color = When::automatic;
  bool once = false;  // launch and say nothing: what a profiler runs
  std::vector<std::string> command_line{};
};

/// `sgemm_runner sass KERNELS...`
struct SassRequest {
  std::vector<Workload> workloads{};
  std::string json_file{};
  bool json_to_stdout = false;
  When color = When::automatic;
  std::string program{};  // another one than this; empty for this
};

/// `sgemm_runner ptx KERNELS...`
struct PtxRequest {
  std::vector<Workload> workloads{};
  When color = When::automatic;
};

/// `sgemm_runner save FILE [KERNELS...] [options]`
struct SaveRequest {
  std::string file;
  std::vector<std::string> words;  // of the run: what stands behind FILE
  int runs = 0;
  bool replace = false;  // whatever lies there
  std::vector<std::string> command_line{};
};

/// `sgemm_runner compare [BASE [NEW]]`
struct CompareRequest {
  std::string base;  // empty: the project's own for this device
  std::string now;   // empty: a run made now
  int runs = 0;      // of a run made now
  int again = 0;     // so often what is unsure is measured again
  // Of all rows; empty for all.
  std::vector<results::Identity> only{};
  std::vector<results::Problem> sizes{};
  std::vector<std::string> kernel_files{};   // of BASE's strangers, where it does not say
  Format format = Format::table;             // what goes to stdout
  std::string json_file{}, markdown_file{};  // empty for nowhere
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
