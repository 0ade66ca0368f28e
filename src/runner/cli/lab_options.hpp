// Options of the commands that know labs: sizes, and --reveal for riddles.
#pragma once

#include <list>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "labs/lab.hpp"
#include "runner/choose/lab_workload.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace runner {

/// Adds --reveal, for commands that would give a riddle away.
void add_reveal_option(CLI::App& app, bool& reveal);

/// The sizes of labs, by their parameters' names.
using LabSizeWords = std::list<std::pair<std::string, std::optional<std::string>>>;

/// The name of these options' group in --help.
inline constexpr const char* LAB_SIZES = "Sizes, of the labs that have them";

/// Adds an option for each parameter of a lab. Labs with a parameter of the same name share its option. Call it after
/// all other options are added: a parameter with the name of another option gets none, and a test says so.
void add_lab_sizes(CLI::App& app, std::span<const lab::Lab* const> labs, LabSizeWords& words);

/// Returns the sizes given on the command line.
SizeWords given(const LabSizeWords& words);

}  // namespace runner
