#include "runner/cli/run_words.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ranges>
#include <string_view>
#include <utility>

#include "app/error.hpp"
#include "app/suggest.hpp"
#include "app/words.hpp"
#include "kernels/best/best.hpp"
#include "runner/choose/expectation.hpp"
#include "runner/choose/size.hpp"
#include "runner/machine/machine.hpp"

namespace runner {
namespace {

using results::Problem;

Error usage(const std::string& message) { return {ExitCode::usage, message}; }

// The names recognise a lab or a subcommand given by mistake in place of a kernel.
const std::vector<std::string> LAB_NAMES{
#define LAB(name) #name,
#include "labs/labs.def"
#undef LAB
};
const std::vector<std::string> OTHER_WORDS{
#define LAB(name) #name,
#include "labs/labs.def"
#undef LAB
#define SUBCOMMAND(name, program, packages, build, what) #name,
#include "runner/request/subcommands.def"
#undef SUBCOMMAND
};

// True for "copy_stride" and for its variants: "copy_stride/8".
bool is_lab(std::string_view word) {
  const std::string_view name = word.substr(0, word.find('/'));
  return std::ranges::any_of(
      LAB_NAMES, [name](const std::string& lab) { return equal_ignoring_case(name, lab); });
}

int64_t leading_dimension(const char* option, const std::optional<std::string>& asked,
                          int64_t dense, const char* row) {
  if (!asked) return dense;
  return parse_integer(option, *asked, dense, LARGEST_DIMENSION,
                       fmt::format("a row of {} has {} elements, so ", row, dense));
}

int64_t offset(const char* option, const std::optional<std::string>& asked) {
  return asked ? parse_integer(option, *asked, 0, results::LARGEST_OFFSET) : 0;
}

// Sets the number of products, and the strides from the words. Without words the products lie one behind the other.
void set_batch(const RunWords& words, Problem& p) {
  if (words.batch) p.batch = parse_integer("--batch", *words.batch, 1, LARGEST_DIMENSION);
  p.make_strides_dense();
  const auto set = [&](const char* option, const std::optional<std::string>& asked, int64_t span,
                       int64_t gap, bool may_be_shared, int64_t& stride) {
    if (!asked) return;
    if (!p.is_batch())
      throw usage(fmt::format(
          "{} is the distance between the matrices of a batch: say --batch 2 or more, too",
          option));
    const int64_t least = std::max<int64_t>(0, span - gap);  // the last row needs no gap behind it
    if (may_be_shared && *asked == "0") {
      stride = 0;
      return;
    }
    stride = parse_integer(
        option, *asked, least, LARGEST_DIMENSION,
        fmt::format("{}a matrix has {} elements with the gaps between its rows, so ",
                    may_be_shared ? "0 lets all products share it, and " : "", least));
  };
  set("--stride-a", words.stride_a, p.span_of_a(), p.lda - p.cols_of_a(), true, p.stride_a);
  set("--stride-b", words.stride_b, p.span_of_b(), p.ldb - p.cols_of_b(), true, p.stride_b);
  set("--stride-c", words.stride_c, p.span_of_c(), p.ldc - p.N, false, p.stride_c);
}

// Returns "uniform", "normal", ...
std::vector<std::string> names_of_data() {
  std::vector<std::string> names;
  for (const results::Data data : results::EVERY_DATA) names.emplace_back(name_of(data));
  return names;
}

// Returns the kinds of data that words like "normal", "uniform,special" and "all" mean, each once.
std::vector<results::Data> data_from(const std::vector<std::string>& lists) {
  std::vector<std::string> known = names_of_data();
  known.insert(known.begin(), "all");
  std::vector<results::Data> chosen;
  const auto add = [&](results::Data data) {
    if (std::ranges::find(chosen, data) == chosen.end()) chosen.push_back(data);
  };
  for (const std::string& list : lists) {
    for (const std::string& word : split(list, ',')) {
      if (word == "all") {
        std::ranges::for_each(results::EVERY_DATA, add);
      } else if (const auto data = results::data_named(word)) {
        add(*data);
      } else {
        const std::string hint = did_you_mean(word, known);
        throw usage(fmt::format("--data '{}' is not understood{} It is one of {}", printable(word),
                                hint.empty() ? "." : hint, fmt::join(known, ", ")));
      }
    }
  }
  if (chosen.empty()) chosen.push_back(results::Data::uniform);
  return chosen;
}

void refuse_errors_of_nothing(const std::vector<Problem>& problems) {
  const auto empty = std::ranges::find_if(problems, &Problem::is_empty);
  if (empty == problems.end()) return;
  throw usage(fmt::format(
      "--errors needs elements to compare, and C of --size {} has none: name a size with M and N "
      "above 0",
      empty->size()));
}

std::vector<Problem> problems_from(const RunWords& words) {
  std::vector<std::string> sizes;
  for (const std::string& list : words.sizes) {
    for (const std::string& size : split(list, ',')) sizes.push_back(size);
  }
  if (words.sizes.empty()) sizes.push_back(std::to_string(machine::DEFAULT_SIZE));
  const std::vector<results::Data> every_data = data_from(words.data);
  std::vector<Problem> problems;
  for (const std::string& size : sizes) {
    Problem p = parse_size(size);
    p.transposes_a = words.trans_a;
    p.transposes_b = words.trans_b;
    p.make_dense();
    p.lda = leading_dimension("--lda", words.lda, p.lda, "A");
    p.ldb = leading_dimension("--ldb", words.ldb, p.ldb, "B");
    p.ldc = leading_dimension("--ldc", words.ldc, p.ldc, "C");
    set_batch(words, p);
    p.offset_a = offset("--offset-a", words.offset_a);
    p.offset_b = offset("--offset-b", words.offset_b);
    p.offset_c = offset("--offset-c", words.offset_c);
    if (words.alpha) p.alpha = parse_float("--alpha", *words.alpha);
    if (words.beta) p.beta = parse_float("--beta", *words.beta);
    p.seed = words.seed ? parse_natural("--seed", *words.seed) : 1;
    for (const results::Data data : every_data) {
      p.data = data;
      if (std::ranges::find(problems, p) == problems.end()) problems.push_back(p);
    }
  }
  return problems;
}

}  // namespace

void add_run_options(CLI::App& app, RunWords& words) {
  app.add_option("KERNELS", words.kernels, "2, naive, 1-3, 1,2,6 or all (see 'sgemm_runner list')");
  app.add_option("--kernel", words.kernel_files,
                 "your own kernel: a .cu file that defines one rung. It is compiled, checked "
                 "against the whole contract and run beside the others. May be repeated")
      ->allow_extra_args(false)
      ->type_name("FILE");
  app.add_option("--size", words.sizes,
                 fmt::format("N for M = N = K, or MxNxK; several with commas (default {})",
                             machine::DEFAULT_SIZE))
      ->allow_extra_args(false)
      ->type_name("N|MxNxK");
  app.add_flag("--trans-a", words.trans_a,
               "A is transposed: it lies in memory as K rows of M elements");
  app.add_flag("--trans-b", words.trans_b,
               "B is transposed: it lies in memory as N rows of K elements");
  app.add_option("--lda", words.lda,
                 "floats from one row of A to the next (default K, of a transposed A M)")
      ->type_name("N");
  app.add_option("--ldb", words.ldb, "likewise of B (default N)")->type_name("N");
  app.add_option("--ldc", words.ldc, "likewise of C (default N)")->type_name("N");
  app.add_option("--batch", words.batch, "compute so many products of this size (default 1)")
      ->type_name("N");
  app.add_option("--stride-a", words.stride_a,
                 "elements from one product's A to the next one's; 0: all share it (default: one "
                 "behind the other)")
      ->type_name("N");
  app.add_option("--stride-b", words.stride_b, "likewise of B")->type_name("N");
  app.add_option("--stride-c", words.stride_c, "likewise of C, but not 0")->type_name("N");
  app.add_option("--offset-a", words.offset_a,
                 "floats from a 256-byte boundary to the first element of A (default 0)")
      ->type_name("N");
  app.add_option("--offset-b", words.offset_b, "likewise of B (default 0)")->type_name("N");
  app.add_option("--offset-c", words.offset_c, "likewise of C (default 0)")->type_name("N");
  app.add_option("--alpha", words.alpha, "C = alpha * A * B + beta * C (default 1)")
      ->type_name("X");
  app.add_option("--beta", words.beta, "0, the default, does not read C")->type_name("X");
  app.add_option("--seed", words.seed, "seed of the random matrices (default 1)")->type_name("N");
  app.add_option("--data", words.data,
                 fmt::format("fill A and B with other numbers: {} or all; several with commas "
                             "(default uniform)",
                             fmt::join(names_of_data() | std::views::drop(1), ", ")))
      ->allow_extra_args(false)
      ->type_name("NAME");
  app.add_option("--device", words.device,
                 "with 'best': say what it would choose on this GPU (h200), and run nothing")
      ->type_name("GPU");
  app.add_flag("--errors", words.errors,
               "tell each result's error against FP64, beside the reference's on the same data");
  add_output_options(app, words.output);

  app.add_flag("--warm", words.warm, "time with a warm L2 (default)")->group(MEASURING);
  app.add_flag("--cold", words.cold, "flush L2 before every launch")->group(MEASURING);
  app.add_flag("--no-graph", words.no_graph,
               "launch each kernel alone, and count the host's time too, in place of CUDA graphs")
      ->group(MEASURING);
  app.add_flag("--energy", words.energy, "also measure the energy of a launch")->group(MEASURING);
  add_measuring_options(app, words.measuring, "kernel");
  add_simulator_options(app, words.simulator, false);
}

std::string expectations_from(const RunWords& words, int width) {
  const std::vector<Selected> selected = select(words.kernels, ladder::all(), OTHER_WORDS);
  if (selected.size() != 1 || selected.front().rung != &ladder::best || !words.kernel_files.empty())
    throw usage(
        fmt::format("--device tells what 'best' would choose: say 'sgemm_runner best "
                    "--device {}', with --size",
                    printable(words.device)));
  const OutputWords& output = words.output;
  if (!output.json.empty() || output.html || output.csv || output.markdown)
    throw usage("--device prints a few lines of text, and takes no --json, --csv, --md or --html");
  return expectations(problems_from(words), words.device, width);
}

RunRequest run_request(const CLI::App& app, const RunWords& words) {
  if (words.kernels.empty() && words.kernel_files.empty()) {
    throw usage("name a kernel: a number, a name, 1-3 or all (see 'sgemm_runner list', or --help)");
  }
  if (words.warm && words.cold) throw usage("--warm and --cold exclude each other");
  for (const std::string& list : words.kernels) {
    for (const std::string& word : split(list, ',')) {
      if (is_lab(word))
        throw usage(fmt::format("'{0}' is a lab: say 'sgemm_runner lab {0}'", word));
    }
  }
  RunRequest request;
  request.rungs = select(words.kernels, ladder::all(), OTHER_WORDS);
  request.kernel_files = words.kernel_files;
  request.problems = problems_from(words);
  request.errors = words.errors;
  if (words.errors) refuse_errors_of_nothing(request.problems);
  request.presentation = presentation_from(app, words.output, &request.json_file);
  request.measure.cold = words.cold;
  if (words.energy && words.cold)
    throw usage("--energy and --cold exclude each other: flushing L2 takes energy too");
  if (words.energy && words.measuring.once)
    throw usage("--energy and --once exclude each other: one launch is too short for the counter");
  request.measure.energy = words.energy;
  const char* alone = words.cold ? "--cold" : words.measuring.once ? "--once" : nullptr;
  if (words.no_graph && alone != nullptr)
    throw usage(fmt::format(
        "--no-graph and {0} exclude each other: {0} times each launch alone, without a graph",
        alone));
  request.measure.no_graph = words.no_graph;
  set_measuring(words.measuring, request);
  set_simulator_options(words.simulator, machine::KIND, request);
  // A user's file is new, so always look for its hazards.
  request.look_for_hazards = words.simulator.hazards || !words.kernel_files.empty();
  request.without_meaning = options_without_meaning(app);
  return request;
}

}  // namespace runner
