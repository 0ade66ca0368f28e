#include "runner/cli/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/error.hpp"
#include "app/words.hpp"
#include "runner/machine/machine.hpp"

namespace runner {
namespace {

constexpr int MOST_SAMPLES = 1000000;

Error usage(const std::string& message) { return {ExitCode::usage, message}; }

}  // namespace

void add_output_options(CLI::App& app, OutputWords& words) {
  // A flag with a value: '--json 2' must not take kernel 2 for a file name.
  app.add_flag("--json{-}", words.json,
               "print JSON; --json=FILE writes it to a file beside the table")
      ->type_name("[=FILE]");
  app.add_option("--html", words.html, "write a page to a file: the run, its plots, its sources")
      ->type_name("FILE");
  app.add_flag("--csv", words.csv, "print comma-separated values");
  app.add_flag("--md", words.markdown, "print a Markdown table");
  add_color_option(app, words.color);
  app.add_flag("-q,--quiet", words.quiet, "print no table, only failures; see the exit code");
  app.add_flag("-v,--verbose", words.verbose,
               "say how each result was judged and what each kernel did");
  app.add_option("--baseline", words.baseline,
                 "recorded run for the starred columns, if there is no GPU")
      ->type_name("FILE");
}

void add_color_option(CLI::App& app, std::string& word) {
  app.add_option("--color", word, "auto, always or never")->type_name("WHEN");
}

When parse_color(const std::string& word) {
  const std::vector<std::string> colors{"auto", "always", "never"};
  const auto color = std::ranges::find(colors, word);
  if (color == colors.end()) {
    throw usage(fmt::format("--color '{}' is not understood: write auto, always or never", word));
  }
  return static_cast<When>(color - colors.begin());
}

Presentation presentation_from(const CLI::App& app, const OutputWords& words,
                               std::string* json_file) {
  const bool json_to_stdout = words.json == TO_STDOUT;
  const std::string file = json_to_stdout ? "" : words.json;
  if (json_to_stdout + words.csv + words.markdown > 1) {
    throw usage("only one of --json, --csv and --md can go to stdout; --json=FILE goes to a file");
  }
  if (!file.empty() && json_file == nullptr)
    throw usage("the file is a run in JSON already; copy it");
  if (words.html && json_file == nullptr) {
    throw usage(
        "--html is an option of a run; the page of one that was saved comes from 'python3 -m plots "
        "report FILE -o PAGE.html'");
  }
  if (words.html && words.html->empty()) throw usage("--html needs a file name: --html FILE");
  if (words.html && *words.html == file)
    throw usage("--json and --html need a file each, and both name '" + printable(file) + "'");
  if (words.quiet && words.verbose) throw usage("-q and -v exclude each other");
  if (json_file != nullptr) *json_file = file;
  const bool asked = app.count("--baseline") > 0;
  return {.format = json_to_stdout   ? Format::json
                    : words.csv      ? Format::csv
                    : words.markdown ? Format::markdown
                                     : Format::table,
          .color = parse_color(words.color),
          .verbosity = words.quiet     ? -1
                       : words.verbose ? 1
                                       : 0,
          .html_file = words.html.value_or(""),
          .baseline_file = asked ? words.baseline : "",
          .baseline_asked_for = asked};
}

void add_measuring_options(CLI::App& app, MeasuringWords& words, const char* what) {
  app.add_option("--time", words.seconds,
                 fmt::format("measure a {} for S seconds at most (default 2)", what))
      ->type_name("S")
      ->group(MEASURING);
  app.add_option("--samples", words.samples,
                 fmt::format("take N samples of a {} at most (default 200)", what))
      ->type_name("N")
      ->group(MEASURING);
  app.add_flag("--once", words.once,
               "launch once without warm-up, for a profiler (ncu --profile-from-start off)")
      ->group(MEASURING);
  app.add_flag("--strict", words.strict, "exit with 5 if a measurement cannot be trusted")
      ->group(MEASURING);
}

void set_measuring(const MeasuringWords& words, RunOptions& options) {
  options.measure.once = words.once;
  if (words.seconds) options.measure.seconds = parse_seconds("--time", *words.seconds);
  if (words.samples) {
    options.measure.samples =
        static_cast<int>(parse_integer("--samples", *words.samples, 1, MOST_SAMPLES));
  }
  options.strict = words.strict;
}

void add_simulator_options(CLI::App& app, SimulatorWords& words, bool always) {
  app.add_flag(
         "--hazards", words.hazards,
         always ? "always on here: look for races, reads of memory that nobody wrote, missing waits"
                : "look for errors that a result may not show: races, reads of memory that nobody "
                  "wrote, missing waits")
      ->group(SIMULATING);
  app.add_option("--schedule", words.schedule,
                 "shuffle the order of warps and blocks; 0, the default, is the usual order")
      ->type_name("SEED")
      ->group(SIMULATING);
}

void set_simulator_options(const SimulatorWords& words, results::Machine machine,
                           RunOptions& options) {
  if (machine == results::Machine::cuda && words.hazards) {
    throw usage(
        "--hazards is the simulated GPU's (--build sim); on a device compute-sanitizer looks for "
        "them: test/device/sanitize.py runs it");
  }
  if (machine == results::Machine::cuda && words.schedule) {
    throw usage(
        "--schedule is the simulated GPU's (--build sim); a device has an order of its own, which "
        "nothing changes");
  }
  if (words.schedule) options.schedule = parse_natural("--schedule", *words.schedule);
}

std::vector<std::string> options_without_meaning(const CLI::App& app) {
  const std::vector<const char*> measuring{"--warm", "--cold",   "--time",   "--samples",
                                           "--once", "--strict", "--energy", "--no-graph"};
  const std::vector<const char*> counting{"--baseline"};
  std::vector<std::string> given;
  for (const char* option : machine::MEASURES_TIME ? counting : measuring) {
    if (app.get_option_no_throw(option) != nullptr && app.count(option) > 0)
      given.emplace_back(option);
  }
  return given;
}

}  // namespace runner
