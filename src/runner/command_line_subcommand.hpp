// A subcommand's part of the command line.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runner/command_line.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace runner {

/// Holds a subcommand's words as CLI11 fills them in. Values stay texts until they are understood in request(), in one way.
class Subcommand {
 public:
  Subcommand() = default;
  Subcommand(const Subcommand&) = delete;
  Subcommand& operator=(const Subcommand&) = delete;
  virtual ~Subcommand() = default;

  /// Adds its options to the subcommand's `app`, which must not outlive this. Called once.
  virtual void add_options(CLI::App& app) = 0;

  /// What the words that `app` took ask for; `command_line` are all of the program's. Throws Error(ExitCode::usage).
  virtual Request request(const CLI::App& app,
                          const std::vector<std::string>& command_line) const = 0;
};

// list_subcommand(), table_subcommand(), ...: one for each line of the table, defined in a file of its own or with its like.
#define SUBCOMMAND(name, program, packages, build, what) \
  std::unique_ptr<Subcommand> name##_subcommand();
#include "runner/subcommands.def"
#undef SUBCOMMAND

}  // namespace runner
