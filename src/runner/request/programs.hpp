// Which program stands behind a subcommand.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace runner {

/// A line of the table of subcommands (subcommands.def).
struct SubcommandLine {
  std::string_view name, program, build;
};

/// The subcommand that a command line asks for, by its first word that is no option; nullptr where it asks for none.
const SubcommandLine* subcommand_of(const std::vector<std::string>& line);

/// The name of the program that does what the line asks for: its subcommand's, else sgemm_runner. (cmake/setup.sh goes by
/// the same rule.)
std::string program_behind(const std::vector<std::string>& line);

}  // namespace runner
