// The words behind `sgemm_runner show`.
#pragma once

#include <list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runner/show_request.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace runner {

/// The options as CLI11 fills them in.
struct ShowWords {
  std::vector<std::string> kernels, kernel_files;
  std::optional<std::string> size, line, block, warp, nth, steps;
  std::list<std::pair<std::string, std::optional<std::string>>>
      sizes;  // an option for each parameter of a lab
  std::string buffer, svg, color = "auto", baseline;
  bool picture = false, ribbon = false, json = false;
};

void add_show_options(CLI::App& app, ShowWords& words);

/// Throws Error(ExitCode::usage) with a message for the user.
ShowRequest show_request(const CLI::App& app, const ShowWords& words);

}  // namespace runner
