#include "runner/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>
#include <string_view>
#include <utility>

#include "labs/lab.hpp"
#include "runner/command_line_options.hpp"
#include "runner/command_line_subcommand.hpp"
#include "runner/error.hpp"
#include "runner/help.hpp"
#include "runner/machine.hpp"
#include "runner/select_labs.hpp"
#include "runner/suggest.hpp"
#include "runner/words.hpp"

namespace runner {
namespace {

using results::Problem;

constexpr int64_t LARGEST_DIMENSION = (int64_t{1} << 40) - 1;
constexpr int HELP_WIDTH = 80;  // where the terminal's is not known

Error usage(const std::string& message) { return {ExitCode::usage, message}; }

int64_t parse_dimension(std::string_view text, const std::string& whole) {
  int64_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = !text.empty() && end == text.data() + text.size();
  if (error == std::errc::result_out_of_range || (is_number && value > LARGEST_DIMENSION)) {
    throw usage(fmt::format("size '{}' is out of range: a dimension is at most {}", whole,
                            LARGEST_DIMENSION));
  }
  if (!is_number || value < 0) {
    throw usage(
        fmt::format("size '{}' is not understood: write 4096, or MxNxK as in 128x160x7168", whole));
  }
  return value;
}

int64_t leading_dimension(const char* option, const std::optional<std::string>& asked,
                          int64_t dense, const char* row) {
  if (!asked) return dense;
  return parse_integer(option, *asked, dense, LARGEST_DIMENSION,
                       fmt::format("a row of {} has {} elements, so ", row, dense));
}

// An option without its value, or with two.
Error mismatched_option(const CLI::App& app, const CLI::ArgumentMismatch& error) {
  const std::string message = error.what();
  const std::string name = message.substr(0, message.find(':'));
  const CLI::Option* option = app.get_option_no_throw(name);
  if (option == nullptr) return usage(message);
  if (option->count() > 1) {
    return usage(fmt::format("{} stands there {} times; say it once", name, option->count()));
  }
  return usage(fmt::format("{} needs a value: {} {}", name, name, option->get_type_name()));
}

// An option that CLI11 does not know, with the nearest one that it does.
Error unknown_option(const CLI::App& app, const std::string& word) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  const std::string name = word.substr(0, word.find('='));
  return usage(fmt::format("unknown option '{}'{} (see --help)", name, did_you_mean(name, known)));
}

// One line for each paragraph: --help breaks them to fit.
constexpr const char* EXAMPLES =
    R"(
Examples:
  sgemm_runner 2                    kernel 2, verified
  sgemm_runner 1-3 --size 512       kernels 1 to 3 at M = N = K = 512
  sgemm_runner naive coalesced --size 128x160x7168
  sgemm_runner all --json=run.json  a table on the terminal and JSON in a file
  sgemm_runner table run.json       the table of that file, anywhere
  sgemm_runner 2 --kernel mine.cu   your own kernel, beside kernel 2
  sgemm_runner lab copy_stride      a lesson about memory, its variants side by side
  sgemm_runner show 1 2             their sources with the counters that differ
  sgemm_runner show 1 --picture     the bytes that a warp asks for
The script ./sgemm_runner also takes --build sim or --build cuda.

)"
    "Exit codes: 0 all well, 1 a wrong result or a broken promise, 2 usage, 5 a measurement that "
    "cannot be trusted (with --strict), 70 a CUDA or internal failure, 77 no suitable GPU, 130 "
    "interrupted, after printing what is done.\n";

// The command line as CLI11 fills it in. Values stay texts until they are understood here, in one way.
struct Words {
  std::vector<std::string> kernels, kernel_files;
  std::vector<std::string> sizes;
  std::optional<std::string> lda, ldb, ldc, alpha, beta, seed;
  OutputWords output;
  MeasuringWords measuring;
  bool warm = false, cold = false;
  bool version = false;
};

void add_options(CLI::App& app, Words& words) {
  app.add_flag("--version", words.version, "print the version");
  app.add_option("KERNELS", words.kernels, "2, naive, 1-3, 1,2,6 or all (see 'sgemm_runner list')");
  app.add_option("--kernel", words.kernel_files,
                 "your own kernel: a .cu file that defines one rung, compiled, put through the "
                 "whole contract and "
                 "run beside the others; several times for several")
      ->allow_extra_args(false)
      ->type_name("FILE");
  app.add_option("--size", words.sizes,
                 fmt::format("N for M = N = K, or MxNxK; several with commas (default {})",
                             machine::DEFAULT_SIZE))
      ->allow_extra_args(false)
      ->type_name("N|MxNxK");
  app.add_option("--lda", words.lda, "floats from one row of A to the next (default K)")
      ->type_name("N");
  app.add_option("--ldb", words.ldb, "likewise of B (default N)")->type_name("N");
  app.add_option("--ldc", words.ldc, "likewise of C (default N)")->type_name("N");
  app.add_option("--alpha", words.alpha, "C = alpha * A * B + beta * C (default 1)")
      ->type_name("X");
  app.add_option("--beta", words.beta, "0, the default, does not read C")->type_name("X");
  app.add_option("--seed", words.seed, "what the random matrices follow from (default 1)")
      ->type_name("N");
  add_output_options(app, words.output);

  app.add_flag("--warm", words.warm, "time with a warm L2 (default)")->group(MEASURING);
  app.add_flag("--cold", words.cold, "flush L2 before every launch")->group(MEASURING);
  add_measuring_options(app, words.measuring, "kernel");
}

struct KnownSubcommand {
  const char* name;
  const char* what;
  std::unique_ptr<Subcommand> (*make)();
};

constexpr KnownSubcommand SUBCOMMANDS[] = {
#define SUBCOMMAND(name, program, packages, build, what) {#name, what, name##_subcommand},
#include "runner/subcommands.def"
#undef SUBCOMMAND
};

std::vector<Problem> problems_from(const Words& words) {
  std::vector<std::string> sizes;
  for (const std::string& list : words.sizes) {
    for (const std::string& size : split(list, ',')) sizes.push_back(size);
  }
  if (words.sizes.empty()) sizes.push_back(std::to_string(machine::DEFAULT_SIZE));
  std::vector<Problem> problems;
  for (const std::string& size : sizes) {
    Problem p = parse_size(size);
    p.lda = leading_dimension("--lda", words.lda, p.lda, "A");
    p.ldb = leading_dimension("--ldb", words.ldb, p.ldb, "B");
    p.ldc = leading_dimension("--ldc", words.ldc, p.ldc, "C");
    if (words.alpha) p.alpha = parse_float("--alpha", *words.alpha);
    if (words.beta) p.beta = parse_float("--beta", *words.beta);
    p.seed = words.seed ? parse_natural("--seed", *words.seed) : 1;
    if (std::ranges::find(problems, p) == problems.end()) problems.push_back(p);
  }
  return problems;
}

RunRequest run_request(const CLI::App& app, const Words& words) {
  if (words.kernels.empty() && words.kernel_files.empty()) {
    throw usage("name a kernel: a number, a name, 1-3 or all (see 'sgemm_runner list', or --help)");
  }
  if (words.warm && words.cold) throw usage("--warm and --cold exclude each other");
  for (const std::string& list : words.kernels) {
    for (const std::string& word : split(list, ',')) {
      if (find_lab(word, lab::all()) != nullptr)
        throw usage(fmt::format("'{0}' is a lab: say 'sgemm_runner lab {0}'", word));
    }
  }
  std::vector<std::string> other_words = lab_names(lab::all());
  for (const KnownSubcommand& subcommand : SUBCOMMANDS) other_words.emplace_back(subcommand.name);

  RunRequest request;
  request.rungs = select(words.kernels, ladder::all(), other_words);
  request.kernel_files = words.kernel_files;
  request.problems = problems_from(words);
  request.presentation = presentation_from(app, words.output, &request.json_file);
  request.measure.cold = words.cold;
  set_measuring(words.measuring, request);
  request.without_meaning = options_without_meaning(app);
  return request;
}

// CLI11 takes '--json=' for '--json'; a script whose file name came out empty means something else. And it would
// take a kernel beside a subcommand for one of the program's own.
void refuse_before_parsing(const std::vector<std::string>& line) {
  if (std::ranges::find(line, "--json=") != line.end()) {
    throw usage("--json= needs a file name; --json alone prints JSON to stdout");
  }
  const auto is_json = [](const std::string& word) {
    return word == "--json" || word.starts_with("--json=");
  };
  if (std::ranges::count_if(line, is_json) > 1) {
    throw usage("--json stands there twice: it goes to stdout, or with --json=FILE into one file");
  }
  const auto is_option = [](const std::string& word) { return word.starts_with('-'); };
  if (line.size() > 2 && line[1] == "list" && !is_option(line[2])) {
    throw usage(
        fmt::format("'list' takes no kernels: it lists them all; to run one, say "
                    "'sgemm_runner {}'",
                    line[2]));
  }
}

}  // namespace

Problem parse_size(const std::string& text) {
  std::vector<int64_t> sizes;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find_first_of("xX", start), text.size());
    sizes.push_back(parse_dimension(std::string_view(text).substr(start, end - start), text));
    start = end + 1;
  }
  if (sizes.size() == 1) return results::dense_problem(sizes[0], sizes[0], sizes[0]);
  if (sizes.size() == 3) return results::dense_problem(sizes[0], sizes[1], sizes[2]);
  throw usage(
      fmt::format("size '{}' has {} dimensions: write one, or three as MxNxK", text, sizes.size()));
}

Request parse_command_line(int argc, const char* const* argv) {
  const std::vector<std::string> line(argv, argv + argc);
  refuse_before_parsing(line);

  CLI::App app("Runs matrix-multiply kernels, checks their results and says how fast they are.",
               "sgemm_runner");
  app.set_help_flag("-h,--help", "print this text");
  Words words;
  add_options(app, words);
  app.require_subcommand(0, 1);  // a second one is a file's name, or a mistake
  std::vector<std::pair<const CLI::App*, std::unique_ptr<Subcommand>>> subcommands;
  for (const KnownSubcommand& known : SUBCOMMANDS) {
    CLI::App* added = app.add_subcommand(known.name, known.what);
    subcommands.emplace_back(added, known.make()).second->add_options(*added);
  }
  app.footer(EXAMPLES);  // behind add_subcommand(), which would take it over

  const CLI::App* of = &app;
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success&) {  // --help
    for (const CLI::App* subcommand : app.get_subcommands()) of = subcommand;
    const int width = stdout_page(When::never).width;
    return ShowText{help_text(*of, width > 0 ? width : HELP_WIDTH)};
  } catch (const CLI::ExtrasError& error) {
    for (const CLI::App* subcommand : app.get_subcommands()) of = subcommand;
    for (const std::string& word : app.remaining(true)) {
      if (word.starts_with("-")) throw unknown_option(*of, word);
    }
    throw usage(of == &app
                    ? error.what()
                    : fmt::format("'{}' does not take '{}' (see 'sgemm_runner {} --help')",
                                  of->get_name(), app.remaining(true).front(), of->get_name()));
  } catch (const CLI::ArgumentMismatch& error) {
    for (const CLI::App* subcommand : app.get_subcommands()) of = subcommand;
    throw mismatched_option(*of, error);
  } catch (const CLI::ParseError& error) {
    throw usage(error.what());
  }
  if (words.version) {
    return ShowText{fmt::format("sgemm_runner {} ({})\n", SGEMM_VERSION, machine::NAME)};
  }
  if (!app.get_subcommands().empty() && !words.kernels.empty()) {
    throw usage(fmt::format("'{}' takes no kernels", app.get_subcommands().front()->get_name()));
  }
  for (const auto& [of_subcommand, subcommand] : subcommands) {
    if (of_subcommand->parsed()) return subcommand->request(*of_subcommand, line);
  }
  RunRequest request = run_request(app, words);
  request.command_line = line;
  return request;
}

}  // namespace runner
