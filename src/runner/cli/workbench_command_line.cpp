// The command line of sgemm_workbench, which has subcommands only.
#include <CLI/CLI.hpp>

#include "app/error.hpp"
#include "runner/cli/subcommands.hpp"
#include "runner/cli/workbench_command_line.hpp"

namespace runner {

WorkbenchRequest parse_workbench_command_line(int argc, const char* const* argv) {
  CLI::App app("Looks into kernels, and teaches with labs.", "sgemm_runner");
  app.set_help_flag("-h,--help", "print this text");
  const Subcommands<sgemm_workbench> subcommands(app);
  app.require_subcommand(0, 1);  // a second one is a file's name, or a mistake

  const ParsedWords parsed = parse_words(app, argc, argv);
  if (parsed.help) return ShowText{*parsed.help};
  if (parsed.subcommand == nullptr)
    throw Error(ExitCode::usage, "name a subcommand (see 'sgemm_runner --help')");
  return subcommands.request(*parsed.subcommand, {argv, argv + argc});
}

}  // namespace runner
