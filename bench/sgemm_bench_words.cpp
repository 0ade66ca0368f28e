#include "bench/sgemm_bench_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "app/error.hpp"
#include "app/suggest.hpp"
#include "app/words.hpp"
#include "runner/choose/size.hpp"
#include "runner/cli/options.hpp"
#include "runner/machine/machine.hpp"

namespace bench {
namespace {

using results::Problem;
using runner::Error;
using runner::ExitCode;

// On a device: from a problem that fits L2 to one that fills every multiprocessor. Simulated: a problem of seconds, and a skinny one.
const char* const DEFAULT_SIZES =
    runner::machine::MEASURES_TIME ? "256,1024,2048,4096,8192" : "256,64x64x2048";

// Google Benchmark's own options, for "did you mean": the library does not list them.
constexpr const char* GOOGLES[] = {
    "benchmark_list_tests",
    "benchmark_filter",
    "benchmark_min_time",
    "benchmark_min_warmup_time",
    "benchmark_repetitions",
    "benchmark_enable_random_interleaving",
    "benchmark_report_aggregates_only",
    "benchmark_display_aggregates_only",
    "benchmark_format",
    "benchmark_out",
    "benchmark_out_format",
    "benchmark_color",
    "benchmark_counters_tabular",
    "benchmark_perf_counters",
    "benchmark_context",
    "benchmark_time_unit",
};

Error usage(const std::string& message) { return {ExitCode::usage, message}; }

// Returns the value of "--name=value", "" for "--name" alone, and nullopt for any other word.
std::optional<std::string> value_of(const std::string& word, const std::string& name) {
  const std::string option = "--" + name;
  if (word == option) return "";
  if (word.starts_with(option + "=")) return word.substr(option.size() + 1);
  return std::nullopt;
}

// Returns the value that Google Benchmark takes for a flag: the last word that gives it, or else the value in the environment.
std::optional<std::string> googles(const std::vector<std::string>& line, const std::string& name) {
  std::optional<std::string> value;
  for (const std::string& word : line) {
    if (auto given = value_of(word, name)) value = std::move(given);
  }
  if (value) return value;
  std::string variable = name;
  std::ranges::transform(variable, variable.begin(),
                         [](unsigned char c) { return std::toupper(c); });
  const char* set = std::getenv(variable.c_str());
  return set == nullptr ? std::nullopt : std::optional<std::string>(set);
}

// True if Google Benchmark takes this value of a flag, which may be empty, for yes.
bool is_true(const std::string& value) {
  for (const char* no : {"0", "f", "n", "false", "no", "off"}) {
    if (runner::equal_ignoring_case(value, no)) return false;
  }
  return true;
}

std::vector<Problem> problems_from(const std::string& sizes) {
  std::vector<Problem> problems;
  for (const std::string& size : runner::split(sizes, ',')) {
    Problem problem = runner::parse_size(size);
    if (problem.flops() == 0) {
      throw usage(fmt::format("--sizes: '{}' is an empty product: a dimension is 0", size));
    }
    problem.seed = 1;
    if (std::ranges::find(problems, problem) == problems.end()) problems.push_back(problem);
  }
  return problems;
}

}  // namespace

Words understood(std::vector<std::string> line) {
  if (const auto own = std::ranges::find(line, "bench"); own != line.end()) line.erase(own);
  Words words;
  words.for_google.push_back(line.front());
  std::optional<std::string> sizes;
  for (size_t i = 1; i < line.size(); ++i) {
    const std::string& word = line[i];
    if (word == "--help" || word == "-h") {
      words.help = true;
    } else if (auto value = value_of(word, "sizes")) {
      if (value->empty() && word == "--sizes" && i + 1 < line.size()) value = line[++i];
      if (value->empty()) throw usage("--sizes needs a value: --sizes=256,128x160x7168");
      if (sizes) throw usage("--sizes stands there twice: say it once, with commas");
      sizes = *value;
    } else {
      words.for_google.push_back(word);
    }
  }
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0' && !googles(words.for_google, "benchmark_color")) {
    words.for_google.emplace_back("--benchmark_color=false");
  }
  words.problems = problems_from(sizes.value_or(DEFAULT_SIZES));
  words.list = is_true(googles(words.for_google, "benchmark_list_tests").value_or("no"));
  words.format = googles(words.for_google, "benchmark_format").value_or("console");
  words.out_file = googles(words.for_google, "benchmark_out").value_or("");
  words.out_format = googles(words.for_google, "benchmark_out_format").value_or("json");
  return words;
}

void refuse_unknown(const std::vector<std::string>& left) {
  if (left.empty()) return;
  const std::string word = left.front();
  if (!word.starts_with('-')) {
    throw usage(fmt::format(
        "'{}' is no option: --benchmark_filter=REGEX chooses the kernels, --sizes their "
        "problems (see --help)",
        runner::printable(word)));
  }
  std::vector<std::string> known{"--sizes", "--help"};
  for (const char* name : GOOGLES) known.push_back(fmt::format("--{}", name));
  const std::string name = word.substr(0, word.find('='));
  if (std::ranges::find(known, name) != known.end()) {
    throw usage(
        fmt::format("the value of '{}' is not understood (see --help)", runner::printable(word)));
  }
  throw usage(fmt::format("unknown option '{}'{} (see --help)", runner::printable(name),
                          runner::did_you_mean(name, known)));
}

std::string help() {
  return fmt::format(
      R"(Usage: sgemm_runner bench [options]      or the program itself: sgemm_bench [options]

Every kernel of the ladder at every size, as benchmarks of Google Benchmark. Each is
verified as 'sgemm_runner' does it, and its time is that measurement's median: kernel and
cuBLAS take turns, after a warm-up. One repetition is one such measurement.{}

Options:
  --sizes=LIST   N for M = N = K, or MxNxK; several with commas
                 (default {})
  --help         this

Google Benchmark's own options:
)",
      runner::machine::MEASURES_TIME
          ? ""
          : "\nOn the simulated GPU the time is that of the simulation, and says "
            "nothing of a GPU;\nthe counters are exact.",
      DEFAULT_SIZES);
}

}  // namespace bench
