// What the command lines of several commands have in common: what goes where, and how time is taken.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/command_line.hpp"

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

/// --color by itself.
void add_color_option(CLI::App& app, std::string& word);

/// "auto", "always" or "never". Throws Error(ExitCode::usage).
When parse_color(const std::string& word);

/// What --json without a file leaves in OutputWords::json.
inline constexpr const char* TO_STDOUT = "-";

/// What goes to stdout, and into which file JSON goes beside it; nullptr where that cannot be asked for. Throws
/// Error(ExitCode::usage).
Presentation presentation_from(const CLI::App& app, const OutputWords& words,
                               std::string* json_file);

/// Likewise of measuring.
struct MeasuringWords {
  std::optional<std::string> seconds, samples;
  bool once = false, strict = false;
};

/// The group of these options in --help.
inline constexpr const char* MEASURING = "Measuring (CUDA devices)";

/// `what` is measured: "kernel", "variant".
void add_measuring_options(CLI::App& app, MeasuringWords& words, const char* what);

/// Fills in the measurement. Throws Error(ExitCode::usage).
void set_measuring(const MeasuringWords& words, RunOptions& options);

/// Of the options given, those that this machine has no use for.
std::vector<std::string> options_without_meaning(const CLI::App& app);

}  // namespace runner
