// Files that are no run, or were one: refused with the place named, and never a crash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "results/json.hpp"
#include "results/table.hpp"
#include "test/results/made_runs.hpp"

namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string refusal(const std::string& text) {
  try {
    results::run_from_json(text);
  } catch (const results::Unusable& error) {
    return error.what();
  }
  return "nothing was refused";
}

std::string refusal_of_file(const std::string& path) {
  try {
    results::read_run(path);
  } catch (const results::Unusable& error) {
    return error.what();
  }
  return "nothing was refused";
}

json sound_file() { return json::parse(results::to_json(made::full())); }

const json GONE = json::value_t::discarded;  // in place of a value: the key is taken away

struct Damage {
  const char* where;  // a JSON pointer
  json value;
  const char* complaint;  // what it begins with
};

std::string refusal_of(const Damage& damage, json file = sound_file()) {
  const json::json_pointer at(damage.where);
  if (damage.value.is_discarded()) {
    json& parent = file.at(at.parent_pointer());
    EXPECT_TRUE(parent.contains(at.back())) << damage.where << " is in no sound file";
    parent.erase(at.back());
  } else {
    file[at] = damage.value;
  }
  return refusal(file.dump());
}

TEST(DamagedFile, TheSoundOneIsRead) {
  EXPECT_EQ(results::run_from_json(sound_file().dump()).results.size(), 1u);
}

TEST(DamagedFile, IsRefusedWithThePlaceNamed) {
  const std::string many_digits(300, '7');
  const Damage damages[] = {
      // The frame.
      {"/context", GONE, "it is no run of sgemm_runner: 'context' and 'benchmarks'"},
      {"/benchmarks", GONE, "it is no run of sgemm_runner: 'context' and 'benchmarks'"},
      {"/context", 7, "context"},
      {"/benchmarks", json::object(), "benchmarks: is not a list"},
      {"/benchmarks/0", 7, "benchmarks[0]: is not an object"},
      {"/benchmarks/1", json::object(), "benchmarks[1]: has no 'set'"},
      // Where it comes from.
      {"/context/schema", GONE, "context: has no 'schema'"},
      {"/context/schema", 1, "context: has schema 1, and this version reads schema 2: record it"},
      {"/context/schema", 3, "context: has schema 3, and this version reads schema 2: use a newer"},
      {"/context/schema", "2", "context.schema: is not a whole number"},
      {"/context/schema", 2.5, "context.schema: is not a whole number"},
      {"/context/machine", "abacus", "context.machine: is neither 'simulator' nor 'cuda'"},
      {"/context/machine", GONE, "context: has no 'machine'"},
      {"/context/device", GONE, "context: has no 'device'"},
      {"/context/device", 7, "context.device: is not a text"},
      {"/context/device_detail", GONE, "context: has no 'device_detail'"},
      {"/context/date", 7, "context.date: is not a text"},
      {"/context/commit", 7, "context.commit: is not a text"},
      {"/context/uncommitted_changes", "no", "context.uncommitted_changes: is neither true nor"},
      {"/context/command_line", "x", "context.command_line: is not a list"},
      {"/context/command_line/1", 7, "context.command_line[1]: is not a text"},
      {"/context/multiprocessors", -1, "context.multiprocessors: is not between 0 and 2147483647"},
      {"/context/memory_bytes", 1.5, "context.memory_bytes: is not a whole number"},
      {"/context/power_limit_watts", 0, "context.power_limit_watts: is not between"},
      {"/context/clock_limit_mhz", "1980", "context.clock_limit_mhz: is not a number"},
      {"/context/ecc", 1, "context.ecc: is neither true nor false"},
      {"/context/roofs", 7, "context.roofs"},
      {"/context/roofs/fp32_gflops", -5, "context.roofs.fp32_gflops: is not between"},
      {"/context/roofs/copy_gbytes_per_second", 1e-300,
       "context.roofs.copy_gbytes_per_second: is not between"},
      // Who, and on what.
      {"/benchmarks/0/set", GONE, "benchmarks[0]: has no 'set'"},
      {"/benchmarks/0/kernel", GONE, "benchmarks[0]: has no 'kernel'"},
      {"/benchmarks/0/kernel", 3, "benchmarks[0].kernel: is not a text"},
      {"/benchmarks/0/kernel_id", -1, "benchmarks[0].kernel_id: is not between"},
      {"/benchmarks/0/variant", 7, "benchmarks[0].variant: is not a text"},
      {"/benchmarks/0/parameters", 7, "benchmarks[0].parameters: is not an object"},
      {"/benchmarks/0/parameters/stride", "8", "benchmarks[0].parameters.stride: is not a whole"},
      {"/benchmarks/0/m", -1, "benchmarks[0].m: is not between 0 and 1099511627775"},
      {"/benchmarks/0/m", 1.5, "benchmarks[0].m: is not a whole number"},
      {"/benchmarks/0/m", "64", "benchmarks[0].m: is not a whole number"},
      {"/benchmarks/0/m", UINT64_MAX, "benchmarks[0].m: is not between"},
      {"/benchmarks/0/n", GONE, "benchmarks[0]: has no 'n'"},
      {"/benchmarks/0/k", int64_t{1} << 40, "benchmarks[0].k: is not between"},
      {"/benchmarks/0/lda", 0, "benchmarks[0].lda: is not between 1 and"},
      {"/benchmarks/0/alpha", 1e39, "benchmarks[0].alpha: is not between"},
      {"/benchmarks/0/beta", "0", "benchmarks[0].beta: is not a number"},
      {"/benchmarks/0/seed", -1, "benchmarks[0].seed: is not a whole number from 0"},
      {"/benchmarks/0/path", 7, "benchmarks[0].path: is not a text"},
      // What was judged.
      {"/benchmarks/0/correct", GONE, "benchmarks[0]: has no 'correct'"},
      {"/benchmarks/0/correct", 1, "benchmarks[0].correct: is neither true nor false"},
      {"/benchmarks/0/max_abs_error", GONE, "benchmarks[0]: has no 'max_abs_error'"},
      {"/benchmarks/0/max_abs_error", "many", "benchmarks[0].max_abs_error: is not a number"},
      {"/benchmarks/0/error_over_bound", true, "benchmarks[0].error_over_bound: is not"},
      {"/benchmarks/0/elements_compared", -1, "benchmarks[0].elements_compared: is not between"},
      {"/benchmarks/0/error_message", 7, "benchmarks[0].error_message: is not a text"},
      {"/benchmarks/0/first_mismatch/row", -1, "benchmarks[0].first_mismatch.row: is not between"},
      {"/benchmarks/0/first_mismatch/got", "x",
       "benchmarks[0].first_mismatch.got: is not a number"},
      {"/benchmarks/0/promise", 7, "benchmarks[0].promise: is not a list"},
      {"/benchmarks/0/promise/1/kept", GONE, "benchmarks[0].promise[1]: has no 'kept'"},
      {"/benchmarks/0/promise/0/counter", "load_sector",
       "benchmarks[0].promise[0].counter: is no metric"},
      {"/benchmarks/0/promise/0/value", 1e19, "benchmarks[0].promise[0].value: is not between"},
      {"/benchmarks/0/promise/0/counted", "4", "benchmarks[0].promise[0].counted: is not a number"},
      {"/benchmarks/0/contract_checks", -1, "benchmarks[0].contract_checks: is not between"},
      {"/benchmarks/0/contract_broken", GONE, "benchmarks[0]: has no 'contract_broken'"},
      {"/benchmarks/0/doubts", "many", "benchmarks[0].doubts: is not a list"},
      // What was counted.
      {"/benchmarks/0/counts", json::array(), "benchmarks[0].counts: is not an object"},
      {"/benchmarks/0/counts/ffma", -1, "benchmarks[0].counts.ffma: is not a whole number from 0"},
      {"/benchmarks/0/counts/ffma", 1.5, "benchmarks[0].counts.ffma: is not a whole number from 0"},
      {"/benchmarks/0/counts/load_sectors/A", "4",
       "benchmarks[0].counts.load_sectors.A: is not a whole number from 0"},
      {"/benchmarks/0/simulation_seconds", -1, "benchmarks[0].simulation_seconds: is not between"},
      // What was measured.
      {"/benchmarks/0/samples_ms", json::array(), "benchmarks[0].samples_ms: is empty"},
      {"/benchmarks/0/samples_ms/3", 0, "benchmarks[0].samples_ms[3]: is not between"},
      {"/benchmarks/0/samples_ms/3", -1, "benchmarks[0].samples_ms[3]: is not between"},
      {"/benchmarks/0/samples_ms/3", 1e-300, "benchmarks[0].samples_ms[3]: is not between"},
      {"/benchmarks/0/samples_ms/3", 1e300, "benchmarks[0].samples_ms[3]: is not between"},
      {"/benchmarks/0/samples_ms/3", "1", "benchmarks[0].samples_ms[3]: is not a number"},
      {"/benchmarks/0/samples_ms/3", json::parse(many_digits),
       "benchmarks[0].samples_ms[3]: is not between"},
      {"/benchmarks/0/reference_samples_ms/5", 1,
       "benchmarks[0].reference_samples_ms: has not as many values as samples_ms"},
      {"/benchmarks/0/samples_of_runs", json::array({2, 2}),
       "benchmarks[0].samples_of_runs: does not add up to the number of samples_ms"},
      {"/benchmarks/0/samples_of_runs/0", 0, "benchmarks[0].samples_of_runs[0]: is not between"},
      {"/benchmarks/0/sample_seconds/5", 1,
       "benchmarks[0].sample_seconds: has not as many values as samples_ms"},
      {"/benchmarks/0/sample_seconds/0", -1, "benchmarks[0].sample_seconds[0]: is not between"},
      {"/benchmarks/0/sample_clocks_mhz/5", 1980,
       "benchmarks[0].sample_clocks_mhz: has not as many values as samples_ms"},
      {"/benchmarks/0/clocks_mhz/3", 1980, "benchmarks[0].clocks_mhz: has not three values"},
      {"/benchmarks/0/l2", "tepid", "benchmarks[0].l2: is neither 'warm' nor 'cold'"},
      {"/benchmarks/0/once", 0, "benchmarks[0].once: is neither true nor false"},
      {"/benchmarks/0/steady", GONE, "benchmarks[0]: has no 'steady'"},
      {"/benchmarks/0/is_reference", GONE, "benchmarks[0]: has no 'is_reference'"},
      {"/benchmarks/0/launches_per_sample", -1,
       "benchmarks[0].launches_per_sample: is not between"},
      {"/benchmarks/0/target_spread", 2, "benchmarks[0].target_spread: is not between 0 and 1"},
      {"/benchmarks/0/slowdowns/0", 7, "benchmarks[0].slowdowns[0]: is not a text"},
      {"/benchmarks/0/fp32_peak_gflops", 0, "benchmarks[0].fp32_peak_gflops: is not between"},
      // Kernels, lines, hazards.
      {"/benchmarks/0/kernels", 7, "benchmarks[0].kernels: is not a list"},
      {"/benchmarks/0/kernels/0/name", GONE, "benchmarks[0].kernels[0]: has no 'name'"},
      {"/benchmarks/0/kernels/0/grid/3", 1, "benchmarks[0].kernels[0].grid: has not three values"},
      {"/benchmarks/0/kernels/0/block/0", -1, "benchmarks[0].kernels[0].block[0]: is not between"},
      {"/benchmarks/0/kernels/0/registers", "254", "benchmarks[0].kernels[0].registers: is not"},
      {"/benchmarks/0/lines/0/line", "30", "benchmarks[0].lines[0].line: is not a whole number"},
      {"/benchmarks/0/lines/0/sectors", -1, "benchmarks[0].lines[0].sectors: is not a whole"},
      {"/benchmarks/0/hazards/0/kind", 7, "benchmarks[0].hazards[0].kind: is not a text"},
      {"/benchmarks/0/hazards/0/lines/1", 7, "benchmarks[0].hazards[0].lines[1]: is not a text"},
      {"/benchmarks/0/hazards/0/times", -1, "benchmarks[0].hazards[0].times: is not a whole"},
      {"/context/schedule", -1, "context.schedule: is not a whole"},
      // What a comparison found.
      {"/context/compared_with", 7, "context.compared_with: is not an object"},
      {"/context/compared_with/file", GONE, "context.compared_with: has no 'file'"},
      {"/context/compared_with/notes/0", 7, "context.compared_with.notes[0]: is not a text"},
      {"/benchmarks/0/comparison/verdict", "BETTER",
       "benchmarks[0].comparison.verdict: is no verdict"},
      {"/benchmarks/0/comparison/verdict", GONE, "benchmarks[0].comparison: has no 'verdict'"},
      {"/benchmarks/0/comparison/reasons", "many",
       "benchmarks[0].comparison.reasons: is not a list"},
      {"/benchmarks/0/comparison/base_percent/3", 1,
       "benchmarks[0].comparison.base_percent: has not three values"},
      {"/benchmarks/0/comparison/base_ms", -1, "benchmarks[0].comparison.base_ms: is not between"},
      {"/benchmarks/0/comparison/p_value", "x",
       "benchmarks[0].comparison.p_value: is not a number"},
  };
  for (const Damage& damage : damages) {
    EXPECT_THAT(refusal_of(damage), StartsWith(damage.complaint))
        << damage.where << " = " << damage.value;
  }
}

TEST(DamagedFile, ThatIsNoJsonIsToldFromOneThatEnds) {
  const std::string text = results::to_json(made::full());
  EXPECT_THAT(refusal(""), HasSubstr("it is empty"));
  EXPECT_THAT(refusal(text.substr(0, text.size() / 2)), HasSubstr("ends in the middle"));
  EXPECT_THAT(refusal("{\"context\": x}"), HasSubstr("it is not JSON from byte 13 on"));
  EXPECT_THAT(refusal("# README"), HasSubstr("it is not JSON from byte 1 on"));
  EXPECT_THAT(refusal("{\"context\": " + std::string(400, '7') + "}"), HasSubstr("too large"));
  EXPECT_THAT(refusal("[]"), HasSubstr("it is no run of sgemm_runner"));
  EXPECT_THAT(refusal("null"), HasSubstr("it is no run of sgemm_runner"));
  EXPECT_THAT(refusal(std::string(100000, '[')), HasSubstr("ends in the middle"));
}

// Names are printed: what would move the cursor or ring the bell is not taken over.
TEST(DamagedFile, BringsNoControlCharacters) {
  json file = sound_file();
  file.at("context").at("device") = "N\x1b[2J\r\x07\x7f X";
  file.at("benchmarks").at(0).at("kernel") =
      "na\tive\xc2\x9b\xc2\xb3";  // the last is CSI in one character
  file.at("benchmarks").at(0).at("counts")["lo\x1b[1mad"] = 4;
  file.at("benchmarks").at(0).at("error_message") = "one line\nand another";
  const results::Run run = results::run_from_json(file.dump());
  EXPECT_EQ(run.from.device, "N[2J X");
  EXPECT_EQ(run.results[0].who.name, "na ive³");
  EXPECT_EQ(run.results[0].seen.traffic->counts.back().key, "lo[1mad");
  EXPECT_EQ(run.results[0].judged.complaint, "one line\nand another");
}

TEST(DamagedFile, CutsATextThatIsTooLong) {
  json file = sound_file();
  file.at("benchmarks").at(0).at("kernel") = std::string(100000, 'x');
  EXPECT_LE(results::run_from_json(file.dump()).results[0].who.name.size(), 4096u);
}

class OnDisk : public testing::Test {
 protected:
  OnDisk() {
    std::string pattern = (fs::temp_directory_path() / "sgemm_results_test.XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~OnDisk() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(OnDisk, NamesTheFile) {
  const std::string path = (folder_ / "run.json").string();
  EXPECT_THAT(refusal_of_file(path), AllOf(HasSubstr(path), HasSubstr("there is no such file")));
  std::ofstream(path) << "";
  EXPECT_THAT(refusal_of_file(path), AllOf(HasSubstr(path), HasSubstr("it is empty")));
  std::ofstream(path) << "{}";
  EXPECT_THAT(refusal_of_file(path), AllOf(HasSubstr(path), HasSubstr("'context'")));
  EXPECT_THAT(refusal_of_file(folder_.string()),
              AllOf(HasSubstr(folder_.string()), HasSubstr("it is a directory")));
  std::ofstream(path) << results::to_json(made::full());
  EXPECT_EQ(results::read_run(path).results.size(), 1u);
}

TEST_F(OnDisk, TakesAPipe) {
  const std::string path = (folder_ / "pipe").string();
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const pid_t writer = fork();
  if (writer == 0) {
    std::ofstream(path) << results::to_json(made::full());
    _exit(0);
  }
  EXPECT_EQ(results::read_run(path).results.size(), 1u);
}

// Whatever was read can be shown.
void expect_run_or_refusal(const std::string& text, int& runs, int& refusals) {
  try {
    const results::Run run = results::run_from_json(text);
    ++runs;
    for (const int width : {0, 60}) {
      const text::Page page{.unicode = true, .width = width};
      results::to_table(run, {.ladder = &run, .labs = &run}, page);
      results::details(run, page);
      results::complaints(run, page);
    }
    results::to_markdown(run, {.ladder = &run, .labs = &run});
    results::to_csv(run);
  } catch (const results::Unusable& error) {
    ++refusals;
    EXPECT_STRNE(error.what(), "");
  }
}

TEST(DamagedFile, OfALabIsRefusedWithThePlaceNamed) {
  const Damage damages[] = {
      {"/context/labs", 7, "context.labs: is not a list"},
      {"/context/labs/0/lab", GONE, "context.labs[0]: has no 'lab'"},
      {"/context/labs/0/question", GONE, "context.labs[0]: has no 'question'"},
      {"/context/labs/0/answer", 7, "context.labs[0].answer: is not a text"},
      {"/benchmarks/0/idea", 7, "benchmarks[0].idea: is not a text"},
      {"/benchmarks/0/useful_bytes", -1, "benchmarks[0].useful_bytes: is not between"},
      {"/benchmarks/0/parameters/elements", "many", "benchmarks[0].parameters.elements: is not a"},
      {"/benchmarks/0/reference", "paste", "benchmarks[0].reference: is not 'copy'"},
      {"/benchmarks/1/skip_message", "", "benchmarks[1].skip_message: is empty"},
      {"/benchmarks/1/skip_message", GONE, "benchmarks[1]: has no 'correct'"},
  };
  for (const Damage& damage : damages) {
    EXPECT_THAT(refusal_of(damage, json::parse(results::to_json(made::of_a_lab()))),
                StartsWith(damage.complaint))
        << damage.where;
  }
}

TEST(DamagedFile, CutAnywhereIsRefused) {
  const std::string text = results::to_json(made::full());
  int runs = 0, refusals = 0;
  for (size_t i = 0; i < 200; ++i)
    expect_run_or_refusal(text.substr(0, i * (text.size() - 2) / 200), runs, refusals);
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(refusals, 200);
}

// Most bytes are digits and letters, so a good part of these files is still a run, and an odd one.
TEST(DamagedFile, WithBytesChangedIsARunOrRefused) {
  const std::string text = results::to_json(made::full());
  std::mt19937 random(1);
  int runs = 0, refusals = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string changed = text;
    for (int flips = 1 + i % 3; flips > 0; --flips) {
      const size_t at = random() % changed.size();
      // Every other time a digit for a digit: it stays JSON, and the values become odd.
      changed[at] = i % 2 == 0 && std::isdigit(static_cast<unsigned char>(changed[at])) != 0
                        ? static_cast<char>('0' + random() % 10)
                        : static_cast<char>(random());
    }
    expect_run_or_refusal(changed, runs, refusals);
  }
  EXPECT_EQ(runs + refusals, 2000);
  EXPECT_GT(runs, 100);
  EXPECT_GT(refusals, 100);
}

}  // namespace
