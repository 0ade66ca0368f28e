#include "bench/sgemm_benchmarks.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <regex>

#include "app/interrupt.hpp"
#include "app/output.hpp"
#include "bench/row_reporter.hpp"
#include "bench/sgemm_bench_words.hpp"
#include "results/tables/table.hpp"
#include "results/values/metrics.hpp"
#include "runner/choose/workload.hpp"
#include "runner/machine/capacity.hpp"
#include "runner/machine/machine.hpp"
#include "runner/machine/sampling.hpp"
#include "runner/run/run_lifecycle.hpp"
#include "runner/trial/measure.hpp"
#include "runner/trial/progress_line.hpp"
#include "runner/trial/provenance.hpp"
#include "text/terminal.hpp"

namespace bench {
namespace {

namespace machine = runner::machine;
using results::Problem;
using results::Result;
using runner::Error;
using runner::ExitCode;

struct Benchmark {
  const ladder::Rung* rung;
  Problem problem;
  std::string name;
};

// The figures beside the time. Each is a metric of the list; figures of memory traffic are of the whole launch.
constexpr struct {
  const char* counter;
  const char* metric;
} COUNTERS[] = {
    {"percent_of_cublas", "percent_of_cublas"},
    {"gflops", "gflops"},
    {"spread", "spread"},
    {"clock_mhz", "clock_mhz"},
    {"sectors_per_request", "load_sectors_per_request"},
    {"bytes_used_over_fetched", "bytes_used_over_fetched"},
    {"flops_per_global_byte", "flops_per_global_byte"},
};

// The state that the benchmarks of one process share: the current matrices, the findings, and whether to go on.
class Session {
 public:
  explicit Session(machine::Device device) : device_(std::move(device)) {}

  // Runs one repetition of a benchmark: verifies, watches, times and judges it as the runner does.
  void measure(benchmark::State& state, const Benchmark& of);

  const results::Run& run() const { return run_; }
  // Returns the error that ended the session early.
  const std::optional<Error>& failure() const { return failure_; }

 private:
  void check_reference(const Problem& problem);

  machine::Device device_;
  results::Run run_;
  std::optional<Error> failure_;
  runner::Matrices matrices_;
};

// Returns seconds. On the simulated GPU: the time of the simulation, or `host_seconds` for a kernel of the host.
double time_of(const Result& result, double host_seconds) {
  if (machine::MEASURES_TIME) return 1e-3 * results::value(result, "median_ms").value_or(0);
  return result.seen.traffic ? result.seen.traffic->simulation_seconds : host_seconds;
}

std::string label_of(const Result& result) {
  if (!result.judged.trusted()) {
    return fmt::format("not to be trusted: {}", fmt::join(result.judged.doubts, "; "));
  }
  if (machine::MEASURES_TIME) return result.path;
  return result.seen.traffic ? "time of the simulation" : "computed on the host, not simulated";
}

// Runs the reference and throws if it is wrong. The first call of cuBLAS on a problem would make the first ratio too
// large (39.8 for 37.6 % at 1024, one H200, 2026-11-22). The runner need not do this: its first row is cuBLAS.
void Session::check_reference(const Problem& problem) {
  const runner::Workload reference = runner::product(*ladder::all().front(), problem);
  Result result = reference.result();
  reference.lay_out(matrices_)->check(result);
  if (result.judged.correct) return;
  throw Error(ExitCode::wrong,
              fmt::format("{} is wrong: there is nothing to hold the others against",
                          results::full_name(result)));
}

void Session::measure(benchmark::State& state, const Benchmark& of) {
  if (const std::string lack = runner::lack_of(device_, *of.rung); !lack.empty()) {
    return skip(state, lack);
  }
  if (failure_ || runner::interrupted()) return skip(state, NOT_RUN);
  Result result;
  const double start = runner::steady_seconds();
  try {
    runner::ProgressLine progress(true);
    progress.say(of.name);
    if (machine::MEASURES_TIME && matrices_.are_new(of.problem, of.rung->arithmetic))
      check_reference(of.problem);
    result = runner::measure(runner::product(*of.rung, of.problem), matrices_, {});
    runner::add_result(result, run_);
  } catch (const std::exception&) {
    failure_ = runner::caught_error();
  }
  const double seconds = time_of(result, runner::steady_seconds() - start);
  const bool was_cut_short = !result.judged.error.empty() && runner::interrupted();
  const bool has_no_time = result.judged.correct && seconds <= 0;
  if (result.who.name.empty() || was_cut_short || has_no_time) return skip(state, NOT_RUN);
  if (!result.is_right()) return state.SkipWithError(results::complaint(result).c_str());

  // The library's idiom. NOLINTNEXTLINE(clang-analyzer-deadcode.DeadStores)
  for (auto _ : state) state.SetIterationTime(seconds);
  for (const auto& [counter, metric] : COUNTERS) {
    if (const auto figure = results::value(result, metric)) state.counters[counter] = *figure;
  }
  state.SetLabel(label_of(result));
}

// The value of --benchmark_filter. It takes a name if the expression occurs in it; after a leading '-', if it does not.
// (The library's own filter would look at the names with "/iterations:1/manual_time".)
class Filter {
 public:
  explicit Filter(const std::string& text) : is_negative_(text.starts_with('-')) {
    if (text.empty() || text == "all") return;
    try {
      expression_ = std::regex(text.substr(is_negative_ ? 1 : 0), std::regex::extended);
    } catch (const std::regex_error& error) {
      throw Error(
          ExitCode::usage,
          fmt::format("--benchmark_filter '{}' is no regular expression: {}", text, error.what()));
    }
  }
  bool takes(const std::string& name) const {
    return !expression_ || std::regex_search(name, *expression_) != is_negative_;
  }

 private:
  bool is_negative_;
  std::optional<std::regex> expression_;
};

std::vector<Benchmark> chosen(std::span<const ladder::Rung* const> rungs,
                              const std::vector<Problem>& problems,
                              const std::string& filter_text) {
  const Filter filter(filter_text);
  std::vector<Benchmark> benchmarks;
  for (const Problem& problem : problems) {  // so that the rungs of a problem share its matrices
    for (const ladder::Rung* rung : rungs) {
      const std::string name = results::full_name(runner::product(*rung, problem).result());
      if (filter.takes(name)) benchmarks.push_back({rung, problem, name});
    }
  }
  if (benchmarks.empty()) {
    throw Error(ExitCode::usage,
                fmt::format("no benchmark is called like '{}'; --benchmark_list_tests lists them",
                            filter_text));
  }
  return benchmarks;
}

// Ends the program with `usage`. The library calls it for a value that it does not know; its own function exits with 0.
void refuse_value() {
  runner::warn(
      "a --benchmark_... option has a value that Google Benchmark does not know (see --help)");
  std::exit(static_cast<int>(ExitCode::usage));
}

// Hands `words` to Google Benchmark, which takes its own options. `words` must outlive it. Refuses the rest.
void initialize(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  int count = static_cast<int>(words.size());
  benchmark::SetDefaultTimeUnit(machine::MEASURES_TIME ? benchmark::kMicrosecond
                                                       : benchmark::kMillisecond);
  benchmark::Initialize(&count, pointers.data(), refuse_value);
  refuse_unknown({pointers.begin() + 1, pointers.begin() + count});
}

// Returns one result of each benchmark: the first wrong one, if there is one, so that each error is told once.
results::Run each_once(const results::Run& run) {
  results::Run once;
  for (const Result& result : run.results) {
    const auto known =
        std::ranges::find(once.results, results::full_name(result), results::full_name);
    if (known == once.results.end()) {
      once.results.push_back(result);
    } else if (known->is_right()) {
      *known = result;
    }
  }
  return once;
}

// Adds to the report where the figures come from, under the keys of the runner's JSON.
void add_context() {
  const results::Provenance from = runner::provenance({}, true);
  const auto add = [](const char* key, const std::optional<std::string>& value) {
    if (value) benchmark::AddCustomContext(key, *value);
  };
  add("program", from.program);
  add("machine", machine::NAME);
  add("device", from.device);
  add("device_detail", from.device_detail);
  add("driver", from.driver);
  add("cuda", from.cuda);
  add("cublas", from.cublas);
  add("commit", from.commit);
  if (from.uncommitted_changes)
    add("uncommitted_changes", *from.uncommitted_changes ? "true" : "false");
  add("time", machine::MEASURES_TIME ? "median time of one launch, kernel and cuBLAS taking turns"
                                     : "wall time of the simulation; says nothing of a GPU");
}

}  // namespace

ExitCode run(const std::vector<std::string>& line, std::span<const ladder::Rung* const> rungs) {
  Words words = understood(line);
  if (words.help) {
    runner::write_stdout(help());
    benchmark::PrintDefaultHelp();
    return ExitCode::ok;
  }
  // We write the file, whole or not at all. The library refuses a file reporter without --benchmark_out.
  std::unique_ptr<runner::OutputFile> file;
  if (!words.out_file.empty()) words.for_google.emplace_back("--benchmark_out=/dev/null");
  initialize(words.for_google);
  const std::vector<Benchmark> benchmarks =
      chosen(rungs, words.problems, benchmark::GetBenchmarkFilter());
  if (words.list) {
    for (const Benchmark& one : benchmarks) runner::write_stdout(one.name + "\n");
    return ExitCode::ok;
  }
  runner::catch_signals(runner::machine::interrupt);
  if (!words.out_file.empty()) file = std::make_unique<runner::OutputFile>(words.out_file);

  const machine::Device device = machine::open();
  for (const Benchmark& one : benchmarks) {
    runner::refuse_what_cannot_fit(fmt::format("--sizes {}", one.problem.size()),
                                   runner::bytes_needed(one.problem), device);
  }
  Session session(device);
  for (const Benchmark& one : benchmarks) {
    benchmark::RegisterBenchmark(one.name.c_str(),
                                 [&](benchmark::State& state) { session.measure(state, one); })
        ->Iterations(1)
        ->UseManualTime();
  }
  add_context();
  std::string text;  // the file's
  const auto display =
      display_reporter(words.format, [](const std::string& s) { runner::write_stdout(s); });
  const auto to_file = file_reporter(words.out_format, [&](const std::string& s) { text += s; });
  benchmark::RunSpecifiedBenchmarks(display.get(), file ? to_file.get() : nullptr, "all");
  benchmark::Shutdown();
  if (file && !session.run().results.empty()) file->commit(text);

  runner::write_stderr(
      results::complaints(each_once(session.run()), text::page_of_stream(STDERR_FILENO)));
  if (runner::interrupted()) {
    runner::warn("interrupted; the rest was not run");
  } else if (session.failure()) {
    runner::warn(fmt::format("{}; the run ends here", session.failure()->what()));
  }
  return runner::verdict_on(session.run(), session.failure(), false);
}

}  // namespace bench
