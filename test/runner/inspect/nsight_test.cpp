// Scripts play Nsight Compute's answers: good tables, refusals, gaps, garbage, and nothing at all.
#include "runner/inspect/nsight.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <set>
#include <thread>

#include "app/error.hpp"
#include "app/find_tool.hpp"
#include "app/interrupt.hpp"
#include "results/values/counts.hpp"
#include "test/support/files.hpp"

namespace {

namespace counts = results::counts;
namespace fs = std::filesystem;
using runner::Error;
using runner::ExitCode;
using runner::NsightCounts;
using runner::NsightMetric;
using testing::HasSubstr;

// The output of ncu 2025.3 around its table.
constexpr const char* BEFORE =
    "==PROF== Connected to process 4711 (/tmp/sgemm_runner)\n"
    "==PROF== Profiling \"coalesced_kernel\" - 0: 0%....50%....100% - 4 passes\n"
    "==PROF== Disconnected from process 4711\n";
constexpr const char* HEADER =
    R"("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value")";

std::string row(int kernel, const std::string& metric, const std::string& value) {
  const std::string fixed =
      R"csv(,"4711","sgemm_runner","127.0.0.1","void k<1, ""x"">(ladder::Sgemm, long)","1","7",)csv"
      R"csv("(1024, 1, 1)","(64, 1, 1)","0","9.0","Command line profiler metrics",)csv";
  return "\"" + std::to_string(kernel) + "\"" + fixed + "\"" + metric + "\",\"\",\"" + value +
         "\"\n";
}

// Returns a table with each metric of the list. Its value is 1,000 times its place in the list.
std::string table(int kernel = 0) {
  std::string text;
  int place = 0;
  for (const NsightMetric& metric : runner::nsight_metrics()) {
    text += row(kernel, metric.metric, std::to_string(++place) + ",000");
  }
  return text;
}

std::string answer(const std::string& rows) { return std::string(BEFORE) + HEADER + "\n" + rows; }

uint64_t place_of(const char* count) {
  uint64_t place = 0;
  for (const NsightMetric& metric : runner::nsight_metrics()) {
    ++place;
    if (std::string_view(metric.count) == count) return place;
  }
  return 0;
}

Error error_of(const std::string& text, int code) {
  try {
    runner::read_nsight(text, code);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "was read: " << text;
  return {ExitCode::ok, ""};
}

TEST(Nsight, NamesEachMetricOnce) {
  std::set<std::string> metrics;
  for (const NsightMetric& metric : runner::nsight_metrics()) {
    EXPECT_TRUE(metrics.insert(metric.metric).second) << metric.metric;
  }
}

TEST(Nsight, IsCalledOnTheProgramWithEveryMetric) {
  const std::vector<std::string> command =
      runner::nsight_command("/opt/ncu", {"prog", "profile", "2"});
  EXPECT_EQ(command.front(), "/opt/ncu");
  EXPECT_THAT(command, testing::IsSupersetOf({"--profile-from-start", "--csv", "base", "prog"}));
  EXPECT_EQ(command.back(), "2");
  const std::string& metrics = command[command.size() - 4];
  for (const NsightMetric& metric : runner::nsight_metrics()) {
    EXPECT_THAT(metrics, HasSubstr(metric.metric));
  }
}

TEST(Nsight, ReadsEachCount) {
  const NsightCounts counted = runner::read_nsight(answer(table()), 0);
  EXPECT_TRUE(counted.missing.empty());
  for (const char* count : {counts::LOAD_REQUESTS, counts::LOAD_SECTORS, counts::STORE_SECTORS,
                            counts::SHARED_LOAD_WAVEFRONTS, counts::FFMA}) {
    EXPECT_EQ(counted.traffic.count(count), 1000.0 * static_cast<double>(place_of(count))) << count;
  }
  // The two directions form one count.
  const auto local = static_cast<double>(place_of(counts::LOCAL_BYTES));
  EXPECT_EQ(counted.traffic.count(counts::LOCAL_BYTES), 1000 * (local + local + 1));
}

TEST(Nsight, AddsUpSeveralKernels) {
  const NsightCounts counted = runner::read_nsight(answer(table(0) + table(1)), 0);
  EXPECT_EQ(counted.traffic.count(counts::LOAD_REQUESTS), 2000);
}

TEST(Nsight, PassesOverItsOwnMessagesWithinTheTable) {
  const std::string text = answer(table() + "==WARNING== something of its own, with a comma\n");
  EXPECT_EQ(runner::read_nsight(text, 0).traffic.count(counts::LOAD_REQUESTS), 1000);
}

TEST(Nsight, SaysWhichMetricsAreMissing) {
  std::string rows;
  for (const NsightMetric& metric : runner::nsight_metrics()) {
    const bool unknown = std::string_view(metric.metric) == "smsp__inst_executed_op_ldgsts.sum";
    const bool local_stores =
        std::string_view(metric.metric) == "l1tex__t_bytes_pipe_lsu_mem_local_op_st.sum";
    if (!local_stores) rows += row(0, metric.metric, unknown ? "n/a" : "7");
  }
  const NsightCounts counted = runner::read_nsight(answer(rows), 0);
  EXPECT_THAT(counted.missing, testing::ElementsAre("smsp__inst_executed_op_ldgsts.sum",
                                                    "l1tex__t_bytes_pipe_lsu_mem_local_op_st.sum"));
  EXPECT_EQ(counted.traffic.count(counts::ASYNC_COPIES), std::nullopt);
  EXPECT_EQ(counted.traffic.count(counts::LOCAL_BYTES), std::nullopt) << "half of a sum";
  EXPECT_EQ(counted.traffic.count(counts::FFMA), 7);
}

TEST(Nsight, SaysWhatToDoWithoutPermission) {
  const Error error = error_of(
      "==PROF== Connected to process 4711\n==ERROR== ERR_NVGPUCTRPERM - The user does not have "
      "permission to access NVIDIA GPU Performance Counters on the target device 0.\n",
      1);
  EXPECT_EQ(error.code(), ExitCode::failure);
  EXPECT_THAT(error.what(),
              testing::AllOf(HasSubstr("as root"),
                             HasSubstr("https://developer.nvidia.com/ERR_NVGPUCTRPERM")));
}

TEST(Nsight, RefusesWhatIsNoTable) {
  struct Case {
    std::string text;
    int code;
    const char* hint;
  };
  const Case cases[] = {
      {"", 1, "counted nothing (it ended with 1)"},
      {"complete garbage \x1b[2J\n", 0, "complete garbage"},
      {"==PROF== Connected\n==ERROR== The application returned an error code (70).\n", 70,
       "The application returned an error code (70)"},
      {"==WARNING== No kernels were profiled.\n", 0, "No kernels were profiled"},
      {answer(""), 0, "none of the metrics"},
      {std::string(BEFORE) + "\"ID\",\"Metric Name\"\n\"0\",\"x\"\n", 0,
       "no column 'Metric Value'"},
      {answer("\"0\",\"4711\",\"cut off in the mid"), 0, "has 0 cells and its header 15"},
  };
  for (const auto& [text, code, hint] : cases) {
    const Error error = error_of(text, code);
    EXPECT_EQ(error.code(), ExitCode::failure);
    EXPECT_THAT(error.what(), HasSubstr(hint));
    EXPECT_THAT(error.what(), testing::Not(HasSubstr("\x1b")));
  }
}

// ---- The program itself, played by a script.

class FakeNsight : public testing::Test {
 protected:
  std::string script(const std::string& body) {
    const fs::path file = folder_ / "ncu";
    std::ofstream(file) << "#!/bin/sh\n" << body;
    fs::permissions(file, fs::perms::owner_all);
    return file.string();
  }
  TemporaryFolder folder_;
};

TEST_F(FakeNsight, IsGivenTheProgramAndItsOutputIsRead) {
  std::ofstream(folder_ / "answer") << answer(table());
  const std::string ncu =
      script("printf '%s\\n' \"$@\" > '" + (folder_ / "words").string() + "'\ncat '" +
             (folder_ / "answer").string() + "'\necho told on stderr >&2\n");
  const NsightCounts counted = runner::count_with_nsight(ncu, {"prog", "profile", "a b"});
  EXPECT_EQ(counted.traffic.count(counts::LOAD_REQUESTS), 1000);
  const std::vector<std::string> words = lines_of(contents(folder_ / "words"));
  EXPECT_EQ(words.back(), "a b");
}

TEST_F(FakeNsight, FailureIsTold) {
  const std::string ncu = script("echo '==ERROR== Unrecognized metric' >&2\nexit 9\n");
  try {
    runner::count_with_nsight(ncu, {"prog"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                testing::AllOf(HasSubstr("ended with 9"), HasSubstr("Unrecognized metric")));
  }
}

TEST_F(FakeNsight, ThatCannotBeRunIsTold) {
  try {
    runner::count_with_nsight((folder_ / "nothing").string(), {"prog"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::failure);
    EXPECT_THAT(error.what(), HasSubstr("cannot be run"));
  }
}

// The program hangs, and so does the process that it has started. Ctrl-C ends both.
TEST_F(FakeNsight, IsEndedByCtrlC) {
  const std::string started = (folder_ / "started").string();
  const std::string ncu = script("sleep 1000 &\necho $! > '" + started + ".new' && mv '" + started +
                                 ".new' '" + started + "'\nwait\n");
  runner::catch_signals();
  const std::jthread user([&](const std::stop_token& stop) {
    while (!fs::exists(started) && !stop.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    kill(getpid(), SIGINT);
  });
  try {
    runner::count_with_nsight(ncu, {"prog"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::interrupted);
  }
  // At most a zombie is left, which no process has waited for yet.
  const std::string sleeper = "/proc/" + lines_of(contents(started)).front();
  const auto is_alive = [&] {
    const std::string stat = contents(sleeper + "/stat");
    const size_t name_end = stat.rfind(')');
    return name_end != std::string::npos && stat[name_end + 2] != 'Z';
  };
  while (is_alive())
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // CTest has a timeout
}

// ---- The places of programs.

TEST_F(FakeNsight, IsFoundInPathThenInTheFoldersTheLatestVersionFirst) {
  for (const char* name : {"in path", "2024.1", "2025.3", "unusable"}) {
    fs::create_directory(folder_ / name);
    std::ofstream(folder_ / name / "ncu") << "#!/bin/sh\n";
    const bool runs = std::string_view(name) != "unusable";
    fs::permissions(folder_ / name / "ncu", runs ? fs::perms::owner_all : fs::perms::owner_read);
  }
  fs::remove_all(folder_ / "in path" / "ncu");
  const std::string all = (folder_ / "*").string();
  EXPECT_EQ(runner::find_program("ncu", "", {"/nowhere", all}), (folder_ / "2025.3/ncu").string());
  EXPECT_EQ(runner::find_program("ncu", "/nowhere::" + (folder_ / "2024.1").string(), {all}),
            (folder_ / "2024.1/ncu").string());
  EXPECT_EQ(runner::find_program("ncu", (folder_ / "in path").string(), {"/nowhere/*"}),
            std::nullopt);
  EXPECT_EQ(runner::find_program("ncu", (folder_ / "unusable").string(), {}), std::nullopt);
  EXPECT_EQ(runner::find_program("2025.3", folder_.path().string(), {}), std::nullopt)
      << "a folder";
}

}  // namespace
