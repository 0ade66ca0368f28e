// The program as a user calls it: messages, exit codes, and the output on stdout.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "kernels/ladder.hpp"
#include "runner/machine/machine.hpp"
#include "test/support/files.hpp"
#include "test/support/process.hpp"
#include "test/support/sanitizer.hpp"
#include "text/foreign.hpp"
#include "text/page.hpp"

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string TABLES = SGEMM_SOURCE_DIR "/test/data/tables";

Ended run(std::vector<std::string> words, std::vector<std::string> environment = {}) {
  words.insert(words.begin(), SGEMM_RUNNER);
  return run_program({.words = std::move(words), .environment = std::move(environment)});
}

TEST(Program, RunsAKernel) {
  const Ended ended = run({"2", "--size", "64"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("coalesced"));
  EXPECT_THAT(ended.err, Not(HasSubstr("\r"))) << "no progress where stderr is no terminal";
}

TEST(Program, RunsAllKernelsOnARaggedShape) {
  const Ended ended = run({"all", "--size", "33x65x17", "--beta", "0.5", "--lda", "20"});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
}

TEST(Program, RunsAnEmptyProblem) {
  const Ended ended = run({"1", "--size", "0"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("naive"));
  EXPECT_THAT(ended.out, Not(HasSubstr("%"))) << "of nothing there is no per cent";
}

// alpha times the sum overflows, although the result would fit. FP32 gives an infinity, and every rung is right to.
TEST(Program, FindsRungsRightWhereFp32Overflows) {
  for (const char* size : {"64", "33x65x17"}) {
    const Ended ended = run({"all", "--size", size, "--alpha", "3e38", "--beta", "3e38"});
    EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  }
}

TEST(Program, RunsALab) {
  const Ended ended = run({"lab", "copy_stride", "--elements", "1000"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("what does a stride between the lanes cost?"));
  EXPECT_THAT(ended.out, HasSubstr("elements 1000"));
  EXPECT_THAT(ended.out, HasSubstr("\n 1000 "));
}

TEST(Program, RunsAVariantOfALab) {
  const json rows = json::parse(run({"lab", "copy_stride/8", "--json"}).out)["benchmarks"];
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0]["kernel"], "copy_stride");
  EXPECT_EQ(rows[0]["variant"], "8");
  EXPECT_EQ(rows[0]["correct"], true);
}

TEST(Program, RunsAllLabs) {
  const Ended ended = run({"lab", "all"});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  for (const json& lab : json::parse(run({"lab", "--json"}).out)) {
    EXPECT_THAT(ended.out, HasSubstr(lab["lab"].get<std::string>() + ": "));
  }
}

TEST(Program, ListsTheLabs) {
  const std::string list = "\n" + run({"lab"}).out;
  for (const json& lab : json::parse(run({"lab", "--json"}).out)) {
    EXPECT_THAT(list, HasSubstr("\n" + lab["lab"].get<std::string>() + " "));
    EXPECT_THAT(list, HasSubstr(lab["question"].get<std::string>()));
    for (const json& parameter : lab["parameters"])
      EXPECT_THAT(list, HasSubstr("--" + parameter["name"].get<std::string>() + " "));
  }
}

TEST(Program, PrintsJsonAndNothingElse) {
  const Ended ended = run({"1", "2", "--size", "64", "--json"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  const json parsed = json::parse(ended.out);
  EXPECT_EQ(parsed["benchmarks"].back()["name"], "sgemm/02_coalesced/64x64x64");
  EXPECT_EQ(parsed["benchmarks"].back()["correct"], true);
}

TEST(Program, WritesJsonToAFileBesideTheTable) {
  const TemporaryFolder directory;
  const fs::path path = directory / "run.json";
  const Ended ended = run({"1", "--size", "32", "--json=" + path.string()});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("naive"));
  EXPECT_EQ(json::parse(contents(path))["benchmarks"].back()["kernel"], "naive");
}

TEST(Program, PrintsCsvAndMarkdown) {
  EXPECT_THAT(lines_of(run({"1", "--size", "32", "--csv"}).out)[0],
              HasSubstr("kernel_id,kernel,m,n,k"));
  EXPECT_THAT(run({"1", "--size", "32", "--md"}).out, HasSubstr("| # | kernel |"));
}

TEST(Program, FitsSixtyColumns) {
  for (const char* locale : {"LC_ALL=C", "LC_ALL=C.UTF-8"}) {
    for (const std::vector<std::string>& words : {std::vector<std::string>{"all", "--size", "64"},
                                                  {"1,8", "--size", "256", "-v"},
                                                  {"lab", "copy_stride", "-v"},
                                                  {"list"},
                                                  {"lab"}}) {
      const Ended ended = run(words, {"COLUMNS=60", locale});
      EXPECT_EQ(ended.code, 0) << ended.err;
      for (const std::string& line : lines_of(ended.out))
        EXPECT_LE(text::display_width(line), 60) << line;
      EXPECT_THAT(ended.out, HasSubstr(words[0] == "lab" ? "copy_stride" : "naive"));
    }
  }
}

TEST(Program, WritesAsciiWithoutAUtf8Locale) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"1", "2", "--size", "64", "-v"},
        {"table", TABLES + "/cuda.json"}}) {
    const Ended ended = run(words, {"LC_ALL=C"});
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("coalesced"));
    for (const char c : ended.out + ended.err) ASSERT_GE(c, 0) << ended.out;
    EXPECT_THAT(run(words, {"LC_ALL=C.UTF-8"}).out, HasSubstr("✓")) << "where they can be shown";
  }
}

TEST(Program, ColoursOnlyWhenItMay) {
  EXPECT_THAT(run({"1", "--size", "32"}).out, Not(HasSubstr("\033[")));
  EXPECT_THAT(run({"1", "--size", "32", "--color", "always"}).out, HasSubstr("\033["));
  EXPECT_THAT(run({"1", "--size", "32", "--color", "auto"}, {"NO_COLOR=1"}).out,
              Not(HasSubstr("\033[")));
}

TEST(Program, IsQuietWhenAsked) {
  const Ended ended = run({"1", "--size", "32", "-q", "--baseline", TABLES + "/cuda.json"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out, IsEmpty());
  EXPECT_THAT(ended.err, IsEmpty());
}

TEST(Program, SaysHowItJudged) {
  EXPECT_THAT(run({"1", "--size", "32", "-v"}).out, HasSubstr("1024 of 1024 elements compared"));
}

TEST(Program, ListsEveryKernelOnce) {
  std::string numbers;
  for (const ladder::Rung* rung : ladder::all()) numbers += std::to_string(rung->number) + "\n";
  EXPECT_EQ(run({"list", "--numbers"}).out, numbers);
  EXPECT_EQ(json::parse(run({"list", "--json"}).out).size(), ladder::all().size());
  EXPECT_EQ(lines_of(run({"list"}).out).size(), ladder::all().size() + 1);  // and `best`
}

TEST(Program, ShowsHelpAndVersion) {
  EXPECT_EQ(run({"--help"}).code, 0);
  EXPECT_EQ(run({"table", "--help"}).code, 0);
  EXPECT_THAT(run({"-h"}).out, HasSubstr("Examples:"));
  EXPECT_THAT(run({"--version"}).out, HasSubstr(runner::machine::NAME));
}

TEST(Program, PicksTheBestRungAndSaysWhy) {
  const Ended small = run({"best", "--size", "64", "-v", "--trans-b"});
  EXPECT_EQ(small.code, 0) << small.err;
  EXPECT_THAT(small.out, HasSubstr("path: stream_k"));
  EXPECT_THAT(small.out,
              testing::ContainsRegex("expected: 12 stream_k in .* us; 16 tensor_fp32 in .* us"));
  // On a device the reference comes first.
  const json row = json::parse(run({"best", "--size", "64", "--json"}).out)["benchmarks"].back();
  EXPECT_EQ(row["name"], "sgemm/best/64x64x64");
  EXPECT_EQ(row["expected"][0]["kernel_id"], 12);
  EXPECT_GT(row["expected"][1]["us"], row["expected"][0]["us"]);
}

TEST(Program, SaysWhatBestWouldChooseOnAnotherGpu) {
  const Ended told = run({"best", "--device", "h200", "--size", "64,4096,0x4x4"});
  EXPECT_EQ(told.code, 0) << told.err;
  const std::vector<std::string> lines = lines_of(told.out);
  ASSERT_EQ(lines.size(), 4);
  EXPECT_THAT(lines[0], HasSubstr("NVIDIA H200"));
  EXPECT_THAT(lines[1], testing::StartsWith("64x64x64: 12 stream_k in "));
  EXPECT_THAT(lines[2], testing::StartsWith("4096x4096x4096: 16 tensor_fp32 in "));
  EXPECT_EQ(lines[3], "0x4x4: nothing to compute");
  EXPECT_THAT(run({"best", "--device", "t4"}).err,
              HasSubstr("'t4': the times of kernels are known of h200"));
  for (const char* format : {"--json", "--csv", "--md"})
    EXPECT_EQ(run({"best", "--device", "h200", format}).code, 2) << format;
  EXPECT_THAT(run({"2", "--device", "h200"}).err,
              HasSubstr("say 'sgemm_runner best --device h200'"));
}

TEST(Program, TakesTransposesWhereAKernelDoes) {
  const Ended reference = run({"0", "--size", "40x50x60", "--trans-a", "--trans-b", "--lda", "43"});
  EXPECT_EQ(reference.code, 0) << reference.err;
  EXPECT_THAT(reference.out, HasSubstr("A and B transposed"));
  const Ended another = run({"1", "--size", "40", "--trans-b"});
  EXPECT_EQ(another.code, 2);
  EXPECT_THAT(another.err, HasSubstr("1 naive takes A and B as they lie, without --trans-b"));
  const Ended some = run({"0-2", "--size", "40", "--trans-a"});
  EXPECT_EQ(some.code, 0) << some.err;
  EXPECT_THAT(some.err, HasSubstr("left out, because they take A and B as they lie: 1, 2"));
  EXPECT_EQ(run({"1-2", "--size", "40", "--trans-a"}).code, 2) << "none is left";
  EXPECT_THAT(run({"list"}).out, HasSubstr("[takes --trans-a, --trans-b]"));
  EXPECT_THAT(run({"0", "--size", "40x50x60", "--trans-a", "--lda", "39"}).err,
              HasSubstr("a row of A has 40 elements"));
}

TEST(Program, ComputesBatches) {
  const Ended ended = run({"0,2,12,best", "--size", "20x24x28", "--batch", "3", "--stride-a", "0",
                           "--ldb", "25", "--stride-c", "481", "--beta", "1"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("3 products"));
  EXPECT_THAT(ended.out, HasSubstr("stride 0 of A 700 of B 481 of C"));
  const Ended json = run({"12", "--size", "20", "--batch", "5", "--json"});
  EXPECT_THAT(json.out, HasSubstr(R"("name": "sgemm/12_stream_k/20x20x20/batch=5")"));
  EXPECT_THAT(json.out, HasSubstr(R"("stride_c": 400)"));
  EXPECT_THAT(run({"best", "--size", "128", "--batch", "64", "--device", "h200"}).out,
              HasSubstr("128x128x128, 64 products: 12 stream_k in "));
  EXPECT_THAT(run({"12", "--size", "20", "--stride-a", "0"}).err,
              HasSubstr("say --batch 2 or more, too"));
  EXPECT_THAT(run({"12", "--size", "20", "--batch", "2", "--stride-a", "399"}).err,
              HasSubstr("0 lets all products share it, and a matrix has 400 elements"));
  EXPECT_EQ(run({"12", "--size", "20", "--batch", "2", "--stride-a", "400"}).code, 0);
  // An odd stride lets no product but the first begin on a boundary, so the promise does not speak of it.
  EXPECT_EQ(run({"12", "--size", "128", "--batch", "2", "--stride-b", "16385"}).code, 0);
  EXPECT_EQ(run({"12", "--size", "0", "--batch", "1000000000"}).code, 0) << "nothing to do";
  for (const auto& [option, value] : {std::pair{"--stride-c", "0"}, {"--batch", "0"}}) {
    const Ended bad = run({"12", "--size", "20", "--batch", "2", option, value});
    EXPECT_EQ(bad.code, 2) << option << " " << bad.err;
  }
  EXPECT_EQ(run({"12", "--size", "100000", "--batch", "1000000000"}).code, 2) << "too large";
}

TEST(Program, CountsTheHostOnlyWhereLaunchesFollowEachOther) {
  for (const char* other : {"--cold", "--once"})
    EXPECT_THAT(run({"1", "--size", "32", "--no-graph", other}).err,
                HasSubstr(std::string("--no-graph and ") + other + " exclude each other"));
}

// All commands do the same: they print a line, and the run goes on.
TEST(Program, WarnsOfOptionsWithoutMeaning) {
  const Ended ended =
      runner::machine::MEASURES_TIME
          ? run({"1", "--size", "32", "--baseline", TABLES + "/cuda.json"})
          : run({"1", "--size", "32", "--cold", "--time", "1", "--once", "--strict"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("naive"));
  EXPECT_THAT(ended.err, HasSubstr(runner::machine::MEASURES_TIME
                                       ? "--baseline has no meaning on a device"
                                       : "--cold, --time, --once, --strict have no meaning on the "
                                         "simulator"));
}

// Every machine shows a saved run as the recording machine did: test/data/tables holds the right output.
TEST(Program, ShowsTheTableOfASavedRun) {
  const struct {
    const char* which;
    std::vector<std::string> more;
  } runs[] = {{"cuda", {}},
              {"simulator", {"--baseline", TABLES + "/cuda.json"}},
              {"lab_cuda", {}},
              {"lab_simulator", {"--baseline", TABLES + "/lab_cuda.json"}}};
  for (const auto& [which, more] : runs) {
    const std::string file = TABLES + "/" + which;
    const auto shown = [&](std::vector<std::string> words) {
      words.insert(words.begin(), {"table", file + ".json"});
      words.insert(words.end(), more.begin(), more.end());
      const Ended ended = run(words, {"COLUMNS=80", "LC_ALL=C.UTF-8"});
      EXPECT_EQ(ended.code, 0) << "what is wrong in it is no failure of today: " << ended.err;
      return ended;
    };
    const std::string complaints = contents(file + ".complaints.80.utf8.txt");
    const std::string table = contents(file + ".table.80.utf8.txt");
    EXPECT_EQ(shown({}).out, table + complaints);
    EXPECT_EQ(shown({}).err, "");
    EXPECT_EQ(shown({"-v"}).out,
              table + "\n" + contents(file + ".details.80.utf8.txt") + complaints);
    EXPECT_EQ(shown({"-q"}).out, complaints);
    EXPECT_EQ(shown({"--md"}).out, contents(file + ".md") + text::in_markdown(complaints));
    EXPECT_EQ(shown({"--csv"}).out, contents(file + ".csv"));
    EXPECT_EQ(shown({"--csv"}).err, complaints) << "stdout is for programs";
    EXPECT_EQ(shown({"--json"}).out, contents(file + ".json"));
  }
}

TEST(Program, ShowsWhatItHasJustSaved) {
  const TemporaryFolder directory;
  const std::string path = (directory / "run.json").string();
  const std::vector<std::string> environment{"COLUMNS=100", "LC_ALL=C.UTF-8"};
  const Ended now = run({"1", "2", "--size", "64,33x65x17", "--json=" + path}, environment);
  EXPECT_EQ(now.code, 0) << now.err;
  EXPECT_EQ(run({"table", path}, environment).out, now.out);
}

// A limit on the address space stands for a lack of memory.
TEST(Program, ReportsMemoryThatCannotBeHad) {
  if (ADDRESS_SANITIZER) GTEST_SKIP() << "the address sanitizer needs the address space";
  if (runner::machine::MEASURES_TIME) GTEST_SKIP() << "a CUDA context needs the address space";
  const Ended ended =
      run_program({.words = {SGEMM_RUNNER, "1", "--size", "4096x4096x4096"}, .before_exec = [] {
                     const rlimit limit{200 << 20, 200 << 20};
                     setrlimit(RLIMIT_AS, &limit);
                   }});
  EXPECT_EQ(ended.code, 70);
  EXPECT_THAT(ended.err,
              testing::AnyOf(HasSubstr("no device memory"), HasSubstr("out of host memory")));
}

TEST(Program, PrintsWhatIsDoneWhenMemoryRunsOutLater) {
  if (ADDRESS_SANITIZER) GTEST_SKIP() << "the address sanitizer needs the address space";
  if (runner::machine::MEASURES_TIME) GTEST_SKIP() << "a CUDA context needs the address space";
  const TemporaryFolder directory;
  const fs::path path = directory / "run.json";
  const Ended ended =
      run_program({.words = {SGEMM_RUNNER, "1", "--size", "32,4096", "--json=" + path.string()},
                   .before_exec = [] {
                     const rlimit limit{200 << 20, 200 << 20};
                     setrlimit(RLIMIT_AS, &limit);
                   }});
  EXPECT_EQ(ended.code, 70);
  EXPECT_THAT(ended.out, HasSubstr("naive"));
  EXPECT_THAT(ended.err, HasSubstr("the run ends here"));
  EXPECT_EQ(json::parse(contents(path))["benchmarks"].back()["m"], 32);
}

// Returns a problem that takes seconds to prepare, far longer than noticing a signal.
std::string long_size() { return runner::machine::MEASURES_TIME ? "16384" : "8192"; }

// The second problem takes far longer than noticing the signal of a user, or of a terminal that has gone.
TEST(Program, PrintsWhatIsDoneWhenInterrupted) {
  for (const int signal : {SIGINT, SIGHUP}) {
    const TemporaryFolder directory;
    const fs::path path = directory / "run.json";
    const Ended ended = run_program(
        {.words = {SGEMM_RUNNER, "1", "--size", "32," + long_size(), "--json=" + path.string()},
         .interrupt_at = ": preparing",
         .interrupt_with = signal,
         .interrupt_twice = signal == SIGHUP});  // as a terminal does
    EXPECT_EQ(ended.code, 130) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("naive"));
    EXPECT_THAT(ended.err, HasSubstr("interrupted"));
    EXPECT_EQ(json::parse(contents(path))["benchmarks"].back()["m"], 32);
  }
}

TEST(Program, KeepsTheOldFileWhenNothingIsDone) {
  const TemporaryFolder directory;
  const fs::path path = directory / "run.json";
  std::ofstream(path) << "old";
  const Ended ended =
      run_program({.words = {SGEMM_RUNNER, "1", "--size", long_size(), "--json=" + path.string()},
                   .interrupt_at = ": preparing"});
  EXPECT_EQ(ended.code, 130) << ended.err;
  EXPECT_EQ(contents(path), "old");
}

// Under nohup: hangups throughout, from before the program begins to after its end.
TEST(Program, OutlivesAHangupThatIsIgnored) {
  const Ended ended = run_program({.words = {SGEMM_RUNNER, "1-3", "--size", "128"},
                                   .before_exec = [] { std::signal(SIGHUP, SIG_IGN); },
                                   .meanwhile =
                                       [](const std::stop_token& stop, pid_t child) {
                                         wait_until_ignoring(SIGHUP, stop, child);
                                         while (!stop.stop_requested()) {
                                           kill(child, SIGHUP);
                                           usleep(1000);
                                         }
                                       }});
  EXPECT_EQ(ended.code, 0) << ended.err;
}

}  // namespace
