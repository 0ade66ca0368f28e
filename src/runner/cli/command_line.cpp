#include "runner/cli/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "app/error.hpp"
#include "app/terminal.hpp"
#include "runner/cli/run_words.hpp"
#include "runner/cli/subcommands.hpp"
#include "runner/machine/machine.hpp"

namespace runner {
namespace {

// Each paragraph is one line: --help breaks it to fit.
constexpr const char* EXAMPLES =
    R"(
Examples:
  sgemm_runner 2                    kernel 2, verified
  sgemm_runner 1-3 --size 512       kernels 1 to 3 at M = N = K = 512
  sgemm_runner naive coalesced --size 128x160x7168
  sgemm_runner all --json=run.json  a table on the terminal and JSON in a file
  sgemm_runner table run.json       the table of that file, anywhere
  sgemm_runner 2 --kernel mine.cu   your own kernel, beside kernel 2
  sgemm_runner lab copy_stride      a memory experiment, its variants side by side
  sgemm_runner show 1 2             their sources with the counters that differ
  sgemm_runner show 1 --picture     the bytes that a warp asks for
The script ./sgemm_runner also takes --build sim or --build cuda.

)"
    "Exit codes: 0 all well, 1 a wrong result, a broken promise or a hazard, 2 usage, 5 a "
    "measurement that "
    "cannot be trusted (with --strict), 3 and 4 from 'compare' (its --help), 70 a CUDA or internal "
    "failure, 77 no suitable GPU, 130 "
    "interrupted, after printing what is done.\n";

// Refuses kernels beside `list`: CLI11 would take them for kernels of the program itself.
void refuse_kernels_of_list(const std::vector<std::string>& line) {
  if (line.size() > 2 && line[1] == "list" && !line[2].starts_with('-')) {
    throw Error(ExitCode::usage,
                fmt::format("'list' takes no kernels: it lists them all; to run one, say "
                            "'sgemm_runner {}'",
                            line[2]));
  }
}

}  // namespace

Request parse_command_line(int argc, const char* const* argv) {
  const std::vector<std::string> line(argv, argv + argc);
  refuse_kernels_of_list(line);

  CLI::App app("Runs matrix-multiply kernels, checks their results and says how fast they are.",
               "sgemm_runner");
  app.set_help_flag("-h,--help", "print this text");
  bool version = false;
  app.add_flag("--version", version, "print the version");
  RunWords words;
  add_run_options(app, words);
  const Subcommands<sgemm_runner> subcommands(app);
  app.require_subcommand(0, 1);  // a second one is a file's name, or a mistake
  app.footer(EXAMPLES);          // after add_subcommand(), which would take it over

  const ParsedWords parsed = parse_words(app, argc, argv);
  if (parsed.help) return ShowText{*parsed.help};
  if (version) return ShowText{fmt::format("sgemm_runner {} ({})\n", SGEMM_VERSION, machine::NAME)};
  if (parsed.subcommand != nullptr) return subcommands.request(*parsed.subcommand, line);
  if (!words.device.empty())
    return ShowText{expectations_from(words, stdout_page(When::never).width)};
  RunRequest request = run_request(app, words);
  request.command_line = line;
  return request;
}

}  // namespace runner
