// The output for people and for spreadsheets, byte for byte, from runs made by hand. test/data/tables has the runs and
// the right output in each form. After an intended change SGEMM_WRITE_TABLES=1 results_test writes the files anew: read
// each as a user would before you commit it.
#include "results/tables/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "results/files/json.hpp"
#include "test/results/made_runs.hpp"

namespace {

using results::Machine;
using results::Result;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using text::Page;

const std::string TABLES = SGEMM_TABLES;
constexpr int WIDTHS[] = {60, 80, 120, 0};

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::stringstream stream(text);
  for (std::string line; std::getline(stream, line);) result.push_back(line);
  return result;
}

// ---- Golden text.

struct Form {
  std::string file;  // in TABLES
  std::function<std::string(const results::Run& run, const results::Recorded& recorded)> render;
  int width = 0;
};

std::string name_of(const text::Page& page) {
  return (page.width == 0 ? "unlimited" : std::to_string(page.width)) +
         (page.unicode ? ".utf8.txt" : ".ascii.txt");
}

std::vector<Form> forms() {
  std::vector<Form> forms;
  for (const int width : WIDTHS) {
    for (const bool unicode : {false, true}) {
      const text::Page page{.unicode = unicode, .width = width};
      forms.push_back({"table." + name_of(page),
                       [page](const results::Run& run, const results::Recorded& recorded) {
                         return results::to_table(run, recorded, page);
                       },
                       width});
    }
  }
  for (const text::Page page :
       {text::Page{.unicode = false, .width = 60}, text::Page{.unicode = true, .width = 80}}) {
    forms.push_back({"details." + name_of(page),
                     [page](const results::Run& run, const results::Recorded&) {
                       return results::details(run, page);
                     },
                     page.width});
    forms.push_back({"complaints." + name_of(page),
                     [page](const results::Run& run, const results::Recorded&) {
                       return results::complaints(run, page);
                     },
                     page.width});
  }
  forms.push_back({"md", results::to_markdown});
  forms.push_back({"csv", [](const results::Run& run, const results::Recorded&) {
                     return results::to_csv(run);
                   }});
  return forms;
}

class GoldenText : public testing::TestWithParam<std::string> {};

TEST_P(GoldenText, IsPrintedByteForByte) {
  const std::string& which = GetParam();
  const results::Run run = results::read_run(TABLES + "/" + which + ".json");
  const results::Run ladder = results::read_run(TABLES + "/cuda.json");
  const results::Run labs = results::read_run(TABLES + "/lab_cuda.json");
  const results::Recorded recorded{ladder, labs};
  for (const Form& form : forms()) {
    const std::string path = TABLES + "/" + which + "." + form.file;
    const std::string printed = form.render(run, recorded);
    if (std::getenv("SGEMM_WRITE_TABLES") != nullptr) {
      std::ofstream(path, std::ios::binary) << printed;
      continue;
    }
    std::stringstream golden;
    golden << std::ifstream(path, std::ios::binary).rdbuf();
    EXPECT_EQ(printed, golden.str()) << path;
    for (const std::string& line : lines(printed)) {
      if (form.width > 0) {
        EXPECT_LE(text::display_width(line), form.width) << path << ": " << line;
      }
      if (form.file.find("ascii") == form.file.npos) continue;
      for (const char c : line) EXPECT_GE(c, 0) << path << ": " << line;
    }
  }
  EXPECT_EQ(std::getenv("SGEMM_WRITE_TABLES"), nullptr) << "the files were written, not compared";
}

INSTANTIATE_TEST_SUITE_P(Tables, GoldenText,
                         testing::Values("cuda", "simulator", "lab_cuda", "lab_simulator"),
                         [](const auto& tested) { return tested.param; });

// ---- Rules that hold for every table.

Result counted_rung(int number, const std::string& name, uint64_t sectors, int64_t size = 64) {
  Result r =
      made::counted(made::rung(number, name, size), {{"load_requests", "A", 1},
                                                     {"load_requests", "B", 1},
                                                     {"load_sectors", "A", 32},
                                                     {"load_sectors", "B", 1},
                                                     {"store_requests", "C", 1},
                                                     {"store_sectors", "C", 32},
                                                     {"global_bytes_fetched", "", 32 * sectors},
                                                     {"global_bytes_used", "", 16 * sectors},
                                                     {"flops", "", 100}});
  r.judged.claims = {{.counter = "load_sectors_per_request",
                      .buffer = "A",
                      .relation = "=",
                      .value = 32,
                      .counted = 32,
                      .kept = true}};
  return r;
}

results::Run counted_run() {
  return made::run_of(
      Machine::simulator,
      {counted_rung(1, "naive", 1000), counted_rung(12, "a_kernel_with_quite_a_long_name", 100)});
}

results::Run timed_run() {
  return made::run_of(Machine::cuda,
                      {made::timed(made::rung(1, "naive"), 200, 3),
                       made::timed(made::rung(12, "a_kernel_with_quite_a_long_name"), 2, 3)});
}

TEST(Table, FitsWhereItCan) {
  const results::Run recorded = results::read_run(TABLES + "/cuda.json");
  for (const results::Run& run : {counted_run(), timed_run(), made::full()}) {
    for (const bool unicode : {false, true}) {
      for (const int width : {45, 50, 60, 70, 80, 100, 120}) {
        for (const std::string& line :
             lines(results::to_table(run, {recorded}, {.unicode = unicode, .width = width}))) {
          EXPECT_LE(text::display_width(line), width) << line;
        }
      }
    }
  }
}

TEST(Table, CountsTheOtherBrokenChecks) {
  results::Run run = counted_run();
  results::Judgement& judged = run.results.front().judged;
  judged.contract_checks = 40;
  judged.contract = {{"reads C", "no"}, {"an empty K", "no"}};
  EXPECT_THAT(results::complaints(run, {}),
              HasSubstr("1 more of its 40 checks is broken: an empty K"));
  judged.contract.push_back({"dense shapes", "no"});
  EXPECT_THAT(results::complaints(run, {}),
              HasSubstr("2 more of its 40 checks are broken: an empty K, dense shapes"));
}

TEST(Table, NamesTheFirstOfManyBrokenChecks) {
  results::Run run = counted_run();
  results::Judgement& judged = run.results.front().judged;
  judged.contract_checks = 40;
  judged.contract = {{"reads C", "no"}};
  for (const char* name : {"a", "b", "c", "d", "e"}) judged.contract.push_back({name, "no"});
  EXPECT_THAT(results::complaints(run, {}),
              HasSubstr("reads C: no;\n    5 more of its 40 checks are broken: a, b, c, d, e\n"))
      << "'and 1 more' would save nothing";
  judged.contract.push_back({"f", "no"});
  EXPECT_THAT(
      results::complaints(run, {}),
      HasSubstr("6 more of its 40 checks are broken: a, b, c, d and 2 more (-v tells all)\n"));
  EXPECT_THAT(results::details(run, {}), HasSubstr("f: no")) << "-v tells all";
}

TEST(Table, TellsWhatIsLeftToFP64) {
  results::Run run = counted_run();
  std::optional<results::LeftToFP64>& left = run.results.front().seen.left_to_fp64;
  EXPECT_THAT(results::details(run, {}), Not(HasSubstr("FP64:")));
  left = results::LeftToFP64{};
  EXPECT_THAT(results::details(run, {}), HasSubstr("\n  left to FP64: nothing\n"));
  left = {.rows = 40, .bands = 1, .share = 0.0125};
  EXPECT_THAT(results::details(run, {}),
              HasSubstr("left to FP64: 40 rows, 1 band of 16 x 64; at most 1.25 % of C\n"));
  left = {.cols = 1, .share = 1};
  EXPECT_THAT(results::details(run, {}), HasSubstr("left to FP64: 1 column; at most 100 % of C"));
  left = {.share = 1};
  EXPECT_THAT(results::details(run, {}), HasSubstr("computed in FP64 as a whole"));
}

// At every width a column is either shown, with its heading, or named below, and none is named twice.
TEST(Table, NamesOnceWhatItLeavesOut) {
  results::Run run = timed_run();
  run.results.push_back(made::timed(made::rung(1, "naive", 128), 1, 1));
  const char* columns[] = {"IQR", "GFLOP/s", "% peak", "GB/s", "% cuBLAS", "faster"};
  for (const int width : {40, 60, 80, 100, 0}) {
    const std::string table = results::to_table(run, {}, {.width = width});
    for (const char* column : columns) EXPECT_THAT(table, HasSubstr(column)) << width;
    const std::string note = "not shown at this width: ";
    const size_t first = table.find(note);
    if (first == table.npos) continue;
    EXPECT_EQ(table.find(note, first + 1), table.npos) << "one note for all tables\n" << table;
    std::set<std::string> named;
    std::string below = table.substr(first + note.size());
    below.erase(below.find(';'));
    for (size_t at = 0; (at = below.find("\n   ", at)) != below.npos;) below.replace(at, 4, " ");
    std::stringstream names(below);
    for (std::string name; std::getline(names, name, ',');) {
      EXPECT_TRUE(named.insert(name.substr(name.find_first_not_of(' '))).second) << name;
    }
  }
  EXPECT_THAT(results::to_table(run, {}, {}), Not(HasSubstr("not shown")));
}

// A column "A", "B" or "C" needs the heading with the unit.
TEST(Table, KeepsTheHeadingOverTheBuffers) {
  for (const int width : {50, 60, 80, 0}) {
    const std::string table = results::to_table(counted_run(), {}, {.width = width});
    if (table.find("  B  ") != table.npos) {
      EXPECT_THAT(lines(table)[1], HasSubstr("sectors/request")) << table;
    }
  }
  EXPECT_THAT(results::to_table(counted_run(), {}, {.width = 60}), HasSubstr("sectors/request"));
}

TEST(Table, CutsNamesBetweenCharacters) {
  results::Run run = counted_run();
  run.results[1].who.name = "µ³µ³µ³µ³µ³µ³µ³µ³µ³µ³µ³µ³";
  for (const int width : {25, 26, 27, 28}) {
    const std::string table = results::to_table(run, {}, {.unicode = true, .width = width});
    EXPECT_THAT(table, HasSubstr("…")) << width;
    EXPECT_NO_THROW(nlohmann::json(table).dump()) << "half of a character at width " << width;
  }
}

TEST(Table, IsPlainAsciiWithoutUtf8) {
  for (const results::Run& run : {counted_run(), timed_run(), made::full()}) {
    const std::string table = results::to_table(run, {run}, {.unicode = false});
    EXPECT_THAT(table, Not(testing::IsEmpty()));
    for (const char c : table) EXPECT_GE(c, 0) << table;
  }
}

TEST(Table, ColoursOnlyWhenAskedTo) {
  EXPECT_THAT(results::to_table(counted_run(), {}, {.color = true}), HasSubstr("\033[32m"));
  EXPECT_THAT(results::to_table(counted_run(), {}, {.color = false}), Not(HasSubstr("\033")));
  results::Run broken = counted_run();
  broken.results[0].judged.claims[0].kept = false;
  EXPECT_THAT(results::to_table(broken, {}, {.color = true}), HasSubstr("\033[31mBROKEN"));
}

TEST(Table, PutsEachProblemInATableOfItsOwn) {
  results::Run run = counted_run();
  run.results.push_back(counted_rung(1, "naive", 5));
  run.results.back().problem = results::dense_problem(2, 3, 4);
  const std::string table = results::to_table(run, {}, {});
  EXPECT_THAT(lines(table), Contains(HasSubstr("64^3 FP32")));
  EXPECT_THAT(lines(table), Contains(HasSubstr("2x3x4 FP32")));
}

TEST(Table, SaysHowAStepRelatesToTheOneAbove) {
  EXPECT_THAT(results::to_table(counted_run(), {}, {}), HasSubstr("10.0x fewer sectors than 1"));
  EXPECT_THAT(results::to_table(timed_run(), {}, {}), HasSubstr("100.0x faster than 1"));
  results::Run backwards = counted_run();
  std::swap(backwards.results[0], backwards.results[1]);
  EXPECT_THAT(results::to_table(backwards, {}, {}), HasSubstr("10.0x more sectors than 12"));
  results::Run same = made::run_of(Machine::simulator,
                                   {counted_rung(1, "naive", 100), counted_rung(2, "same", 100)});
  EXPECT_THAT(results::to_table(same, {}, {}), HasSubstr("as many sectors as 1"));
  results::Run behind_the_reference = timed_run();
  behind_the_reference.results[0].who.number = 0;
  EXPECT_THAT(results::to_table(behind_the_reference, {}, {}), Not(HasSubstr("faster")));
}

TEST(Table, OfAnEmptyProductHasNoFigures) {
  results::Run run = made::run_of(Machine::simulator, {made::rung(1, "naive")});
  run.results[0].problem = results::dense_problem(0, 64, 64);
  const results::Run recorded = results::read_run(TABLES + "/cuda.json");
  const std::string table = results::to_table(run, {recorded}, {});
  EXPECT_THAT(table, Not(HasSubstr("%")));
  EXPECT_THAT(lines(table)[2], StartsWith(" 1  naive   ok"));
}

TEST(Table, CallsWrongWhatIsNotRight) {
  for (void (*spoil)(Result&) : {+[](Result& r) { r.judged.correct = false; },
                                 +[](Result& r) { r.judged.contract = {{.name = "reads C"}}; },
                                 +[](Result& r) { r.seen.hazards = {{.kind = "race"}}; }}) {
    results::Run run = counted_run();
    spoil(run.results[0]);
    EXPECT_THAT(results::to_table(run, {}, {}), HasSubstr("WRONG"));
    EXPECT_THAT(results::complaints(run, {}), HasSubstr("WRONG 1 naive at 64x64x64"));
  }
  EXPECT_THAT(results::to_table(counted_run(), {}, {}), Not(HasSubstr("WRONG")));
  EXPECT_EQ(results::complaints(counted_run(), {}), "");
}

TEST(Table, WritesAFigureThatCannotBeInFewDigits) {
  results::Run run = timed_run();
  run.from.roofs.copy_gbytes_per_second = 1e-9;
  run.results[0].problem =
      results::dense_problem(int64_t{1} << 39, int64_t{1} << 39, int64_t{1} << 39);
  for (const std::string& line : lines(results::to_table(run, {}, {})))
    EXPECT_LT(line.size(), 200u) << line;
}

TEST(Csv, HasOneLineForEachResult) {
  const auto csv = lines(results::to_csv(counted_run()));
  ASSERT_EQ(csv.size(), 3u);
  EXPECT_THAT(csv[0], StartsWith("name,set,kernel_id,kernel,m,n,k,"));
  EXPECT_EQ(std::ranges::count(csv[0], ','), std::ranges::count(csv[1], ','));
  EXPECT_EQ(std::ranges::count(csv[0], ','), std::ranges::count(csv[2], ','));
}

TEST(Csv, QuotesWhatWouldBreakALine) {
  results::Run run = counted_run();
  run.results[0].path = "few \"rows\", scalar";
  EXPECT_THAT(results::to_csv(run), HasSubstr(",\"few \"\"rows\"\", scalar\""));
}

TEST(Csv, NamesTheKindsOfHazards) {
  results::Run run = counted_run();
  run.results[0].seen.hazards = {{.kind = "race"}, {.kind = "unwritten read"}};
  const auto csv = lines(results::to_csv(run));
  EXPECT_THAT(csv[0], testing::EndsWith(",hazards"));
  EXPECT_THAT(csv[1], testing::EndsWith(",race; unwritten read"));
  EXPECT_THAT(csv[2], testing::EndsWith(",")) << "of the other there are none";
}

TEST(Complaints, TellAHazardInThreeLines) {
  results::Run run = counted_run();
  run.results[0].seen.looked_for_hazards = true;
  run.results[0].seen.hazards = {
      {.kind = "race",
       .message = "race in shared memory: As is read while another thread may still write it\n"
                  "at tiled.cu:21 in tiled: thread (5, 0, 0) of block (0, 0, 0), byte 64 of As\n"
                  "try: __syncthreads() between lines 18 and 21",
       .times = 4096},
      {.kind = "early use"}};
  EXPECT_THAT(
      lines(results::complaints(run, {.unicode = true, .width = 120})),
      testing::ElementsAre(
          "✗ 1 naive at 64x64x64: race in shared memory: As is read while another thread "
          "may still write it (seen 4096 times)",
          "    at tiled.cu:21 in tiled: thread (5, 0, 0) of block (0, 0, 0), byte 64 of As",
          "    try: __syncthreads() between lines 18 and 21", "✗ 1 naive at 64x64x64: early use"));
  EXPECT_THAT(lines(results::complaints(run, {.width = 80})),
              testing::ElementsAre(
                  "WRONG 1 naive at 64x64x64: race in shared memory: As is read while another",
                  "  thread may still write it (seen 4096 times)",
                  "    at tiled.cu:21 in tiled: thread (5, 0, 0) of block (0, 0, 0), byte 64 of As",
                  "    try: __syncthreads() between lines 18 and 21",
                  "WRONG 1 naive at 64x64x64: early use"));
  EXPECT_THAT(lines(results::complaints(run, {.width = 60})),
              testing::ElementsAre("WRONG 1 naive at 64x64x64: race in shared memory: As is read",
                                   "  while another thread may still write it (seen 4096 times)",
                                   "    at tiled.cu:21 in tiled: thread (5, 0, 0) of block (0,",
                                   "      0, 0), byte 64 of As",
                                   "    try: __syncthreads() between lines 18 and 21",
                                   "WRONG 1 naive at 64x64x64: early use"));
  EXPECT_THAT(results::complaint(run.results[0]),
              HasSubstr("write it (seen 4096 times) at tiled.cu:21 in"))
      << "in one line, where there is but one";
}

TEST(Table, HasAColumnOfHazardsWhereTheyWereLookedFor) {
  results::Run run = counted_run();
  EXPECT_THAT(results::to_table(run, {}, {}), Not(HasSubstr("hazards")));
  run.results[0].seen.looked_for_hazards = true;
  run.results[1].seen.looked_for_hazards = true;
  run.results[1].seen.hazards = {{.kind = "race"}, {.kind = "early use"}};
  const std::string table = results::to_markdown(run, {});
  EXPECT_THAT(table, HasSubstr("| hazards |"));
  EXPECT_THAT(lines(table)[4], HasSubstr("| ✓ |"));
  EXPECT_THAT(lines(table)[4], HasSubstr("| none |"));
  EXPECT_THAT(lines(table)[5], HasSubstr("| ✗ |"));
  EXPECT_THAT(lines(table)[5], HasSubstr("| 2 |"));
}

// The errors and hazards that an option asked for are worth more than all other figures.
TEST(Table, KeepsWhatAnOptionAskedForOnANarrowPage) {
  results::Run run = counted_run();
  run.results[1] = counted_rung(2, "coalesced", 64);
  const results::Run recorded = results::read_run(TABLES + "/cuda.json");
  const auto table_at = [&](int width) {
    return results::to_table(run, {recorded}, {.width = width});
  };
  EXPECT_THAT(table_at(60), HasSubstr(" A    B     C  % cuBLAS *"));
  for (Result& r : run.results) {
    r.seen.looked_for_hazards = true;
    r.judged.errors = results::Errors{1e-7, 1e-7, 1e-7, 1e-7};
  }
  EXPECT_THAT(table_at(50), HasSubstr("error  hazards"));
  EXPECT_THAT(table_at(60), HasSubstr("error  ref error  hazards"));
  EXPECT_THAT(table_at(80), HasSubstr("error  ref error  max error  ref max  promise  hazards"));
  EXPECT_THAT(table_at(80), HasSubstr("% cuBLAS * at"));
  EXPECT_THAT(table_at(80), Not(HasSubstr("* measured on"))) << "a note on a column that is hidden";
  for (Result& r : run.results) r.judged.errors.reset();
  EXPECT_THAT(table_at(80), HasSubstr("promise  hazards  "));
  EXPECT_THAT(table_at(80), HasSubstr("* measured on"));
}

TEST(Table, NamesTheArithmeticOfItsRows) {
  results::Run run = counted_run();
  EXPECT_THAT(lines(results::to_table(run, {}, {}))[0], HasSubstr("FP32"));
  run.results[0].below_fp32 = "TF32";
  EXPECT_THAT(lines(results::to_table(run, {}, {}))[0], HasSubstr("FP32")) << "one row is FP32's";
  run.results[1].below_fp32 = "TF32";
  EXPECT_THAT(lines(results::to_table(run, {}, {}))[0], HasSubstr(" TF32"));
  run.results[1].below_fp32 = "BF16";
  const std::string heading = lines(results::to_table(run, {}, {}))[0];
  for (const char* const arithmetic : {"FP32", "TF32", "BF16"})
    EXPECT_THAT(heading, Not(HasSubstr(arithmetic)));
}

TEST(Table, SaysTheOrderOfWarpsAndBlocksWhereItIsNotTheUsualOne) {
  results::Run run = counted_run();
  run.from.schedule = 0;
  EXPECT_THAT(results::to_table(run, {}, {}), Not(HasSubstr("schedule")));
  run.from.schedule = 7;
  EXPECT_THAT(results::to_table(run, {}, {}), HasSubstr("every block counted - schedule 7"));
}

TEST(Complaints, NameTheKernelAndWhatIsWrong) {
  results::Run run = counted_run();
  run.results[0].judged.correct = false;
  run.results[0].judged.complaint = "C[1][2] was never written";
  run.results[1].judged.claims[0].kept = false;
  run.results[1].judged.claims[0].counted = 4;
  EXPECT_THAT(lines(results::complaints(run, {})),
              testing::ElementsAre("WRONG 1 naive at 64x64x64: C[1][2] was never written",
                                   "WRONG 12 a_kernel_with_quite_a_long_name at 64x64x64 broke its "
                                   "promise: load sectors per request of A = 32: counted 4"));
  run.results[0].problem->data = results::Data::special;
  EXPECT_THAT(results::complaints(run, {}),
              testing::StartsWith("WRONG 1 naive at 64x64x64, special data: C[1][2]"));
}

// ---- Of labs.

results::Run labs() { return results::read_run(TABLES + "/lab_simulator.json"); }

TEST(LabTable, FitsWhereItCan) {
  const results::Run recorded = results::read_run(TABLES + "/lab_cuda.json");
  for (const results::Run& run : {labs(), recorded}) {
    for (const bool unicode : {false, true}) {
      for (const int width : {50, 60, 70, 80, 100, 120}) {
        for (const std::string& line :
             lines(results::to_table(run, {recorded}, {.unicode = unicode, .width = width}))) {
          EXPECT_LE(text::display_width(line), width) << line;
        }
      }
    }
  }
}

// Without room for the column of ideas, each idea stands below once. The column is never listed as left out.
TEST(LabTable, TellsTheIdeasAtEveryWidth) {
  for (const int width : {60, 80, 100, 120, 0}) {
    const std::string table = results::to_table(labs(), {}, {.width = width});
    EXPECT_THAT(table, testing::ContainsRegex("neighbours"));
    EXPECT_EQ(table.find("neighbours"), table.rfind("neighbours")) << table;
    EXPECT_THAT(table, Not(HasSubstr("idea,")));
  }
}

// The mean over buffers that differ means nothing.
TEST(LabTable, GivesBuffersThatDifferAColumnEach) {
  results::Run run = labs();
  EXPECT_THAT(results::to_table(run, {}, {}), HasSubstr("tokens  table   out"));
  std::erase_if(run.results, [](const Result& r) { return r.who.name != "copy_stride"; });
  EXPECT_THAT(results::to_table(run, {}, {}), HasSubstr("load  store    load  store"));
}

TEST(LabTable, SaysOfARiddleThatItIsOne) {
  results::Run run = labs();
  const std::string hint = "how the lanes of each walk is for you to find; --reveal tells it";
  EXPECT_THAT(results::to_table(run, {}, {}), HasSubstr(hint));
  run.lessons.back().answer = "They go backwards.";
  EXPECT_THAT(results::to_table(run, {}, {}),
              testing::AllOf(HasSubstr("They go backwards."), Not(HasSubstr(hint))));
}

// Each lab has its own sizes: one lab at two sizes makes two tables.
TEST(LabTable, IsOneForEachLabAndItsSizes) {
  results::Run run = made::of_a_lab();
  run.results.push_back(run.results.front());
  run.results.back().who.parameters = {{"elements", 7}};
  const std::string table = results::to_table(run, {}, {});
  EXPECT_THAT(lines(table), Contains(HasSubstr("elements 16384")));
  EXPECT_THAT(lines(table), Contains(HasSubstr("elements 7")));
}

TEST(LabTable, ARefusalIsNoComplaint) {
  EXPECT_EQ(results::complaints(made::of_a_lab(), {}), "");
  EXPECT_THAT(results::to_table(made::of_a_lab(), {}, {}),
              HasSubstr("float4  refused: a float4 must lie at a multiple of 16 bytes"));
}

}  // namespace
