// A learner's progress: a written file is read again; a damaged one is reported and kept.
#include "workshop/desk/progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "app/error.hpp"
#include "test/support/files.hpp"
#include "workshop/words/text_file.hpp"

namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using workshop::Progress;

const Progress SOME{.learner = "ada",
                    .steps = {{"02_coalesced",
                               {.opened = "2026-11-22T10:00:00+00:00",
                                .solved = "2026-11-22T10:20:00+00:00",
                                .skipped = {},
                                .seen = {},
                                .opening = 3,
                                .ending = 4,
                                .checks = 3,
                                .hints = 1,
                                .hole = 'b',
                                .endings = {{"wrong_result", 2}, {"right", 1}},
                                .known = {{"The lanes still leap", 2}}}},
                              {"copy_stride", {}}}};

struct ProgressFile : testing::Test {
  TemporaryFolder folder;
  std::string path = folder / "progress.json";

  std::string refusal(const std::string& text) const {
    std::ofstream(path) << text;
    try {
      static_cast<void>(workshop::read_progress(path));
    } catch (const runner::Error& error) {
      EXPECT_EQ(error.code(), runner::ExitCode::usage);
      return error.what();
    }
    return "";
  }
};

TEST_F(ProgressFile, IsReadAsItWasWritten) {
  workshop::write_progress(path, SOME);
  EXPECT_EQ(workshop::read_progress(path), SOME);
}

TEST_F(ProgressFile, ThatIsNotThereIsAnEmptyOne) {
  EXPECT_TRUE(workshop::read_progress(path).steps.empty());
}

TEST_F(ProgressFile, ThatIsDamagedIsToldWithItsNameAndReason) {
  EXPECT_THAT(refusal(""), HasSubstr("it is empty"));
  EXPECT_THAT(refusal(std::string(1'000'000, '[')), HasSubstr("nested deeper than"));
  EXPECT_THAT(refusal(R"({"learner": "anna", "learner": "ben"})"),
              HasSubstr("'learner' stands twice"));
  EXPECT_THAT(refusal("{\"sgemm_workshop_progress\": 1, \"exer"),
              HasSubstr("progress.json' is no progress file: it is not whole"));
  EXPECT_THAT(refusal("[]"), HasSubstr("it has no key 'sgemm_workshop_progress'"));
  EXPECT_THAT(refusal("{\"sgemm_workshop_progress\": 7}"), HasSubstr("it is of version 7"));
  EXPECT_THAT(refusal("{\"sgemm_workshop_progress\": 1}"), HasSubstr("has no 'exercises'"));
  EXPECT_THAT(
      refusal(
          R"({"sgemm_workshop_progress": 1, "exercises": {"02_coalesced": {"checks": "three"}}})"),
      HasSubstr("02_coalesced.checks: is not a whole number"));
  EXPECT_THAT(refusal(R"({"sgemm_workshop_progress": 1, "exercises": {"02_coalesced": 5}})"),
              Not(IsEmpty()));
}

TEST_F(ProgressFile, OfTheLearnersOwnThatIsDamagedIsKeptAndANewOneBegun) {
  std::ofstream(path) << "scribbled";
  testing::internal::CaptureStderr();
  EXPECT_TRUE(workshop::own_progress(path).steps.empty());
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("progress.1.json, and a new one is begun"));
  EXPECT_EQ(workshop::read_text(folder / "backup/progress.1.json"), "scribbled");
}

TEST_F(ProgressFile, ABackupReplacesNone) {
  for (const char* text : {"first", "second"}) {
    std::ofstream(path) << text;
    static_cast<void>(workshop::move_to_backup(path));
    EXPECT_FALSE(fs::exists(path));
  }
  EXPECT_EQ(workshop::read_text(folder / "backup/progress.1.json"), "first");
  EXPECT_EQ(workshop::read_text(folder / "backup/progress.2.json"), "second");
}

}  // namespace
