// Lays out --help for the terminal.
#pragma once

#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace runner {

/// The option_text() of a required positional argument. Its subcommand refuses a missing one in its own words. The
/// usage line shows all other arguments in brackets.
constexpr const char* NEEDED = "needed";

/// Returns the description, usage, options, subcommands and footer of `app`, in lines of at most `width` columns.
std::string help_text(const CLI::App& app, int width);

}  // namespace runner
