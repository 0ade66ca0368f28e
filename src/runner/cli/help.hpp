// Lays out --help for the terminal.
#pragma once

#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace runner {

/// The description, usage, options, subcommands and footer of `app`, in lines of at most `width` columns.
std::string help_text(const CLI::App& app, int width);

}  // namespace runner
