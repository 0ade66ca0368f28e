// The table of subcommands, and the parsing of each.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace runner {

// The programs, by their names in the table. Each declares its requests beside its command line.
// NOLINTBEGIN(readability-identifier-naming)
struct sgemm_runner;     // run_request.hpp
struct sgemm_workbench;  // workbench_request.hpp
struct sgemm_workshop;   // workshop/commands/workshop.hpp
struct sgemm_bench;      // bench/: Google Benchmark parses its words
// NOLINTEND(readability-identifier-naming)

/// Holds a subcommand's words as CLI11 fills them in. Values stay texts until request() parses them all in one way.
template <typename Program>
class Subcommand {
 public:
  Subcommand() = default;
  Subcommand(const Subcommand&) = delete;
  Subcommand& operator=(const Subcommand&) = delete;
  virtual ~Subcommand() = default;

  /// Adds its options to the subcommand's `app`, which must not outlive this. Called once.
  virtual void add_options(CLI::App& app) = 0;

  /// Returns the request of the words that `app` parsed; `command_line` is the program's whole line. Throws
  /// Error(ExitCode::usage).
  virtual typename Program::Request request(const CLI::App& app,
                                            const std::vector<std::string>& command_line) const = 0;
};

// Declares list_subcommand(), table_subcommand(), ...: one for each line of the table. Each is defined in its own file
// or beside similar ones.
#define SUBCOMMAND(name, program, packages, build, what) \
  /* NOLINTNEXTLINE(bugprone-macro-parentheses) */       \
  std::unique_ptr<Subcommand<program>> name##_subcommand();
#include "runner/request/subcommands.def"
#undef SUBCOMMAND

/// A line of the table, as a program sees it.
template <typename Program>
struct SubcommandOf {
  const char* name;
  const char* what;
  std::unique_ptr<Subcommand<Program>> (*make)();  // nullptr for a subcommand of another program
};

/// Returns the table, as a program sees it.
template <typename Program>
std::vector<SubcommandOf<Program>> subcommand_table() {
  std::vector<SubcommandOf<Program>> table;
#define SUBCOMMAND(name, program, packages, build, what) \
  if constexpr (std::is_same_v<Program, program>) {      \
    table.push_back({#name, what, name##_subcommand});   \
  } else {                                               \
    table.push_back({#name, what, nullptr});             \
  }
#include "runner/request/subcommands.def"
#undef SUBCOMMAND
  return table;
}

/// The outcome of parsing a line.
struct ParsedWords {
  std::optional<std::string> help{};     // the help text, if requested
  const CLI::App* subcommand = nullptr;  // the named subcommand
};

/// Lets `app` and its subcommands take the words. Throws Error(ExitCode::usage) with a message for the user.
ParsedWords parse_words(CLI::App& app, int argc, const char* const* argv);

/// Adds a subcommand of another program to `app`, which takes all words after it.
void add_foreign_subcommand(CLI::App& app, const char* name, const char* what);

/// A program's subcommands, on their way from words to a request.
template <typename Program>
class Subcommands {
 public:
  /// Adds the subcommands to `app`, which must not outlive this.
  explicit Subcommands(CLI::App& app) {
    for (const SubcommandOf<Program>& line : subcommand_table<Program>()) {
      if (line.make == nullptr) {
        add_foreign_subcommand(app, line.name, line.what);
        continue;
      }
      CLI::App* added = app.add_subcommand(line.name, line.what);
      own_.emplace_back(added, line.make()).second->add_options(*added);
    }
  }

  /// Returns the request of `named`, one of the program's own subcommands. Throws Error(ExitCode::usage).
  typename Program::Request request(const CLI::App& named,
                                    const std::vector<std::string>& line) const {
    for (const auto& [app, subcommand] : own_) {
      if (app == &named) return subcommand->request(named, line);
    }
    throw std::logic_error("'" + named.get_name() + "' is another program's");
  }

 private:
  std::vector<std::pair<const CLI::App*, std::unique_ptr<Subcommand<Program>>>> own_;
};

}  // namespace runner
