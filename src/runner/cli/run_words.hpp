// The options of a run of kernels: kernels, sizes, output, measuring.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/cli/options.hpp"
#include "runner/request/run_request.hpp"

namespace runner {

/// The options of a run as CLI11 fills them in. Values stay texts until run_request() parses them all in one way.
struct RunWords {
  std::vector<std::string> kernels{}, kernel_files{};
  std::vector<std::string> sizes{}, data{};
  std::optional<std::string> lda{}, ldb{}, ldc{}, offset_a{}, offset_b{}, offset_c{}, alpha{},
      beta{}, seed{}, batch{}, stride_a{}, stride_b{}, stride_c{};
  OutputWords output{};
  MeasuringWords measuring{};
  SimulatorWords simulator{};
  std::string device{};  // of a GPU that need not be there
  bool warm = false, cold = false, errors = false, energy = false, no_graph = false;
  bool trans_a = false, trans_b = false;
};

/// Adds the options of a run to `app`, which must not outlive `words`.
void add_run_options(CLI::App& app, RunWords& words);

/// Returns the text for `best --device GPU`. Throws Error(ExitCode::usage).
std::string expectations_from(const RunWords& words, int width);

/// Returns the request of the words that `app` parsed, without its command_line. Throws Error(ExitCode::usage).
RunRequest run_request(const CLI::App& app, const RunWords& words);

}  // namespace runner
