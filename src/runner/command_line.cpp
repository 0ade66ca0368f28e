#include "runner/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "runner/error.hpp"
#include "runner/machine.hpp"
#include "runner/select.hpp"
#include "runner/suggest.hpp"

namespace runner {
namespace {

constexpr int64_t LARGEST_DIMENSION = (int64_t{1} << 40) - 1;

int64_t parse_dimension(std::string_view text, const std::string& whole) {
  int64_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = !text.empty() && end == text.data() + text.size();
  if (error == std::errc::result_out_of_range || (is_number && value > LARGEST_DIMENSION)) {
    throw Error(ExitCode::usage, fmt::format("size '{}' is out of range: a dimension is at most {}",
                                             whole, LARGEST_DIMENSION));
  }
  if (!is_number || value < 0) {
    throw Error(
        ExitCode::usage,
        fmt::format("size '{}' is not understood: write 4096, or MxNxK as in 128x160x7168", whole));
  }
  return value;
}

int64_t leading_dimension(const char* option, std::optional<int64_t> asked, int64_t dense,
                          const char* row) {
  if (!asked) return dense;
  if (*asked < dense || *asked > LARGEST_DIMENSION) {
    throw Error(ExitCode::usage,
                fmt::format("{} {} does not fit: a row of {} has {} elements, so it must be "
                            "from {} to {}",
                            option, *asked, row, dense, dense, LARGEST_DIMENSION));
  }
  return *asked;
}

float finite(const char* option, double value) {
  const bool vanishes = value != 0 && static_cast<float>(value) == 0.0f;
  if (vanishes || !(std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max()))) {
    throw Error(ExitCode::usage, fmt::format("{} must be a number that FP32 can hold", option));
  }
  return static_cast<float>(value);
}

// An option that CLI11 does not know, with the nearest one that it does.
Error unknown_option(const CLI::App& app, const std::string& word) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  const std::string name = word.substr(0, word.find('='));
  return Error(ExitCode::usage,
               fmt::format("unknown option '{}'{} (see --help)", name, did_you_mean(name, known)));
}

constexpr const char* EXAMPLES = R"(
Examples:
  sgemm_runner 2                    kernel 2, verified
  sgemm_runner 1-3 --size 512       kernels 1 to 3 at M = N = K = 512
  sgemm_runner naive coalesced --size 128x160x7168
  sgemm_runner all --json=run.json  a table on the terminal and JSON in a file
The script ./sgemm_runner also takes --build sim or --build cuda.

Exit codes: 0 all well, 1 a wrong result or a broken promise, 2 usage, 5 a measurement that
cannot be trusted (with --strict), 70 a CUDA or internal failure, 77 no suitable GPU,
130 interrupted, after printing what is done.)";

// The command line as CLI11 fills it in.
struct Words {
  std::vector<std::string> kernels;
  std::vector<std::string> sizes;
  std::optional<int64_t> lda, ldb, ldc;
  double alpha = 1.0;
  double beta = 0.0;
  uint64_t seed = 1;
  std::string json;
  bool csv = false, markdown = false;
  std::string color = "auto";
  bool quiet = false, verbose = false;
  std::string baseline;
  MeasureOptions measure;
  bool warm = false, strict = false;
  bool list_numbers = false, list_json = false;
};

const std::string TO_STDOUT = "-";

void add_options(CLI::App& app, Words& words) {
  app.set_version_flag("--version",
                       std::string("sgemm_runner ") + SGEMM_VERSION + " (" + machine::name + ")");
  app.add_option("KERNELS", words.kernels, "2, naive, 1-3, 1,2,6 or all (see 'sgemm_runner list')");
  app.add_option("--size", words.sizes,
                 fmt::format("N for M = N = K, or MxNxK; several with commas (default {})",
                             machine::default_size))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("N|MxNxK");
  app.add_option("--lda", words.lda, "floats from one row of A to the next (default K)");
  app.add_option("--ldb", words.ldb, "likewise of B (default N)");
  app.add_option("--ldc", words.ldc, "likewise of C (default N)");
  app.add_option("--alpha", words.alpha, "C = alpha * A * B + beta * C (default 1)");
  app.add_option("--beta", words.beta, "0, the default, does not read C");
  app.add_option("--seed", words.seed, "what the random matrices follow from (default 1)")
      ->check(CLI::NonNegativeNumber);

  // A flag with a value: '--json 2' must not take kernel 2 for a file name.
  app.add_flag("--json{-}", words.json,
               "JSON on stdout; --json=FILE writes it to a file beside the table");
  app.add_flag("--csv", words.csv, "comma-separated values on stdout");
  app.add_flag("--md", words.markdown, "a Markdown table on stdout");
  app.add_option("--color", words.color, "auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN");
  app.add_flag("-q,--quiet", words.quiet, "no table, only what is wrong, and the exit code");
  app.add_flag("-v,--verbose", words.verbose, "say how each result was judged");
  app.add_option("--baseline", words.baseline,
                 "the recorded run that '% cuBLAS' is taken from where there is no GPU");

  app.add_flag("--warm", words.warm, "time with a warm L2 (default)")
      ->group("Measuring (CUDA devices)");
  app.add_flag("--cold", words.measure.cold, "flush L2 before every launch")
      ->excludes("--warm")
      ->group("Measuring (CUDA devices)");
  app.add_option("--time", words.measure.seconds, "seconds for a kernel at most (default 2)")
      ->group("Measuring (CUDA devices)");
  app.add_option("--samples", words.measure.samples, "samples for a kernel at most (default 200)")
      ->check(CLI::Range(1, 1000000))
      ->group("Measuring (CUDA devices)");
  app.add_flag("--once", words.measure.once,
               "one launch without warm-up, for a profiler (ncu --profile-from-start off)")
      ->group("Measuring (CUDA devices)");
  app.add_flag("--strict", words.strict, "exit with 5 if a measurement cannot be trusted")
      ->group("Measuring (CUDA devices)");
}

// Of the options given, those that this machine has no use for.
std::vector<std::string> options_without_meaning(const CLI::App& app) {
  const std::vector<const char*> measuring{"--warm",    "--cold", "--time",
                                           "--samples", "--once", "--strict"};
  const std::vector<const char*> counting{"--baseline"};
  std::vector<std::string> given;
  for (const char* option : machine::measures_time ? counting : measuring) {
    if (app.count(option) > 0) given.emplace_back(option);
  }
  return given;
}

std::vector<Problem> problems_from(Words words) {
  if (words.sizes.empty()) words.sizes.push_back(std::to_string(machine::default_size));
  std::vector<Problem> problems;
  for (const std::string& size : words.sizes) {
    Problem p = parse_size(size);
    p.lda = leading_dimension("--lda", words.lda, p.lda, "A");
    p.ldb = leading_dimension("--ldb", words.ldb, p.ldb, "B");
    p.ldc = leading_dimension("--ldc", words.ldc, p.ldc, "C");
    p.alpha = finite("--alpha", words.alpha);
    p.beta = finite("--beta", words.beta);
    p.seed = words.seed;
    const auto same = [&](const Problem& other) { return other.size() == p.size(); };
    if (std::ranges::none_of(problems, same)) problems.push_back(p);
  }
  return problems;
}

RunRequest run_request(const CLI::App& app, const Words& words,
                       std::span<const std::string> subcommands) {
  if (words.kernels.empty()) {
    throw Error(ExitCode::usage,
                "name a kernel: a number, a name, 1-3 or all (see 'sgemm_runner list', or --help)");
  }
  if (words.quiet && words.verbose) throw Error(ExitCode::usage, "-q and -v exclude each other");
  const bool json_to_stdout = words.json == TO_STDOUT;
  if (json_to_stdout + words.csv + words.markdown > 1) {
    throw Error(ExitCode::usage,
                "only one of --json, --csv and --md can go to stdout; --json=FILE goes to a file");
  }
  if (!(words.measure.seconds > 0) || !std::isfinite(words.measure.seconds)) {
    throw Error(ExitCode::usage, "--time must be a number of seconds above 0");
  }

  RunRequest request;
  request.rungs = select(words.kernels, ladder::all(), subcommands);
  request.problems = problems_from(words);
  request.format = json_to_stdout   ? Format::json
                   : words.csv      ? Format::csv
                   : words.markdown ? Format::markdown
                                    : Format::table;
  if (!json_to_stdout) request.json_file = words.json;
  request.baseline_asked_for = app.count("--baseline") > 0;
  request.baseline_file = request.baseline_asked_for ? words.baseline : SGEMM_BASELINE;
  request.color = words.color == "always"  ? When::always
                  : words.color == "never" ? When::never
                                           : When::automatic;
  request.verbosity = words.quiet ? -1 : words.verbose ? 1 : 0;
  request.measure = words.measure;
  request.strict = words.strict;
  request.without_meaning = options_without_meaning(app);
  return request;
}

}  // namespace

Problem parse_size(const std::string& text) {
  std::vector<int64_t> sizes;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find_first_of("xX", start), text.size());
    sizes.push_back(parse_dimension(std::string_view(text).substr(start, end - start), text));
    start = end + 1;
  }
  if (sizes.size() == 1) return dense_problem(sizes[0], sizes[0], sizes[0]);
  if (sizes.size() == 3) return dense_problem(sizes[0], sizes[1], sizes[2]);
  throw Error(
      ExitCode::usage,
      fmt::format("size '{}' has {} dimensions: write one, or three as MxNxK", text, sizes.size()));
}

Request parse_command_line(int argc, const char* const* argv) {
  CLI::App app("Runs matrix-multiply kernels, checks their results and says how fast they are.",
               "sgemm_runner");
  // CLI11 takes it for '--json'; a script whose file name came out empty means something else.
  if (std::any_of(argv, argv + argc, [](std::string_view word) { return word == "--json="; })) {
    throw Error(ExitCode::usage, "--json= needs a file name; --json alone prints JSON to stdout");
  }
  Words words;
  add_options(app, words);
  app.footer(EXAMPLES);
  CLI::App* list = app.add_subcommand("list", "the kernels that there are");
  list->add_flag("--numbers", words.list_numbers, "only their numbers, one to a line");
  list->add_flag("--json", words.list_json, "as JSON, with their promises")->excludes("--numbers");
  const std::vector<std::string> subcommands{"list"};

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion&) {
    return ShowText{app.version() + "\n"};
  } catch (const CLI::Success&) {  // --help
    const CLI::App* of = list->parsed() ? list : &app;
    return ShowText{of->help()};
  } catch (const CLI::ExtrasError& error) {
    const CLI::App* of = list->parsed() ? list : &app;
    for (const std::string& word : app.remaining(true)) {
      if (word.starts_with("-")) throw unknown_option(*of, word);
    }
    throw Error(ExitCode::usage, error.what());
  } catch (const CLI::ParseError& error) {
    throw Error(ExitCode::usage, error.what());
  }

  if (list->parsed()) {
    if (!words.kernels.empty()) {
      throw Error(ExitCode::usage, "'list' takes no kernels: it lists them all");
    }
    return ListRequest{words.list_numbers ? ListRequest::Style::numbers
                       : words.list_json  ? ListRequest::Style::json
                                          : ListRequest::Style::table};
  }
  return run_request(app, words, subcommands);
}

}  // namespace runner
