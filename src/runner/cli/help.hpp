// Lays out --help for the terminal.
#pragma once

#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace runner {

/// The option_text() of a positional argument that must be given; its subcommand says so in its own words. The usage line
/// shows all others in brackets.
constexpr const char* NEEDED = "needed";

/// The description, usage, options, subcommands and footer of `app`, in lines of at most `width` columns.
std::string help_text(const CLI::App& app, int width);

}  // namespace runner
