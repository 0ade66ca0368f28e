// The command line of `sgemm_runner lab`.
#pragma once

#include <list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runner/command_line_options.hpp"

namespace runner {

/// Its words as CLI11 fills them in.
struct LabWords {
  std::vector<std::string> labs;
  std::list<std::pair<std::string, std::optional<std::string>>>
      sizes;  // an option for each parameter
  OutputWords output;
  MeasuringWords measuring;
  bool reveal = false;
};

void add_lab_options(CLI::App& app, LabWords& words);

/// Throws Error(ExitCode::usage).
Request lab_request(const CLI::App& app, const LabWords& words,
                    const std::vector<std::string>& command_line);

}  // namespace runner
