// The command lines of `profile`, `sass` and `ptx`.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runner/command_line.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace runner {

class InspectCommandLine {
 public:
  InspectCommandLine();
  ~InspectCommandLine();

  /// Adds options to a subcommand, if it is one of these three.
  void add(CLI::App& subcommand);

  /// What the command line asks for; nothing where it was none of these. Throws Error(ExitCode::usage).
  std::optional<Request> request(const std::vector<std::string>& command_line) const;

 private:
  struct Words;
  std::unique_ptr<Words> words_;
};

}  // namespace runner
