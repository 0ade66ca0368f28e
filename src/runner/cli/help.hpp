// --help, laid out for the terminal.
#pragma once

#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace runner {

/// Usage, what it is, options and subcommands of `app`, and its footer, in lines of at most `width` columns.
std::string help_text(const CLI::App& app, int width);

}  // namespace runner
