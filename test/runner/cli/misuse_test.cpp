// A senseless command line is refused with exit code 2 and one line that says what would be right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "runner/machine/machine.hpp"
#include "test/support/files.hpp"
#include "test/support/process.hpp"

namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

const std::string README = SGEMM_SOURCE_DIR "/README.md";
const std::string TABLES = SGEMM_SOURCE_DIR "/test/data/tables";

// Runs sgemm_runner with these words.
Ended run(std::vector<std::string> words) {
  words.insert(words.begin(), SGEMM_RUNNER);
  return run_program({.words = std::move(words)});
}

struct Misuse {
  std::vector<std::string> words;
  const char* hint;  // a text that the line must contain
};

void expect_refused(const std::vector<Misuse>& cases) {
  for (const auto& [words, hint] : cases) {
    const Ended ended = run(words);
    // Only a device tells whether a size fits.
    if (ended.code == 77) continue;
    std::string line = "sgemm_runner";
    for (const std::string& word : words) line += " '" + word.substr(0, 50) + "'";
    EXPECT_EQ(ended.code, 2) << line;
    EXPECT_THAT(ended.out, IsEmpty()) << line;
    EXPECT_THAT(ended.err, StartsWith("sgemm_runner: ")) << line;
    EXPECT_THAT(ended.err, HasSubstr(hint)) << line;
    EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << line << "\n" << ended.err;
    EXPECT_LT(ended.err.size(), 400u) << line;
    for (const char c : ended.err)
      EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << line;
  }
}

TEST(Misuse, OfKernels) {
  expect_refused({
      {{}, "name a kernel: a number, a name, 1-3 or all"},
      {{"99"}, "there is no kernel 99: they are numbered 0 to"},
      {{"1-99"}, "there is no kernel 99"},
      {{"3-1"}, "runs backwards; write 1-3"},
      {{"naiev"}, "did you mean 'naive'?"},
      {{"tabel"}, "did you mean 'table'?"},
      {{""}, "a kernel's name is empty"},
      {{"1,,2"}, "a kernel's name is empty"},
      {{"mine.cu"}, "say --kernel mine.cu"},
      {{"run.json"}, "say --json=run.json"},
      {{"--json", "run.json", "2"}, "to write JSON into that file, say --json=run.json"},
  });
}

TEST(Misuse, OfSizes) {
  expect_refused({
      {{"1", "--size", "many"}, "write 4096, or MxNxK"},
      {{"1", "--size", ""}, "write 4096, or MxNxK"},
      {{"1", "--size", "64,,32"}, "write 4096, or MxNxK"},
      {{"1", "--size", "64,"}, "write 4096, or MxNxK"},
      {{"1", "--size", "4x5"}, "has 2 dimensions: write one, or three"},
      {{"1", "--size", "999999999999999999999"}, "out of range"},
      {{"1", "--size", "-1"}, "write 4096, or MxNxK"},
      {{"1", "--size"}, "--size needs a value: --size N|MxNxK"},
  });
}

TEST(Misuse, OfADeviceForWhatIsCounted) {
  if (!runner::machine::MEASURES_TIME) return;  // show_test.cpp
  expect_refused({{{"show", "2"}, "say ./sgemm_runner show --build sim"}});
}

TEST(Misuse, OfSizesThatDoNotFitTheDevice) {
  const std::string baseline = "--baseline=" + TABLES + "/cuda.json";
  for (const char* size : {"1000000", "1099511627775"}) {
    const Ended ended = run({"1", "-q", "--size", size, baseline});
    if (ended.code == 77) continue;  // no device to ask
    EXPECT_EQ(ended.code, 2);
    EXPECT_THAT(ended.err, AllOf(HasSubstr("GiB of device memory, and "), HasSubstr(" has ")));
    EXPECT_THAT(ended.err, Not(HasSubstr("and simulated GPU")));
    EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
  }
}

TEST(Misuse, OfNumbers) {
  expect_refused({
      {{"1", "--alpha", ""}, "--alpha '' is not understood: write a number"},
      {{"1", "--beta", ""}, "--beta '' is not understood: write a number"},
      {{"1", "--alpha", "x"}, "--alpha 'x' is not understood"},
      {{"1", "--alpha", "nan"}, "--alpha 'nan' is not understood"},
      {{"1", "--alpha", "3.5e38"}, "beyond FP32"},
      {{"1", "--alpha="}, "--alpha needs a value: --alpha X"},
      {{"1", "--alpha"}, "--alpha needs a value: --alpha X"},
      {{"1", "--alpha", "1", "--alpha", "2"}, "--alpha stands there 2 times"},
      {{"1", "--lda", ""}, "--lda '' is not understood: write a whole number"},
      {{"1", "--ldb", ""}, "--ldb '' is not understood: write a whole number"},
      {{"1", "--ldc", ""}, "--ldc '' is not understood: write a whole number"},
      {{"1", "--offset-a", "64"}, "--offset-a 64 does not fit: it must be from 0 to 63"},
      {{"1", "--offset-c", "-1"}, "--offset-c -1 does not fit: it must be from 0 to 63"},
      {{"1", "--size", "64", "--lda", "10"}, "a row of A has 64 elements"},
      {{"1", "--size", "64", "--ldb", "-1"}, "a row of B has 64 elements"},
      {{"1", "--ldc", "99999999999999999999"}, "to 1099511627775"},
      {{"1", "--seed", ""}, "--seed '' is not understood"},
      {{"1", "--seed", "-1"}, "write a whole number from 0"},
      {{"1", "--seed", "18446744073709551616"}, "it is at most 18446744073709551615"},
      {{"1", "--time", ""}, "seconds above 0"},
      {{"1", "--time", "0"}, "seconds above 0"},
      {{"1", "--samples", ""}, "write a whole number"},
      {{"1", "--samples", "0"}, "from 1 to 1000000"},
      {{"1", "--samples", "1000001"}, "from 1 to 1000000"},
  });
}

TEST(Misuse, OfOutput) {
  expect_refused({
      {{"1", "--json", "--json"}, "--json stands there twice"},
      {{"1", "--json=a.json", "--json=b.json"}, "--json stands there twice"},
      {{"1", "--json="}, "--json= needs a file name"},
      {{"1", "--csv", "--md"}, "only one of --json, --csv and --md"},
      {{"1", "--json", "--csv"}, "only one of --json, --csv and --md"},
      {{"1", "-q", "-v"}, "-q and -v exclude each other"},
      {{"1", "--warm", "--cold"}, "--warm and --cold exclude each other"},
      {{"1", "--energy", "--cold"}, "--energy and --cold exclude each other"},
      {{"1", "--energy", "--once"}, "--energy and --once exclude each other"},
      {{"1", "--color", "sometimes"}, "--color 'sometimes' is not understood: write auto, always"},
      {{"1", "--color", ""}, "--color '' is not understood: write auto, always"},
      {{"1", "--szie", "3"}, "did you mean '--size'?"},
      {{"1", "-x"}, "unknown option '-x'"},
  });
}

// Wrong uses of the option for a recorded run.
TEST(Misuse, OfTheBaseline) {
  if (run({"table", TABLES + "/simulator.json"}).code != 0) FAIL();
  const std::string saved = TABLES + "/simulator.json";
  expect_refused({
      {{"table", saved, "--baseline", README}, "it is not JSON from byte 1 on"},
      {{"table", saved, "--baseline", "/nowhere.json"}, "there is no such file"},
      {{"table", saved, "--baseline", ""}, "there is no such file"},
      {{"table", saved, "--baseline", TABLES}, "it is a directory"},
      {{"table", saved, "--baseline", saved}, "it has no per cent of cuBLAS at 4096"},
      {{"table", TABLES + "/lab_simulator.json", "--baseline", TABLES + "/cuda.json"},
       "it has no lab's per cent of a copy"},
      {{"table", saved, "--baseline"}, "--baseline needs a value: --baseline FILE"},
  });
}

TEST(Misuse, OfSubcommands) {
  const std::string saved = TABLES + "/cuda.json";
  expect_refused({
      {{"list", "2"}, "to run one, say 'sgemm_runner 2'"},
      {{"list", "--numbers", "2"}, "'list' does not take '2'"},
      {{"1", "list"}, "'list' takes no kernels"},
      {{"list", "--numbers", "--json"}, "exclude each other"},
      {{"list", "--numbrs"}, "did you mean '--numbers'?"},
      {{"table"}, "'table' needs a file"},
      {{"table", "/nowhere/run.json"}, "'/nowhere/run.json' cannot be used: there is no such file"},
      {{"table", README}, "cannot be used: it is not JSON from byte 1 on"},
      {{"table", TABLES}, "cannot be used: it is a directory"},
      {{"table", saved, "2"}, "'table' does not take '2'"},
      {{"2", "table"}, "'table' takes no kernels"},
      {{"table", "list"}, "'list' cannot be used: there is no such file"},
      {{"table", saved, "--json=copy.json"}, "the file is a run in JSON already; copy it"},
      {{"table", saved, "--cold"}, "unknown option '--cold'"},
  });
}

TEST(Misuse, OfLabs) {
  expect_refused({
      {{"lab", "copystride"}, "there is no lab 'copystride'; did you mean 'copy_stride'?"},
      {{"lab", ""}, "a lab's name is empty"},
      {{"lab", "copy_stride/9"}, "has no variant '9': it has 1, 2, 4"},
      {{"lab", "copy_stride/1/2"}, "has no variant '1/2'"},
      {{"lab", "copy_stride", "--elements", "0"}, "--elements 0 does not fit: for copy_stride it"},
      {{"lab", "copy_stride", "--elements", "99999999999999999999"}, "it must be from 1 to"},
      {{"lab", "copy_stride", "--elements", "many"}, "write a whole number"},
      {{"lab", "copy_stride", "--elements"}, "--elements needs a value: --elements N"},
      {{"lab", "copy_stride", "--elements", "1", "--elements", "2"}, "stands there 2 times"},
      {{"lab", "copy_stride", "--elemnets", "1"}, "did you mean '--elements'?"},
      {{"lab", "copy_stride", "--seed", "1"}, "unknown option '--seed'"},
      {{"lab", "--elements", "5"}, "name a lab, or all"},
      {{"lab", "-v"}, "name a lab, or all"},
      {{"lab", "--json=labs.json"}, "name a lab, or all"},
      {{"lab", "copy_stride", "--csv", "--md"}, "only one of --json, --csv and --md"},
      {{"lab", "copy_stride", "--samples", "0"}, "from 1 to 1000000"},
      {{"lab", "copy_stride", "--json=/nowhere/labs.json"}, "cannot write to '/nowhere/labs.json'"},
      {{"2", "lab"}, "'lab' takes no kernels"},
      {{"copy_stride"}, "'copy_stride' is a lab: say 'sgemm_runner lab copy_stride'"},
  });
}

// Nothing half-written is left: the file is unchanged.
TEST(Misuse, OfLabsLeavesTheFileThatWasThere) {
  const TemporaryFolder folder;
  const std::string path = (folder / "labs.json").string();
  std::ofstream(path) << "old";
  expect_refused({{{"lab", "copy_stride,nothing", "--json=" + path}, "there is no lab 'nothing'"},
                  {{"lab", "copy_stride", "--elements", "0", "--json=" + path}, "does not fit"}});
  EXPECT_EQ(contents(path), "old");
  EXPECT_EQ(folder.entries(), 1);
}

// A foreign text is not echoed unchanged: it must neither move the cursor nor fill the screen.
TEST(Misuse, WithControlCharactersAndLongWords) {
  const std::string cursor = "4\x1b[2J\r\x07";
  const std::string word(100000, 'x');
  for (const std::string& odd : {cursor, word}) {
    expect_refused({
        {{odd}, "there is no kernel"},
        {{"1", "--size", odd}, "is not understood"},
        {{"1", "--alpha", odd}, "is not understood"},
        {{"1", "--seed", odd}, "is not understood"},
        {{"1", "--color", odd}, "is not understood"},
        {{"1", "--" + odd}, "unknown option"},
        {{"table", odd}, "cannot be used"},
        {{"list", odd}, "'list' takes no kernels"},
        {{"lab", odd}, "there is no lab"},
        {{"lab", "copy_stride/" + odd}, "has no variant"},
        {{"lab", "copy_stride", "--elements", odd}, "is not understood"},
    });
  }
}

}  // namespace
