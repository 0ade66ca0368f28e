// `sgemm_runner playground`, as a user calls it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "test/support/files.hpp"
#include "test/support/process.hpp"

namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

Ended playground(std::vector<std::string> words) {
  words.insert(words.begin(), {SGEMM_RUNNER, "playground"});
  return run_program({.words = std::move(words)});
}

TEST(PlaygroundProgram, SaysWhereThePageIs) {
  const Ended ended = playground({});
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.out, "file://" SGEMM_SOURCE_DIR "/docs/playground.html\n");
  EXPECT_THAT(ended.err, HasSubstr("open this address in a browser"));
}

TEST(PlaygroundProgram, OpensWithAPreset) {
  EXPECT_THAT(playground({"banks/32"}).out, HasSubstr("/docs/playground.html#banks/32\n"));
  EXPECT_THAT(playground({"copy_width"}).out, HasSubstr("#copy_width/float\n"))
      << "a lab's name is its first variant";
  const Ended wrong = playground({"copy_strid"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.out, IsEmpty());
  EXPECT_THAT(wrong.err, HasSubstr("has no preset 'copy_strid'; did you mean 'copy_stride'?"));
}

TEST(PlaygroundProgram, WritesThePageAndNeverOverAFileOfTheUsers) {
  const TemporaryFolder folder;
  const std::string file = (folder / "a page.html").string();
  const Ended written = playground({"--output", file, "banks/2"});
  EXPECT_EQ(written.code, 0) << written.err;
  EXPECT_THAT(written.err, IsEmpty());
  EXPECT_THAT(written.out, StartsWith("file:///"));
  EXPECT_THAT(written.out, HasSubstr("/a%20page.html#banks/2\n"));
  EXPECT_THAT(contents(file), StartsWith("<!DOCTYPE html>"));

  std::ofstream(file) << "mine";
  const Ended refused = playground({"--output", file});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("is there already: --replace writes over it"));
  EXPECT_EQ(contents(file), "mine");
  EXPECT_EQ(playground({"--output", file, "--replace"}).code, 0);
  EXPECT_THAT(contents(file), StartsWith("<!DOCTYPE html>"));
  EXPECT_EQ(playground({"--replace"}).code, 2);
}

TEST(PlaygroundProgram, WritesItToAPipe) {
  const Ended ended = playground({"--output", "/dev/stdout"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, StartsWith("<!DOCTYPE html>"));
  EXPECT_TRUE(ended.out.ends_with("</html>\n")) << "and nothing behind it";
}

}  // namespace
