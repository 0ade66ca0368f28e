// Parses the command line of a program here.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "app/error.hpp"

namespace distributed {

/// Parses the words into the options of `app`. Returns the help if that was asked for instead; otherwise an empty text. Throws
/// runner::Error(ExitCode::usage).
inline std::string parse_or_help(CLI::App& app, int argc, const char* const* argv) {
  try {
    app.parse(argc, argv);
    return "";
  } catch (const CLI::CallForHelp&) {
    return app.help();
  } catch (const CLI::ParseError& error) {
    throw runner::Error(runner::ExitCode::usage, std::string(error.what()) + " (see --help)");
  }
}

}  // namespace distributed
