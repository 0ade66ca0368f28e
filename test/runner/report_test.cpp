// The report's forms, from results made by hand: no device is needed.
#include "runner/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "runner/machine.hpp"

namespace {

using nlohmann::json;
using runner::Report;
using runner::Row;
using testing::HasSubstr;
using testing::Not;

const ladder::Rung NAIVE{
    .number = 1, .name = "naive", .idea = "", .promise = {}, .launch = nullptr};
const ladder::Rung LONG_NAME{.number = 12,
                             .name = "a_kernel_with_quite_a_long_name",
                             .idea = "",
                             .promise = {},
                             .launch = nullptr};

Row row_of(const ladder::Rung& rung) {
  Row row{.rung = &rung, .problem = runner::dense_problem(64, 64, 64)};
  row.verdict.correct = true;
  row.verdict.compared = 4096;
  if (runner::machine::measures_time) {
    row.timing.emplace();
    row.timing->samples_ms = {1.0, 2.0, 3.0};
    row.timing->median_ms = 2.0;
    row.timing->percent_of_cublas = 12.5;
    row.timing->clock_mhz = 1980;
  } else {
    row.traffic.emplace();
    row.traffic->sectors_per_request = {{"load A", 32}, {"load B", 1}, {"store C", 32}};
    row.traffic->bytes_used_over_fetched = 0.125;
    row.traffic->promise = {
        {{"load_sectors_per_request", "A", ladder::Relation::equal, 32}, 32.0, true}};
  }
  return row;
}

Report report_of(std::vector<Row> rows) {
  return {.device = "device",
          .detail = "sm_90",
          .date = "2026-01-02T03:04:05+00:00",
          .rows = std::move(rows)};
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::stringstream stream(text);
  for (std::string line; std::getline(stream, line);) result.push_back(line);
  return result;
}

TEST(ReportJson, HasTheKeysThatOtherToolsRelyOn) {
  const json parsed = json::parse(runner::to_json(report_of({row_of(NAIVE)})));
  EXPECT_EQ(parsed.at("context").at("date"), "2026-01-02T03:04:05+00:00");
  const json& row = parsed.at("benchmarks").at(0);
  EXPECT_EQ(row.at("name"), "sgemm/01_naive/64x64x64");
  EXPECT_EQ(row.at("kernel_id"), 1);
  EXPECT_EQ(row.at("kernel"), "naive");
  for (const char* key : {"run_name", "run_type", "iterations", "real_time", "cpu_time",
                          "time_unit", "m", "n", "k", "lda", "ldb", "ldc", "alpha", "beta",
                          "machine", "device", "correct", "max_abs_error", "error_over_bound"}) {
    EXPECT_TRUE(row.contains(key)) << key;
  }
  const std::vector<const char*> timed{"samples_ms",      "median_ms", "q1_ms",
                                       "q3_ms",           "gflops",    "percent_of_cublas",
                                       "percent_of_peak", "clock_mhz", "trusted"};
  const std::vector<const char*> counted{"promise_kept", "sectors_per_request",
                                         "bytes_used_over_fetched"};
  for (const char* key : runner::machine::measures_time ? timed : counted)
    EXPECT_TRUE(row.contains(key)) << key;
}

TEST(ReportJson, HoldsAWrongResultThatIsANaN) {
  Row row = row_of(NAIVE);
  row.verdict.correct = false;
  row.verdict.complaint = "C[1][2] is nan";
  row.verdict.max_abs_error = std::numeric_limits<double>::quiet_NaN();
  row.verdict.first_mismatch = {
      .row = 1, .col = 2, .got = std::numeric_limits<float>::quiet_NaN(), .want = 3};
  const json parsed = json::parse(runner::to_json(report_of({row})));
  EXPECT_EQ(parsed["benchmarks"][0]["correct"], false);
  EXPECT_EQ(parsed["benchmarks"][0]["error_occurred"], true);
  EXPECT_EQ(parsed["benchmarks"][0]["first_mismatch"]["got"], "nan");
}

TEST(ReportCsv, HasOneLineForEachRow) {
  const auto csv = lines(runner::to_csv(report_of({row_of(NAIVE), row_of(LONG_NAME)})));
  ASSERT_EQ(csv.size(), 3u);
  EXPECT_THAT(csv[0], HasSubstr("name,run_name,"));
  EXPECT_EQ(std::ranges::count(csv[0], ','), std::ranges::count(csv[1], ','));
  EXPECT_EQ(std::ranges::count(csv[0], ','), std::ranges::count(csv[2], ','));
}

TEST(ReportTable, FitsWhereItCan) {
  const Report report = report_of({row_of(NAIVE), row_of(LONG_NAME)});
  const std::optional<runner::Baseline> baseline{
      {"NVIDIA X", "2026-01-02", "4096x4096x4096", {{"naive", 1.5}}}};
  for (const bool unicode : {false, true}) {
    for (const int width : {40, 60, 80, 120}) {
      for (const std::string& line :
           lines(runner::to_table(report, baseline, {.unicode = unicode, .width = width}))) {
        EXPECT_LE(runner::display_width(line), width) << line;
      }
    }
  }
}

TEST(ReportTable, IsPlainAsciiWithoutUtf8) {
  const std::string table =
      runner::to_table(report_of({row_of(NAIVE)}), std::nullopt, {.unicode = false});
  for (const char c : table) EXPECT_GE(c, 0) << table;
}

TEST(ReportTable, ColoursOnlyWhenAskedTo) {
  const Report report = report_of({row_of(NAIVE)});
  EXPECT_THAT(runner::to_table(report, std::nullopt, {.color = true}), HasSubstr("\033["));
  EXPECT_THAT(runner::to_table(report, std::nullopt, {.color = false}), Not(HasSubstr("\033[")));
}

TEST(ReportTable, HasTheRecordedColumnOnlyWithABaseline) {
  if (runner::machine::measures_time) GTEST_SKIP() << "a device measures its own";
  const Report report = report_of({row_of(NAIVE)});
  const runner::Baseline baseline{"NVIDIA X", "2026-01-02", "4096x4096x4096", {{"naive", 1.5}}};
  const std::string table = runner::to_table(report, baseline, {.unicode = true});
  EXPECT_THAT(table, HasSubstr("% cuBLAS *"));
  EXPECT_THAT(
      table,
      HasSubstr("* measured on an NVIDIA X on 2026-01-02 at 4096³; this machine has no GPU"));
  EXPECT_THAT(runner::to_table(report, std::nullopt, {}), Not(HasSubstr("cuBLAS")));
}

TEST(ReportTable, PutsEachProblemInATableOfItsOwn) {
  Row other = row_of(NAIVE);
  other.problem = runner::dense_problem(2, 3, 4);
  const std::string table = runner::to_table(report_of({row_of(NAIVE), other}), std::nullopt, {});
  EXPECT_THAT(table, HasSubstr("64^3"));
  EXPECT_THAT(table, HasSubstr("2x3x4"));
}

TEST(ReportMarkdown, IsATable) {
  const auto markdown = lines(runner::to_markdown(report_of({row_of(NAIVE)}), std::nullopt));
  EXPECT_THAT(markdown, testing::Contains(testing::StartsWith("| # | kernel |")));
  EXPECT_THAT(markdown, testing::Contains(testing::StartsWith("| 1 | naive |")));
}

TEST(Complaints, NameTheRungAndWhatIsWrong) {
  Row wrong = row_of(NAIVE);
  wrong.verdict.correct = false;
  wrong.verdict.complaint = "C[1][2] was never written";
  EXPECT_THAT(runner::complaints(report_of({wrong}), {}),
              HasSubstr("1 naive at 64x64x64: C[1][2] was never written"));
  EXPECT_EQ(runner::complaints(report_of({row_of(NAIVE)}), {}), "");
}

}  // namespace
