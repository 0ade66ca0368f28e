// Finds the program of a subcommand.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace runner {

/// A row of the table of subcommands (subcommands.def).
struct SubcommandLine {
  std::string_view name, program, build;
};

/// Returns the subcommand of a command line: its first word that is not an option. nullptr if there is none.
const SubcommandLine* subcommand_of(const std::vector<std::string>& line);

/// Returns the name of the program for a command line: the program of its subcommand, else sgemm_runner. cmake/setup.sh has the same
/// rule.
std::string program_behind(const std::vector<std::string>& line);

}  // namespace runner
