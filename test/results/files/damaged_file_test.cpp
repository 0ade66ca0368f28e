// The reader refuses files that are no run, or a damaged one. It names the place and never crashes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "results/files/json.hpp"
#include "results/tables/table.hpp"
#include "test/results/made_runs.hpp"
#include "test/support/files.hpp"

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

TEST(DamagedFile, TheSoundOneIsRead) {
  EXPECT_EQ(results::run_from_json(sound_file().dump()).results.size(), 1u);
}

// C++ and Python both read these files: test/plots/results_test.py expects the same refusals.
TEST(DamagedFile, IsRefusedWithThePlaceNamed) {
  const std::string folder = SGEMM_TABLES "/../runs/";
  const std::map<std::string, std::string> sound = {
      {"sound", results::to_json(made::full())},
      {"sound_lab", results::to_json(made::of_a_lab())},
      {"sound_distributed", results::to_json(made::of_two_processes())},
      {"sound_acceptance", results::to_json(made::of_three_gpus())}};
  for (const auto& [name, text] : sound) {
    const std::string file = folder + name + ".json";
    if (std::getenv("SGEMM_WRITE_TABLES") != nullptr) std::ofstream(file) << text;
    EXPECT_EQ(contents(file), text) << "SGEMM_WRITE_TABLES=1 writes it anew";
  }
  const json damages = json::parse(contents(folder + "damages.json"));
  EXPECT_GT(damages.size(), 125u);
  for (const json& damage : damages) {
    json file = json::parse(sound.at(damage.at("run")));
    const json::json_pointer at(damage.at("at").get<std::string>());
    if (damage.contains("gone")) {
      EXPECT_EQ(file.at(at.parent_pointer()).erase(at.back()), 1u) << at;
    } else {
      file[at] = damage.at("value");
    }
    EXPECT_THAT(refusal(file.dump()), StartsWith(damage.at("complaint").get<std::string>()))
        << damage;
  }
}

// Only the program knows the list of counters.
TEST(DamagedFile, ThatClaimsWhatNobodyCountsIsRefused) {
  json file = sound_file();
  file.at("benchmarks").at(0).at("promise").at(0).at("counter") = "load_sector";
  EXPECT_THAT(refusal(file.dump()), StartsWith("benchmarks[0].promise[0].counter: is no metric"));
}

// Readers would choose different members if two have one name, and endless nesting would never be read.
TEST(DamagedFile, ThatTwoReadersReadDifferentlyIsRefused) {
  const std::string text = results::to_json(made::full());
  const auto with = [&](const std::string& old, const std::string& now) {
    const size_t at = text.find(old);
    EXPECT_NE(at, text.npos) << old;
    return std::string(text).replace(at, old.size(), now);
  };
  EXPECT_THAT(refusal(with("\"m\": ", "\"m\": 1, \"m\": ")),
              HasSubstr("'m' stands twice in one object"));
  EXPECT_THAT(refusal(with("\"device\": \"", "\"device\": \"\\ud800")),
              HasSubstr("it is not JSON"));
  std::string utf16;
  for (const char c : text) utf16 += {c, '\0'};
  EXPECT_THAT(refusal(utf16), HasSubstr("it is UTF-16"));
  EXPECT_THAT(refusal("\xFF\xFE" + utf16), HasSubstr("it is UTF-16"));
  EXPECT_THAT(refusal(std::string(200'000'000, '[')), HasSubstr("nested deeper than 16"));
  EXPECT_EQ(refusal("\xEF\xBB\xBF" + text), "nothing was refused")
      << "a mark that some editors write";
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
}

// Names are printed, so characters that move the cursor or ring the bell are removed.
TEST(DamagedFile, BringsNoControlCharacters) {
  json file = sound_file();
  file.at("context").at("device") = "N\x1b[2J\r\x07\x7f X";
  file.at("benchmarks").at(0)["idea"] =
      "na\tive\xc2\x9b\xc2\xb3";  // the last is CSI in one character
  file.at("benchmarks").at(0).at("counts")["lo\x1b[1mad"] = 4;
  file.at("benchmarks").at(0).at("error_message") = "one line\nand another";
  const results::Run run = results::run_from_json(file.dump());
  EXPECT_EQ(run.from.device, "N[2J X");
  EXPECT_EQ(run.results[0].idea, "na ive³");
  EXPECT_EQ(run.results[0].seen.traffic->counts.back().key, "lo[1mad");
  EXPECT_EQ(run.results[0].judged.complaint, "one line\nand another");
}

TEST(DamagedFile, CutsATextThatIsTooLong) {
  json file = sound_file();
  file.at("benchmarks").at(0)["idea"] = std::string(100000, 'x');
  EXPECT_LE(results::run_from_json(file.dump()).results[0].idea.size(), 4096u);
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

// Expects a run that can be shown, or a refusal.
void expect_run_or_refusal(const std::string& text, int& runs, int& refusals) {
  try {
    const results::Run run = results::run_from_json(text);
    ++runs;
    for (const int width : {0, 60}) {
      const text::Page page{.unicode = true, .width = width};
      results::to_table(run, {run}, page);
      results::details(run, page);
      results::complaints(run, page);
    }
    results::to_markdown(run, {run});
    results::to_csv(run);
  } catch (const results::Unusable& error) {
    ++refusals;
    EXPECT_STRNE(error.what(), "");
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

// Most bytes are digits and letters, so many of these files are still runs, with odd values.
TEST(DamagedFile, WithBytesChangedIsARunOrRefused) {
  const std::string text = results::to_json(made::full());
  std::mt19937 random(1);
  int runs = 0, refusals = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string changed = text;
    for (int flips = 1 + i % 3; flips > 0; --flips) {
      const size_t at = random() % changed.size();
      // Every other time a digit replaces a digit: the file stays JSON, and the values become odd.
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
