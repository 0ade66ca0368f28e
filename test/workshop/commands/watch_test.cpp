// A file is watched while somebody works on it. Nothing depends on the time: a script changes the file in order, at the
// pauses between two looks.
#include "workshop/commands/watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "test/support/files.hpp"

namespace {

namespace fs = std::filesystem;

using testing::ElementsAre;

constexpr int LONG = 40;  // pauses: after these every save has been reported

void write(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

// The actions at the pauses, one after the other.
class Script {
 public:
  Script& then(std::function<void()> action) {
    actions_.push_back(std::move(action));
    return *this;
  }
  Script& wait(int pauses = LONG) {
    for (int i = 0; i < pauses; ++i) actions_.push_back([] {});
    return *this;
  }
  // Returns the file's contents at each reported save, and "gone".
  std::vector<std::string> told(
      const fs::path& file, const std::function<void()>& during_a_call = [] {}) {
    std::vector<std::string> told;
    size_t next = 0;
    workshop::watch(
        file.string(),
        {.is_over = [&] { return next == actions_.size(); },
         .pause = [&](std::chrono::milliseconds) { actions_[next++](); }},
        [&] {
          told.push_back(fs::is_regular_file(file) ? contents(file) : "no file");
          during_a_call();
        },
        [&] { told.emplace_back("gone"); });
    return told;
  }

 private:
  std::vector<std::function<void()>> actions_;
};

class Watch : public testing::Test {
 protected:
  Watch() { write(file_, "first"); }
  TemporaryFolder folder_;
  const fs::path file_ = folder_ / "mine.cu";
};

TEST_F(Watch, TellsTheFileAsItIsAndNothingMoreWhileItRests) {
  EXPECT_THAT(Script().wait().told(file_), ElementsAre("first"));
}

TEST_F(Watch, TellsEachSave) {
  EXPECT_THAT(Script()
                  .wait()
                  .then([&] { write(file_, "second, longer"); })
                  .wait()
                  .then([&] { write(file_, "third, shorter"); })
                  .wait()
                  .told(file_),
              ElementsAre("first", "second, longer", "third, shorter"));
}

// The file has as many bytes as before, so only its time shows the save. The test sets that time itself.
TEST_F(Watch, TellsASaveThatLeavesTheSize) {
  EXPECT_THAT(Script()
                  .wait()
                  .then([&] {
                    write(file_, "FIRST");
                    fs::last_write_time(file_,
                                        fs::last_write_time(file_) + std::chrono::seconds(5));
                  })
                  .wait()
                  .told(file_),
              ElementsAre("first", "FIRST"));
}

// vim: the file gets another name, a new file is written, and the old one goes.
TEST_F(Watch, TakesAnEditorsRenamingForOneSave) {
  EXPECT_THAT(Script()
                  .wait()
                  .then([&] { fs::rename(file_, folder_ / "mine.cu~"); })
                  .then([&] { write(file_, ""); })
                  .then([&] { write(file_, "second"); })
                  .then([&] { fs::remove(folder_ / "mine.cu~"); })
                  .wait()
                  .told(file_),
              ElementsAre("first", "second"));
}

// Other editors write a new file and give it the name, here with the same size and time.
TEST_F(Watch, SeesThatAnotherFileHasTheName) {
  EXPECT_THAT(Script()
                  .wait()
                  .then([&] {
                    write(folder_ / "new", "other");
                    fs::last_write_time(folder_ / "new", fs::last_write_time(file_));
                    fs::rename(folder_ / "new", file_);
                  })
                  .wait()
                  .told(file_),
              ElementsAre("first", "other"));
}

TEST_F(Watch, WaitsUntilTheWritingEnds) {
  Script script;
  script.wait();
  std::string text;
  for (int i = 0; i < 30; ++i) {
    text += "more";
    script.then([this, text] { write(file_, text); });
  }
  EXPECT_THAT(script.wait().told(file_), ElementsAre("first", text));
}

TEST_F(Watch, SaysOnceThatTheFileIsGoneAndWaitsForIt) {
  EXPECT_THAT(Script()
                  .wait()
                  .then([&] { fs::remove(file_); })
                  .wait(3 * LONG)
                  .then([&] { write(file_, "again"); })
                  .wait()
                  .told(file_),
              ElementsAre("first", "gone", "again"));
}

TEST_F(Watch, SeesWhatWasSavedDuringACall) {
  int calls = 0;
  EXPECT_THAT(Script().wait(2 * LONG).told(file_,
                                           [&] {
                                             if (++calls == 1) write(file_, "meanwhile");
                                           }),
              ElementsAre("first", "meanwhile"));
}

TEST(Rule, GoesAcrossThePage) {
  EXPECT_EQ(workshop::rule("14:03:27", {.width = 20}), "---- 14:03:27 ------\n");
  EXPECT_EQ(workshop::rule("14:03:27", {.unicode = true, .width = 16}), "──── 14:03:27 ──\n");
  EXPECT_EQ(workshop::rule("14:03:27", {}).size(), 61U);
  EXPECT_THAT(workshop::time_of_day(), testing::MatchesRegex("[0-9][0-9]:[0-9][0-9]:[0-9][0-9]"));
}

}  // namespace
