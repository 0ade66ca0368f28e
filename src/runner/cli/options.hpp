// Options shared by several commands: output, measuring, the simulated GPU.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/request/run_request.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace runner {

/// The options of output as CLI11 fills them in. Values stay texts until they are understood here, in one way.
struct OutputWords {
  std::string json;
  std::optional<std::string> html;
  bool csv = false, markdown = false;
  std::string color = "auto";
  bool quiet = false, verbose = false;
  std::string baseline;
};

void add_output_options(CLI::App& app, OutputWords& words);

/// Adds --color alone.
void add_color_option(CLI::App& app, std::string& word);

/// Parses "auto", "always" or "never". Throws Error(ExitCode::usage) for another word.
When parse_color(const std::string& word);

/// The value of OutputWords::json for --json without a file.
inline constexpr const char* TO_STDOUT = "-";

/// Returns the format on stdout, and in `json_file` the file for JSON. Pass nullptr if the command has no such file.
/// Throws Error(ExitCode::usage).
Presentation presentation_from(const CLI::App& app, const OutputWords& words,
                               std::string* json_file);

/// The options of measuring as CLI11 fills them in.
struct MeasuringWords {
  std::optional<std::string> seconds, samples;
  bool once = false, strict = false;
};

/// The groups of options in --help.
inline constexpr const char* MEASURING = "Measuring (CUDA devices)";

inline constexpr const char* SIMULATING = "The simulated GPU";

/// Adds the options of measuring. `what` is the measured thing: "kernel", "variant".
void add_measuring_options(CLI::App& app, MeasuringWords& words, const char* what);

/// Fills in the measurement. Throws Error(ExitCode::usage).
void set_measuring(const MeasuringWords& words, RunOptions& options);

/// The options that only the simulated GPU has, as CLI11 fills them in.
struct SimulatorWords {
  bool hazards = false;
  std::optional<std::string> schedule{};
};

/// Adds these options. `always`: the command looks for hazards even without the option.
void add_simulator_options(CLI::App& app, SimulatorWords& words, bool always);

/// Fills in these options for `machine`. Throws Error(ExitCode::usage) if it is a CUDA device, which has none of them.
void set_simulator_options(const SimulatorWords& words, results::Machine machine,
                           RunOptions& options);

/// Returns the given options that have no effect on this machine.
std::vector<std::string> options_without_meaning(const CLI::App& app);

}  // namespace runner
