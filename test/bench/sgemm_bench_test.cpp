// The ladder under Google Benchmark: the program as a user calls it, and its treatment of wrong kernels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/sgemm_benchmarks.hpp"
#include "kernels/ladder.hpp"
#include "runner/choose/select.hpp"
#include "runner/machine/machine.hpp"
#include "test/kernels/faulty_kernels.hpp"
#include "test/support/files.hpp"
#include "test/support/process.hpp"

namespace {

using nlohmann::json;
using runner::ExitCode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

Ended run(const char* program, std::vector<std::string> words,
          std::vector<std::string> environment = {}) {
  words.insert(words.begin(), program);
  return run_program({.words = std::move(words), .environment = std::move(environment)});
}
Ended run_bench(std::vector<std::string> words, std::vector<std::string> environment = {}) {
  return run(SGEMM_BENCH, std::move(words), std::move(environment));
}

std::vector<std::string> names(const json& rows) {
  std::vector<std::string> all;
  for (const json& row : rows) all.push_back(row["name"]);
  return all;
}

TEST(SgemmBench, ListsEveryRungAtEverySize) {
  std::vector<std::string> expected;
  for (const char* size : {"64x64x64", "33x65x17"}) {
    for (const ladder::Rung* rung : ladder::all())
      expected.push_back("sgemm/" + runner::label(*rung) + "/" + size);
  }
  const Ended ended = run_bench({"--benchmark_list_tests", "--sizes=64,33x65x17,64"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(lines_of(ended.out), expected);

  const std::vector<std::string> by_default =
      lines_of(run_bench({"--benchmark_list_tests=true"}).out);
  EXPECT_EQ(by_default.size() % ladder::all().size(), 0u);
  EXPECT_GE(by_default.size(), 2 * ladder::all().size());
  EXPECT_THAT(by_default, testing::Contains("sgemm/02_coalesced/256x256x256"));
}

TEST(SgemmBench, FiltersByTheNamesThatItLists) {
  const auto listed = [](const std::string& filter) {
    return lines_of(run_bench({"bench", "--benchmark_list_tests", "--sizes", "64", filter}).out);
  };
  EXPECT_THAT(listed("--benchmark_filter=^sgemm/02_coalesced/64x64x64$"),
              ElementsAre("sgemm/02_coalesced/64x64x64"));
  EXPECT_THAT(listed("--benchmark_filter=/0[12]_"),
              ElementsAre("sgemm/01_naive/64x64x64", "sgemm/02_coalesced/64x64x64"));
  const std::vector<std::string> others = listed("--benchmark_filter=-/02_");
  EXPECT_EQ(others.size(), ladder::all().size() - 1);
  EXPECT_THAT(others, Not(testing::Contains("sgemm/02_coalesced/64x64x64")));
}

TEST(SgemmBench, IsReachedThroughTheRunner) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"bench", "--benchmark_list_tests", "--sizes=64",
                                 "--benchmark_filter=/03_"},
        {"--benchmark_list_tests", "--benchmark_filter=/03_", "bench", "--sizes", "64"}}) {
    const Ended ended = run(SGEMM_RUNNER, words);
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_EQ(ended.out, "sgemm/03_shared_tile/64x64x64\n");
  }
}

// The figures equal the figures of the runner, under the names in the runner's rows.
TEST(SgemmBench, ReportsWhatTheRunnerReports) {
  const Ended ended =
      run_bench({"--benchmark_filter=/02_", "--sizes=65x63x61", "--benchmark_format=json"},
                {"SGEMM_COMMIT=1234abc"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  const json report = json::parse(ended.out);
  const json of_the_runner =
      json::parse(run(SGEMM_RUNNER, {"2", "--size", "65x63x61", "--json"}).out);
  EXPECT_EQ(report["context"]["machine"], runner::machine::NAME);
  EXPECT_EQ(report["context"]["device"], of_the_runner["context"]["device"]);
  EXPECT_EQ(report["context"]["commit"], "1234abc");
  ASSERT_EQ(report["benchmarks"].size(), 1u);
  const json& row = report["benchmarks"][0];
  const json& same = of_the_runner["benchmarks"].back();
  EXPECT_EQ(row["name"], same["name"]);
  EXPECT_EQ(row["run_name"], same["name"]);
  EXPECT_EQ(row["iterations"], 1);
  EXPECT_GT(row["real_time"], 0);
  EXPECT_EQ(row["cpu_time"], row["real_time"]);
  if (runner::machine::MEASURES_TIME) {
    EXPECT_EQ(row["time_unit"], same["time_unit"]);
    for (const char* counter : {"percent_of_cublas", "gflops", "spread"})
      EXPECT_TRUE(row.contains(counter)) << counter;
    EXPECT_GT(row["percent_of_cublas"], 0);
  } else {
    EXPECT_EQ(row["sectors_per_request"], same["load_sectors_per_request"]);
    EXPECT_EQ(row["bytes_used_over_fetched"], same["bytes_used_over_fetched"]);
    EXPECT_EQ(row["label"], "time of the simulation");
    EXPECT_THAT(report["context"]["time"].get<std::string>(), HasSubstr("says nothing of a GPU"));
  }
}

TEST(SgemmBench, GivesAggregatesOfRepetitions) {
  const Ended ended = run_bench({"--benchmark_filter=/04_", "--sizes=64",
                                 "--benchmark_repetitions=3", "--benchmark_format=json"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  const json rows = json::parse(ended.out)["benchmarks"];
  const std::string name = "sgemm/04_register_tile_1d/64x64x64";
  EXPECT_THAT(names(rows), ElementsAre(name, name, name, name + "_mean", name + "_median",
                                       name + "_stddev", name + "_cv"));
  double sum = 0;
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(rows[i]["repetition_index"], i);
    sum += rows[i]["real_time"].get<double>();
  }
  EXPECT_NEAR(rows[3]["real_time"].get<double>(), sum / 3, 1e-9 * sum);
  EXPECT_EQ(rows[3]["cpu_time"], rows[3]["real_time"]);
  const char* counter = runner::machine::MEASURES_TIME ? "gflops" : "sectors_per_request";
  EXPECT_TRUE(rows[3].contains(counter));
}

TEST(SgemmBench, WritesAFileInEachFormat) {
  const TemporaryFolder folder;
  const std::string csv = folder / "rows.csv", text = folder / "rows.txt",
                    whole = folder / "rows.json";
  for (const auto& [file, format] : {std::pair{csv, "csv"}, {text, "console"}, {whole, "json"}}) {
    const Ended ended =
        run_bench({"--sizes=64", "--benchmark_filter=/0[012]_", "--benchmark_out=" + file,
                   std::string("--benchmark_out_format=") + format});
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("sgemm/02_coalesced/64x64x64 "));
    EXPECT_THAT(ended.out, Not(HasSubstr("manual_time")));
    EXPECT_THAT(ended.err, Not(HasSubstr("WARNING")));
  }
  EXPECT_EQ(json::parse(contents(whole))["benchmarks"].size(), 3u);
  EXPECT_THAT(contents(text), StartsWith("----"));
  // The reference comes first and has no memory counters. The header has the counters of all rows.
  const std::vector<std::string> lines = lines_of(contents(csv));
  ASSERT_EQ(lines.size(), 4u) << contents(csv);
  EXPECT_THAT(lines[0], StartsWith("name,iterations,real_time"));
  EXPECT_THAT(lines[0],
              HasSubstr(runner::machine::MEASURES_TIME ? "\"gflops\"" : "\"sectors_per_request\""));
  EXPECT_THAT(lines[3], StartsWith("\"sgemm/02_coalesced/64x64x64\""));
  EXPECT_EQ(folder.entries(), 3) << "nothing else was left there";

  const Ended shown =
      run_bench({"--sizes=64", "--benchmark_filter=/0[012]_", "--benchmark_format=csv"});
  EXPECT_EQ(lines_of(shown.out).front(), lines[0]);
}

TEST(SgemmBench, TakesGooglesEnvironment) {
  const TemporaryFolder folder;
  const std::string file = folder / "rows.json";
  const Ended ended = run_bench({"--sizes=64"}, {"BENCHMARK_FILTER=/03_", "BENCHMARK_OUT=" + file});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(names(json::parse(contents(file))["benchmarks"]),
              ElementsAre("sgemm/03_shared_tile/64x64x64"));
}

TEST(SgemmBench, RefusesWhatMakesNoSense) {
  const TemporaryFolder folder;
  const struct {
    std::vector<std::string> words;
    const char* hint;
  } cases[] = {
      {{"--size=64"}, "unknown option '--size'; did you mean '--sizes'?"},
      {{"--benchmark_fliter=x"}, "did you mean '--benchmark_filter'?"},
      {{"--sizes"}, "--sizes needs a value: --sizes=256,128x160x7168"},
      {{"--sizes="}, "--sizes needs a value"},
      {{"--sizes=64", "--sizes=65"}, "--sizes stands there twice"},
      {{"--sizes=64,abc"}, "size 'abc' is not understood: write 4096, or MxNxK"},
      {{"--sizes=64x64"}, "write one, or three as MxNxK"},
      {{"--sizes=64x64x0"}, "'64x64x0' is an empty product"},
      {{"--sizes=9999999"}, "GiB of device memory"},
      {{"naive"}, "'naive' is no option: --benchmark_filter=REGEX chooses the kernels"},
      {{"--benchmark_format=xml"}, "a value that Google Benchmark does not know"},
      {{"--benchmark_repetitions=many"},
       "the value of '--benchmark_repetitions=many' is not understood"},
      {{"--benchmark_filter=("}, "--benchmark_filter '(' is no regular expression"},
      {{"--benchmark_filter=nothing"},
       "no benchmark is called like 'nothing'; --benchmark_list_tests lists them"},
      {{"--benchmark_filter=nothing", "--benchmark_list_tests"}, "no benchmark is called like"},
      {{"--sizes=64", "--benchmark_out=" + (folder / "none/rows.json").string()},
       "cannot write to"},
  };
  for (const auto& [words, hint] : cases) {
    const Ended ended = run_bench(words);
    if (ended.code == 77)
      continue;  // only a device that can be asked tells whether a size fits the memory
    EXPECT_EQ(ended.code, 2) << words[0];
    EXPECT_THAT(ended.out, IsEmpty()) << words[0];
    EXPECT_THAT(lines_of(ended.err).back(),
                testing::AllOf(StartsWith("sgemm_runner: "), HasSubstr(hint)));
  }
  EXPECT_EQ(folder.entries(), 0);
}

TEST(SgemmBench, HelpHasItsOwnOptionsAndGoogles) {
  for (const char* word : {"--help", "-h"}) {
    const Ended ended = run_bench({"bench", word});
    EXPECT_EQ(ended.code, 0);
    EXPECT_THAT(ended.out, StartsWith("Usage: sgemm_runner bench [options]"));
    EXPECT_THAT(ended.out, HasSubstr("--sizes=LIST"));
    EXPECT_THAT(ended.out, HasSubstr("--benchmark_repetitions="));
    for (const std::string& line : lines_of(ended.out)) EXPECT_LE(line.size(), 90u) << line;
  }
}

TEST(SgemmBench, CtrlCKeepsWhatIsDone) {
  const TemporaryFolder folder;
  const std::string file = folder / "rows.json";
  const Ended ended = run_program({.words = {SGEMM_BENCH, "--sizes=64,2048",
                                             "--benchmark_filter=/01_", "--benchmark_out=" + file},
                                   .interrupt_at = "sgemm/01_naive/2048x2048x2048"});
  EXPECT_EQ(ended.code, 130) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("sgemm_runner: interrupted; the rest was not run"));
  EXPECT_THAT(ended.out, Not(HasSubstr("ERROR")));
  EXPECT_THAT(names(json::parse(contents(file))["benchmarks"])[0], "sgemm/01_naive/64x64x64");
}

// --- kernels that are wrong, in this process, in which Google Benchmark can run only once
// -------------------------------

struct Outcome {
  ExitCode code;
  json rows;
  std::string err;
};

Outcome run_rungs(const std::vector<const ladder::Rung*>& rungs,
                  const std::string& option = "--benchmark_repetitions=1") {
  const TemporaryFolder folder;
  const std::string file = folder / "rows.json";
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const ExitCode code =
      bench::run({"sgemm_bench", "--sizes=64", option, "--benchmark_out=" + file}, rungs);
  testing::internal::GetCapturedStdout();
  return {code, json::parse(contents(file))["benchmarks"], testing::internal::GetCapturedStderr()};
}

TEST(SgemmBenchRungs, ThatAreRightAreWell) {
  const Outcome outcome = run_rungs({&faulty::sound});
  EXPECT_EQ(outcome.code, ExitCode::ok) << outcome.err;
  ASSERT_EQ(outcome.rows.size(), 1u);
  EXPECT_FALSE(outcome.rows[0].contains("error_occurred"));
}

int launches = 0;

TEST(SgemmBenchRungs, AreMeasuredAnewInEachRepetition) {
  ladder::Rung counted = faulty::sound;
  counted.launch = [](const ladder::Sgemm& problem, cudaStream_t stream) {
    ++launches;
    return faulty::sound.launch(problem, stream);
  };
  const Outcome outcome = run_rungs({&counted}, "--benchmark_repetitions=3");
  EXPECT_EQ(outcome.code, ExitCode::ok) << outcome.err;
  constexpr int PASSES = 2;  // the verifier's; a device also launches for times
  EXPECT_GE(launches, 3 * PASSES);
}

TEST(SgemmBenchRungs, ThatAreWrongAreErrorsAndEndWithOne) {
  const ladder::Rung& wrong = faulty::wrong_results().front();
  const Outcome outcome = run_rungs({&wrong, &faulty::sound});
  EXPECT_EQ(outcome.code, ExitCode::wrong);
  ASSERT_EQ(outcome.rows.size(), 2u);
  EXPECT_EQ(outcome.rows[0]["error_occurred"], true);
  EXPECT_THAT(outcome.rows[0]["error_message"].get<std::string>(), HasSubstr("C["));
  EXPECT_THAT(outcome.err, HasSubstr("C["));
  EXPECT_FALSE(outcome.rows[1].contains("error_occurred")) << "the others are run";
}

TEST(SgemmBenchRungs, ThatBreakTheirPromiseAreErrorsAndEndWithOne) {
  if (runner::machine::MEASURES_TIME) GTEST_SKIP() << "a device counts nothing";
  const Outcome outcome = run_rungs({&faulty::breaks_promise});
  EXPECT_EQ(outcome.code, ExitCode::wrong);
  EXPECT_THAT(outcome.rows[0]["error_message"].get<std::string>(),
              HasSubstr("broke its promise: load sectors per request of A = 31: counted"));
}

TEST(SgemmBenchRungs, ThatLeaveTheDeviceUnusableEndTheRun) {
  if (runner::machine::MEASURES_TIME) GTEST_SKIP() << "on a device the guard bands catch it";
  const Outcome outcome =
      run_rungs({&faulty::sound, &faulty::writes_past_c, &faulty::breaks_promise});
  EXPECT_EQ(outcome.code, ExitCode::failure);
  ASSERT_EQ(outcome.rows.size(), 2u) << "what follows is not run";
  EXPECT_EQ(outcome.rows[1]["error_occurred"], true);
  EXPECT_THAT(outcome.err, HasSubstr("faulty_kernels.cu:"));
  EXPECT_THAT(outcome.err, HasSubstr("the run ends here"));
}

TEST(SgemmBenchRungs, ThatNeedAnotherDeviceAreSkippedAndNoFailure) {
  ladder::Rung later = faulty::sound;
  later.name = "later";
  later.needs = {.compute_capability = 999};
  const Outcome outcome = run_rungs({&later, &faulty::sound});
  EXPECT_EQ(outcome.code, ExitCode::ok);
  ASSERT_EQ(outcome.rows.size(), 2u);
  EXPECT_THAT(outcome.rows[0].dump(), HasSubstr("later needs compute capability 99.9"));
  EXPECT_FALSE(outcome.rows[1].contains("error_occurred"));
}

}  // namespace
