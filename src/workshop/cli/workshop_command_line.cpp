// The command line of sgemm_workshop, which has subcommands only.
#include <CLI/CLI.hpp>

#include "app/error.hpp"
#include "runner/cli/subcommands.hpp"
#include "workshop/commands/workshop.hpp"

namespace workshop {

using runner::sgemm_workshop;

WorkshopRequest parse_workshop_command_line(int argc, const char* const* argv) {
  CLI::App app("Climbs the ladder: exercises, checked.", "sgemm_runner");
  app.set_help_flag("-h,--help", "print this text");
  const runner::Subcommands<sgemm_workshop> subcommands(app);
  app.require_subcommand(0, 1);

  const runner::ParsedWords parsed = runner::parse_words(app, argc, argv);
  if (parsed.help) return runner::ShowText{*parsed.help};
  if (parsed.subcommand == nullptr) {
    throw runner::Error(runner::ExitCode::usage, "name a subcommand (see 'sgemm_runner --help')");
  }
  return subcommands.request(*parsed.subcommand, {argv, argv + argc});
}

}  // namespace workshop
