// A class's files, summed up.
#include "workshop/desk/class_progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/error.hpp"
#include "test/support/files.hpp"

namespace {

using runner::Error;
using testing::HasSubstr;
using testing::Not;
using workshop::Learner;
using workshop::Progress;
using workshop::Step;

constexpr text::Page UTF8{.color = false, .unicode = true, .width = 100};

// Four learners: two have the same name, and most are stuck at rung 2.
class ClassProgress : public testing::Test {
 protected:
  void SetUp() override {
    const Step stuck{.opened = "2026-11-22T10:00:00Z",
                     .checks = 4,
                     .hints = 2,
                     .endings = {{"wrong_result", 3}, {"does_not_compile", 1}},
                     .known = {{"Rows and columns changed places", 2}}};
    Step solved = stuck;
    solved.solved = "2026-11-22T11:00:00Z";
    solved.endings["right"] = 9;
    const Step quick{
        .opened = "2026-11-22T10:00:00Z", .solved = "2026-11-22T10:05:00Z", .checks = 1};
    const Step put_off{.opened = "2026-11-22T10:00:00Z", .skipped = "2026-11-22T10:05:00Z"};
    add("anna.json", {.learner = "anna", .steps = {{"01_naive", quick}, {"02_coalesced", solved}}});
    add("ben.json", {.learner = "ben", .steps = {{"01_naive", quick}, {"02_coalesced", stuck}}});
    add("s1.json",
        {.learner = "student", .steps = {{"02_coalesced", stuck}, {"numbering", quick}}});
    add("s2.json", {.learner = "student", .steps = {{"02_coalesced", put_off}}});
  }
  void add(const char* name, const Progress& progress) {
    files_.push_back((folder_ / name).string());
    workshop::write_progress(files_.back(), progress);
  }

  TemporaryFolder folder_;
  std::vector<std::string> files_;
};

// Makes each text of a learner's file hostile, one after the other.
TEST_F(ClassProgress, NothingOfAFileReachesTheTeachersTerminalAsItIs) {
  constexpr const char* HOSTILE = "\033[31m\xC2\x9B\u202E\r\nsolved";
  const std::string file = files_.front();
  const nlohmann::json sound = nlohmann::json::parse(contents(file));
  int texts = 0;
  const auto expect_plain = [&](const nlohmann::json& damaged) {
    std::ofstream(file) << damaged.dump();
    std::string shown;
    testing::internal::CaptureStderr();
    try {
      const std::vector<Learner> learners = workshop::read_class(files_);
      shown = workshop::class_as_text(learners, UTF8) + workshop::class_as_json(learners);
    } catch (const Error& error) {
      shown = error.what();
    }
    shown += testing::internal::GetCapturedStderr();
    ++texts;
    for (const char* forbidden : {"\033", "\xC2\x9B", "\u202E", "\r"})
      EXPECT_THAT(shown, Not(HasSubstr(forbidden))) << damaged.dump();
  };
  const nlohmann::json flat = sound.flatten();
  for (const auto& [where, value] : flat.items()) {
    const nlohmann::json::json_pointer at(where);
    nlohmann::json damaged = sound;
    damaged[at] = (value.is_string() ? value.get<std::string>() : "") + HOSTILE;
    expect_plain(damaged);
    if (!sound.at(at.parent_pointer()).is_object()) continue;
    damaged = sound;
    damaged[at.parent_pointer()][at.back() + HOSTILE] = value;
    expect_plain(damaged);
  }
  EXPECT_GT(texts, 20);
}

// Returns the line of a text with this beginning.
std::string line_of(const std::string& text, const std::string& beginning) {
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with(beginning)) return line;
  }
  return "";
}

TEST_F(ClassProgress, IsATableOfLearnersByExercises) {
  const std::string text = class_as_text(workshop::read_class(files_), UTF8);
  const std::string heading = line_of(text, "learner");
  ASSERT_FALSE(heading.empty()) << text;
  // In the course's order: the lab numbering, called a, then rungs 1 and 2.
  EXPECT_THAT(heading, testing::EndsWith("solved hints   a  1  2"));
  EXPECT_THAT(line_of(text, "anna "), testing::EndsWith("     2     2      ✓ ✓2"));
  EXPECT_THAT(line_of(text, "ben "), testing::EndsWith("     1     2      ✓ …2"));
  EXPECT_THAT(text, HasSubstr("a numbering"));
  EXPECT_THAT(text, Not(HasSubstr("copy_stride"))) << "nobody has begun it";
}

TEST_F(ClassProgress, TellsLearnersOfOneNameApartByTheirFiles) {
  const std::vector<Learner> learners = workshop::read_class(files_);
  EXPECT_EQ(learners[0].called, "anna");
  EXPECT_EQ(learners[2].called, "student (" + files_[2] + ")");
  EXPECT_EQ(learners[3].called, "student (" + files_[3] + ")");
}

TEST_F(ClassProgress, NamesWhereMostAreStuck) {
  const std::string text = class_as_text(workshop::read_class(files_), {.width = 0});
  EXPECT_THAT(line_of(text, " 02_coalesced:"),
              HasSubstr("2 of 4 who began, after 12 checks and 6 hints; 'Rows and columns changed "
                        "places' 6 times; ended with 'wrong_result' 9 times"));
  EXPECT_THAT(text, Not(HasSubstr(" 01_naive:"))) << "nobody is stuck there";
}

TEST_F(ClassProgress, FitsThePage) {
  Progress all{.learner = "somebody with a name of more than any page's width, or so it seems"};
  for (const auto& exercise : {"numbering",
                               "copy_stride",
                               "01_naive",
                               "mappings",
                               "vector_add",
                               "copy_offset",
                               "03_shared_tile",
                               "structures",
                               "copy_width",
                               "banks",
                               "transpose",
                               "04_register_tile_1d",
                               "05_register_tile_2d",
                               "06_vector_float4",
                               "07_vector_float8",
                               "08_conflict_free",
                               "09_warp_tile",
                               "gather",
                               "embedding",
                               "10_async_pipeline",
                               "mystery"}) {
    all.steps[exercise] = {.opened = "2026-11-22T10:00:00Z"};
  }
  add("all.json", all);
  for (const int width : {60, 80, 120}) {
    const std::string text =
        class_as_text(workshop::read_class(files_), {.unicode = true, .width = width});
    for (const std::string& line : lines_of(text)) {
      if (line.starts_with(" ") || line.starts_with("    "))
        continue;  // wrapped, because a file's name is long
      EXPECT_LE(text::display_width(line), width) << line;
    }
    EXPECT_THAT(text, HasSubstr(" 10")) << "the columns that found no room stand below";
  }
}

TEST_F(ClassProgress, IsJsonWithTheSums) {
  const auto json = nlohmann::json::parse(class_as_json(workshop::read_class(files_)));
  EXPECT_EQ(json["sgemm_workshop_class"], 1);
  ASSERT_EQ(json["learners"].size(), 4u);
  EXPECT_EQ(json["learners"][0]["solved"], 2);
  EXPECT_EQ(json["learners"][1]["exercises"]["02_coalesced"]["hints"], 2);
  ASSERT_EQ(json["exercises"].size(), 3u);
  const auto& coalesced = json["exercises"][2];
  EXPECT_EQ(coalesced["exercise"], "02_coalesced");
  EXPECT_EQ(coalesced["begun"], 4);
  EXPECT_EQ(coalesced["solved"], 1);
  EXPECT_EQ(coalesced["skipped"], 1);
  EXPECT_EQ(coalesced["stuck"], 2);
  EXPECT_EQ(coalesced["known_wrong_answers"]["Rows and columns changed places"], 6);
}

TEST_F(ClassProgress, LeavesOutWhatCannotBeUsedAndSaysSo) {
  std::ofstream(folder_ / "torn.json") << "{\"sgemm_workshop_progress\": 1, ";
  files_.push_back((folder_ / "torn.json").string());
  files_.push_back((folder_ / "nowhere.json").string());
  testing::internal::CaptureStderr();
  EXPECT_EQ(workshop::read_class(files_).size(), 4u);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("torn.json' is no progress file"));
  EXPECT_THAT(said, HasSubstr("there is no file '" + files_.back() + "'; it is left out"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "torn.json")) << "it is a learner's: it stays";
  testing::internal::CaptureStderr();
  EXPECT_THROW(workshop::read_class({files_[4], files_[5]}), Error);
  testing::internal::GetCapturedStderr();
}

}  // namespace
