// `profile`, `sass` and `ptx` as a user calls them on a machine without a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "results/files/json.hpp"
#include "test/support/files.hpp"
#include "test/support/process.hpp"

namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

Ended run(std::vector<std::string> words, std::vector<std::string> environment = {}) {
  words.insert(words.begin(), SGEMM_RUNNER);
  environment.emplace_back("LC_ALL=C");
  return run_program({.words = std::move(words), .environment = std::move(environment)});
}

TEST(InspectMisuse, IsOneLineThatSaysWhatThereIs) {
  const struct {
    std::vector<std::string> words;
    const char* hint;
  } cases[] = {
      {{"profile"}, "name a kernel or a lab"},
      {{"sass"}, "name a kernel or a lab"},
      {{"ptx"}, "name a kernel or a lab"},
      {{"profile", "99"}, "there is no kernel 99: they are numbered 0 to"},
      {{"sass", "naiev"}, "did you mean 'naive'?"},
      {{"ptx", "copy_strid"}, "did you mean 'copy_stride'?"},
      {{"profile", "copy_stride/9"}, "has no variant '9': it has 1, 2, 4, 8, 32, 1000"},
      {{"profile", "copy_stride/"}, "has no variant ''"},
      {{"profile", "0"}, "is the reference"},
      {{"profile", "2", "--size", "many"}, "write 4096, or MxNxK"},
      {{"profile", "2", "--size", "0"}, "is an empty product"},
      {{"ptx", "copy_stride", "--elements", "0"}, "it must be from 1 to 134217728"},
      {{"ptx", "copy_stride", "--elements", "many"}, "--elements"},
      {{"profile", "2", "--elements", "5"}, "--elements is a size of labs, and no lab is named"},
      {{"profile", "2", "--json="}, "--json= needs a file name"},
      {{"profile", "2", "--json=/nowhere/run.json"}, "cannot write to '/nowhere/run.json'"},
      {{"sass", "2", "--json=/nowhere/run.json"}, "cannot write to '/nowhere/run.json'"},
      {{"profile", "2", "--color", "sometimes"}, "write auto, always or never"},
      {{"profile", "2", "--szie", "3"}, "did you mean '--size'?"},
      {{"ptx", "2", "--json"}, "unknown option '--json'"},
      {{"ptx", "mystery"},
       "'mystery' is a riddle, and 'ptx' tells how its lanes walk: add --reveal"},
      {{"ptx", "2,Mystery/a"}, "add --reveal to be told"},
      {{"profile", "copy_stride", "--size", "64"}, "--size is a kernel's"},
      {{"profile", "copy_stride,copy_width", "--rows", "5"}, "copy_stride has --elements"},
  };
  for (const auto& [words, hint] : cases) {
    const Ended ended = run(words);
    const std::string line = testing::PrintToString(words);
    EXPECT_EQ(ended.code, 2) << line;
    EXPECT_THAT(ended.out, IsEmpty()) << line;
    EXPECT_THAT(ended.err, AllOf(StartsWith("sgemm_runner: "), HasSubstr(hint))) << line;
    EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << line << "\n" << ended.err;
  }
}

TEST(ProfileProgram, ShowsWhatIsRecordedAndSaysSo) {
  const Ended ended = run({"profile", "2", "coalesced"});  // one kernel named twice is shown once
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, StartsWith("2 coalesced at 256x256x256: NVIDIA H200, recorded on 20"));
  EXPECT_THAT(ended.out, HasSubstr("(no GPU here)"));
  EXPECT_THAT(ended.out,
              HasSubstr("load sectors                   2 621 440     2 621 440  equal\n"));
  EXPECT_THAT(
      ended.out,
      HasSubstr("  ok load sectors per request = 2.5: 2.5 (A 1, B 4, by their requests)\n"));
  EXPECT_EQ(ended.out.find("2 coalesced", 1), std::string::npos);
}

TEST(ProfileProgram, WritesARunThatIsReadBack) {
  const TemporaryFolder folder;
  const std::string file = (folder / "run.json").string();
  EXPECT_EQ(run({"profile", "2,3", "--size", "256,65x63x61", "--json=" + file}).code, 0);
  const results::Run saved = results::read_run(file);
  EXPECT_EQ(saved.from.machine, results::Machine::cuda);
  EXPECT_EQ(saved.results.size(), 4u);
  EXPECT_EQ(run({"profile", "2,3", "--size", "256,65x63x61", "--json"}).out, contents(file));
}

TEST(ProfileProgram, SaysWhatIsNotRecordedAndLeavesNothing) {
  const TemporaryFolder folder;
  const Ended ended =
      run({"profile", "2", "--size", "300", "--json=" + (folder / "run.json").string()});
  EXPECT_EQ(ended.code, 77);
  EXPECT_THAT(ended.out, IsEmpty());
  EXPECT_THAT(ended.err,
              HasSubstr("no device's counters of 2 coalesced at 300x300x300 are recorded"));
  EXPECT_EQ(folder.entries(), 0);
  // The available figures are shown all the same.
  const Ended partly = run({"profile", "2", "--size", "300,256"});
  EXPECT_EQ(partly.code, 0);
  EXPECT_THAT(partly.out, StartsWith("2 coalesced at 256x256x256"));
  EXPECT_THAT(partly.err, HasSubstr("300x300x300"));
}

TEST(ProfileProgram, LaunchesOnceInSilence) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"profile", "2", "--size", "64", "--once"},
        std::vector<std::string>{"profile", "copy_stride/8", "--elements", "100", "--once"}}) {
    const Ended ended = run(words, {"SIMULATOR_REPORT=1"});
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(ended.out, IsEmpty());
    const std::string kernel = words[1] == "2" ? "coalesced_kernel" : "copy_stride_kernel<8>";
    EXPECT_THAT(ended.err, HasSubstr(kernel)) << "it was launched";
  }
}

TEST(SassProgram, ShowsWhatIsRecordedAndSaysSo) {
  const Ended ended = run({"sass", "6", "2"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, StartsWith("recorded on 20"));
  EXPECT_THAT(ended.out, HasSubstr("compiled for the simulated GPU"));
  EXPECT_THAT(ended.out, HasSubstr("ladder::vector_float4_kernel<true> (sm_90a)\n"));
  EXPECT_THAT(ended.out, HasSubstr("  ok A, B: 16 bytes a lane promised: LDG.E.128 is there\n"));
  EXPECT_THAT(ended.out, HasSubstr("ladder::coalesced_kernel (sm_90a)\n"));
}

TEST(SassProgram, WritesAsJsonWhatItShows) {
  const TemporaryFolder folder;
  const std::string file = (folder / "sass.json").string();
  EXPECT_EQ(run({"sass", "6", "--json=" + file}).code, 0);
  EXPECT_EQ(run({"sass", "6", "--json"}).out, contents(file));
  EXPECT_THAT(contents(file), AllOf(HasSubstr("sgemm/06_vector_float4"), HasSubstr("LDG.E.128")));
  EXPECT_EQ(contents(file).find("sgemm/07"), std::string::npos);
}

// Returns the words for a run with a cuobjdump in PATH, which prints rung 6 with loads of `load`.
std::vector<std::string> with_cuobjdump(const TemporaryFolder& folder, const std::string& load) {
  const fs::path tool = folder / "cuobjdump";
  const auto function = [](const std::string& number) {
    return "_ZN6ladder12_GLOBAL__N_120vector_float4_kernelILb" + number + "EEEvNS_5SgemmEl";
  };
  std::ofstream script(tool);
  script << "#!/bin/sh\ncase $1 in\n-res-usage) cat <<'E'\narch = sm_90a\n";
  for (const char* number : {"0", "1"})
    script << " Function " << function(number) << ":\n  REG:99 STACK:0\n";
  script << "E\n;;\n-sass) cat <<'E'\n\tcode for sm_90a\n";
  for (const char* number : {"0", "1"}) {
    script << "\t\tFunction : " << function(number) << "\n        /*0000*/  " << load
           << " R4, desc[UR8][R2.64] ;  /* 0x0 */\n        /*0010*/  FFMA R1, R2, R3, R1 ;  /* 0x0 "
              "*/\n"
           << "        /*0020*/  @P0 BRA 0x0 ;  /* 0x0 */\n";
  }
  script << "E\n;;\nesac\n";
  script.close();
  fs::permissions(tool, fs::perms::owner_all);
  return {"PATH=" + folder.path().string() + ":" + std::getenv("PATH")};
}

TEST(SassProgram, LooksIntoAnotherProgramAndJudges) {
  const TemporaryFolder folder;
  const Ended wide = run({"sass", "6", "--program", "mine"}, with_cuobjdump(folder, "LDG.E.128"));
  EXPECT_EQ(wide.code, 0) << wide.err;
  EXPECT_THAT(wide.out, HasSubstr("99 registers"));
  const Ended narrow = run({"sass", "6", "--program", "mine"}, with_cuobjdump(folder, "LDG.E"));
  EXPECT_EQ(narrow.code, 1) << narrow.err;
  EXPECT_THAT(narrow.out,
              HasSubstr("WRONG A, B: 16 bytes a lane promised: no such load is in the main loop"));
}

TEST(SassProgram, SaysWhyAToolFailed) {
  const TemporaryFolder folder;
  std::ofstream(folder / "cuobjdump")
      << "#!/bin/sh\necho 'cuobjdump fatal   : no such file' >&2\nexit 255\n";
  fs::permissions(folder / "cuobjdump", fs::perms::owner_all);
  const Ended ended = run({"sass", "6", "--program", "mine"},
                          {"PATH=" + folder.path().string() + ":" + std::getenv("PATH")});
  EXPECT_EQ(ended.code, 70);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("ended with 255"), HasSubstr("no such file")));
}

TEST(PtxProgram, ShowsCodeBelowEachLine) {
  const Ended ended = run({"ptx", "2", "copy_stride/8", "--elements", "100"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, StartsWith("2 coalesced at 256x256x256\nladder::coalesced_kernel: "));
  EXPECT_THAT(ended.out, HasSubstr("\nsrc/kernels/02_coalesced.cu\n"));
  // The loop is unrolled by eight, and a second loop does the remainder.
  EXPECT_THAT(ended.out, testing::ContainsRegex("sum \\+= p.A\\[row[^\n]*\n(          [^\n]*\n)*"
                                                "          ld.global.f32 [^\n]*   x [0-9]+\n"));
  EXPECT_THAT(ended.out, HasSubstr("copy_stride/8 at elements=100\nlab::copy_stride_kernel<8>: "));
  EXPECT_EQ(ended.out.find("copy_stride_kernel<1>"), std::string::npos);
  EXPECT_EQ(ended.out.find("$L__tmp"), std::string::npos);
}

TEST(PtxProgram, TellsARiddleToThoseWhoAskForIt) {
  const Ended ended = run({"ptx", "mystery/a", "--reveal"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("mystery_a_kernel"));
}

}  // namespace
