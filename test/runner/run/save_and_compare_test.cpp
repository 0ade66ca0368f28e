// `save` and `compare` as users and scripts call them, on the simulated GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "test/support/files.hpp"
#include "test/support/process.hpp"

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

Ended run(std::vector<std::string> words) {
  words.insert(words.begin(), SGEMM_RUNNER);
  return run_program({.words = std::move(words)});
}

// A saved run of kernels 1 and 2 and a lab's variant, and copies with a difference.
class Compare : public testing::Test {
 protected:
  Compare() {
    const Ended saved = run({"save", base(), "1,2", "--size", "64,32x48x16"});
    EXPECT_EQ(saved.code, 0) << saved.err;
  }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  std::string base() const { return file("base.json"); }
  // Returns a file like `base`, except for the changes of `change`.
  std::string changed(const std::function<void(json&)>& change) const {
    json document = json::parse(contents(base()));
    change(document);
    std::ofstream(file("changed.json")) << document;
    return file("changed.json");
  }
  const TemporaryFolder folder_;
};

TEST_F(Compare, ARunMadeNow) {
  const Ended ended = run({"compare", base()});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, EndsWith("4 rows: 4 SAME\n"));
  EXPECT_THAT(ended.out, HasSubstr("compared with " + base()));
}

TEST_F(Compare, CountersThatChanged) {
  const std::string now = changed([](json& run) {
    json& sectors = run.at("/benchmarks/0/counts/load_sectors/A"_json_pointer);
    sectors = sectors.get<uint64_t>() * 2;
  });
  const Ended ended = run({"compare", base(), now});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.out, HasSubstr("CHANGED 01_naive at 64"));
  EXPECT_THAT(ended.out, HasSubstr("(2 times)"));
  EXPECT_THAT(ended.out, EndsWith("4 rows: 1 CHANGED, 3 SAME\n"));
  EXPECT_EQ(run({"compare", now}).code, 3) << "held against what the file has";
  EXPECT_EQ(run({"compare", base(), now, "--only", "2"}).code, 0);
  EXPECT_EQ(run({"compare", base(), now, "--size", "32x48x16"}).code, 0);
  EXPECT_EQ(run({"compare", base(), now, "-q"}).out, "");
}

TEST_F(Compare, WhatIsWrongNow) {
  const std::string now = changed([](json& run) {
    run["benchmarks"][1]["correct"] = false;
    run["benchmarks"][1]["error_message"] = "C[1][2] is 4, should be 3";
  });
  const Ended ended = run({"compare", base(), now});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.out, HasSubstr("WRONG 02_coalesced at 64"));
  const std::string fault = "C[1][2] is 4, should be 3";
  const size_t first = ended.out.find(fault);
  ASSERT_NE(first, ended.out.npos) << ended.out;
  EXPECT_EQ(ended.out.find(fault, first + 1), ended.out.npos) << "told twice\n" << ended.out;
  EXPECT_THAT(run({"compare", base(), now, "-q"}).out, HasSubstr(fault));
}

TEST_F(Compare, WritesVerdictsAsJsonAndMarkdown) {
  const Ended ended =
      run({"compare", base(), "--json=" + file("now.json"), "--md=" + file("now.md")});
  EXPECT_EQ(ended.code, 0) << ended.err;
  const json now = json::parse(contents(file("now.json")));
  EXPECT_EQ(now.at("/context/compared_with/file"_json_pointer), base());
  for (const json& row : now.at("benchmarks"))
    EXPECT_EQ(row.at("comparison").at("verdict"), "SAME");
  EXPECT_THAT(contents(file("now.md")), StartsWith("**4 rows: 4 SAME**\n"));
  const Ended again = run({"compare", file("now.json"), file("now.json"), "--json"});
  EXPECT_EQ(json::parse(again.out).at("benchmarks").size(), 4u);
  EXPECT_THAT(run({"compare", base(), file("now.json"), "--md"}).out, StartsWith("**4 rows"));
}

TEST_F(Compare, AnnotatesForGitHub) {
  const std::string now = changed([](json& run) { run["benchmarks"][0]["path"] = "other"; });
  const Ended ended = run({"compare", base(), now, "--annotations"});
  EXPECT_THAT(ended.out,
              HasSubstr("\n::error file=src/kernels/01_naive.cu,title=CHANGED 01_naive::"));
}

TEST_F(Compare, WhatCannotBeCompared) {
  const auto refused = [&](const std::function<void(json&)>& change, const std::string& why) {
    const Ended ended = run({"compare", changed(change)});
    EXPECT_EQ(ended.code, 4);
    EXPECT_THAT(ended.err, HasSubstr(why));
    EXPECT_EQ(ended.out, "");
  };
  refused([](json& run) { run["context"]["device"] = "NVIDIA H200"; },
          "the device is NVIDIA H200 there");
  refused([](json& run) { run["context"]["machine"] = "cuda"; }, "a CUDA device there");
  const auto renumber = [](json& run) {
    run["benchmarks"][0]["kernel_id"] = 77;
    run["benchmarks"][0]["name"] = "sgemm/77_naive/64x64x64";
  };
  refused(renumber,
          "sgemm/77_naive/64x64x64 of the saved run is nothing that this program can run");
  const Ended files = run(
      {"compare", base(), changed([](json& run) { run["context"]["device"] = "NVIDIA H200"; })});
  EXPECT_EQ(files.code, 4);
}

TEST_F(Compare, WhatIsNoRun) {
  const std::string whole = contents(base());
  for (const auto& [text, why] : std::vector<std::pair<std::string, std::string>>{
           {"", "it is empty"},
           {whole.substr(0, whole.size() / 2), "it is not whole"},
           {"{\"benchmarks\": []}", "it is no run of sgemm_runner"},
           {"[1, 2]", "it is no run of sgemm_runner"},
           {"\x7f"
            "ELF",
            "it is not JSON"}}) {
    std::ofstream(file("bad.json")) << text;
    for (const auto& words : {std::vector<std::string>{"compare", file("bad.json")},
                              {"compare", base(), file("bad.json")}}) {
      const Ended ended = run(words);
      EXPECT_EQ(ended.code, 2) << text.substr(0, 40);
      EXPECT_THAT(ended.err, HasSubstr(why));
      EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << "one clear line: " << ended.err;
    }
  }
  EXPECT_THAT(run({"compare", changed([](json& run) { run["context"]["schema"] = 3; })}).err,
              HasSubstr("use a newer sgemm_runner"));
  EXPECT_THAT(run({"compare", file("none.json")}).err, HasSubstr("there is no such file"));
  EXPECT_EQ(run({"compare", changed([](json& run) { run["benchmarks"] = json::array(); })}).code,
            2);
}

TEST_F(Compare, WordsThatMeanNothing) {
  for (const auto& [words, why] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"compare", base(), base(), base()}, "two files at most"},
           {{"compare", base(), base(), "--runs", "3"}, "are of a run made now"},
           {{"compare", base(), "--runs", "0"}, "--runs 0 does not fit"},
           {{"compare", base(), "--only", "99"}, "99"},
           {{"compare", base(), "--only", "12"}, "has no row of 12_stream_k"},
           {{"compare", base(), "--only", "1,9"}, "has no row of 09_warp_tile"},
           {{"compare", base(), "--size", "64,999"}, "has no row of size 999x999x999"},
           {{"compare", base(), "--only", "2,copy_stride"}, "has no row of copy_stride"},
           {{"compare", base(), "--only", "copy_stride/999"}, "999"},
           {{"compare", base(), "--json=" + base()}, "is compared with: write to another file"},
           {{"compare", base(),
             "--md=" + file("../") + folder_.path().filename().string() + "/base.json"},
            "is compared with"},
           {{"compare", base(), "--md=" + file("x"), "--json=" + file("x")}, "cannot hold both"},
           {{"compare", base(), "--json", "--md"}, "only one of --json and --md"},
           {{"compare", base(), "--md", "--annotations"}, "--annotations stand below the table"},
           {{"compare", base(), "--json=" + file("no/such.json")}, "cannot write to"},
           {{"compare", ""}, "a file's name is empty"}}) {
    const Ended ended = run(words);
    EXPECT_EQ(ended.code, 2) << why;
    EXPECT_THAT(ended.err, HasSubstr(why));
  }
}

TEST_F(Compare, ALabAndItsSizes) {
  const std::string labs = file("labs.json");
  ASSERT_EQ(run({"save", labs, "lab", "copy_stride/1", "copy_stride/8", "--elements", "1000"}).code,
            0);
  const Ended ended = run({"compare", labs});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, EndsWith("2 rows: 2 SAME\n"));
  EXPECT_THAT(run({"compare", labs, "--only", "copy_stride/8"}).out, EndsWith("1 row: 1 SAME\n"));
}

TEST_F(Compare, ABaseWithoutCountsIsNoneToHoldOneAgainst) {
  const std::string bare = changed([](json& run) { run["benchmarks"][0].erase("counts"); });
  const Ended ended = run({"compare", bare});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out, HasSubstr("UNSURE 01_naive at 64"));
  EXPECT_EQ(run({"compare", bare, "--strict"}).code, 5);
}

TEST_F(Compare, AProblemWithOptions) {
  const std::string padded = file("padded.json");
  ASSERT_EQ(run({"save", padded, "6", "--size", "33", "--lda", "40", "--offset-b", "3", "--beta",
                 "0.5", "--seed", "7"})
                .code,
            0);
  const Ended ended = run({"compare", padded});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, EndsWith("1 row: 1 SAME\n"));
}

TEST_F(Compare, AKernelOfTheUsers) {
  const std::string mine = file("mine.cu"), saved = file("mine.json");
  const auto write = [&](const char* name) {
    fs::copy_file(fs::path(SGEMM_SOURCE_DIR "/src/kernels") / name, mine,
                  fs::copy_options::overwrite_existing);
  };
  write("02_coalesced.cu");
  ASSERT_EQ(run({"save", saved, "--kernel", mine, "--size", "64", "--runs", "1"}).code, 0);
  EXPECT_EQ(run({"compare", saved}).code, 0);
  // A file with the same name that accesses memory like kernel 1.
  std::string naive = contents(SGEMM_SOURCE_DIR "/src/kernels/01_naive.cu");
  naive.replace(naive.find("\"naive\""), 7, "\"coalesced\"");
  std::ofstream(mine) << naive;
  const Ended ended = run({"compare", saved});
  EXPECT_EQ(ended.code, 3) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("CHANGED coalesced"));
}

TEST(Save, KeepsWhatLiesThere) {
  const TemporaryFolder folder;
  const std::string file = (folder / "base.json").string();
  std::ofstream(file) << "mine";
  const Ended refused = run({"save", file, "1", "--size", "32"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--replace writes over it"));
  EXPECT_EQ(contents(file), "mine");
  EXPECT_EQ(run({"save", file, "1", "--size", "32", "--replace"}).code, 0);
  EXPECT_EQ(json::parse(contents(file)).at("benchmarks").size(), 1u);
  EXPECT_EQ(folder.entries(), 1);
}

TEST(Save, TellsWhereItComesFrom) {
  const TemporaryFolder folder;
  const std::string file = (folder / "base.json").string();
  ASSERT_EQ(run({"save", file, "--size", "32", "--runs", "1"}).code, 0);
  const json saved = json::parse(contents(file));
  const json& context = saved.at("context");
  EXPECT_EQ(context.at("command_line").at(1), "save");
  for (const char* key : {"schema", "date", "commit", "uncommitted_changes", "device"})
    EXPECT_TRUE(context.contains(key) && !context.at(key).is_null()) << key;
  const std::string numbers = run({"list", "--numbers"}).out;
  EXPECT_EQ(saved.at("benchmarks").size(), std::ranges::count(numbers, '\n'))
      << "without kernels named: all";
}

TEST(Save, SavesNothingThatIsWrong) {
  const TemporaryFolder folder;
  const std::string file = (folder / "base.json").string(), mine = (folder / "mine.cu").string();
  std::string source = contents(SGEMM_SOURCE_DIR "/src/kernels/02_coalesced.cu");
  const std::string sum = "k < p.K";
  source.replace(source.find(sum), sum.size(), "k < p.K - 1");
  std::ofstream(mine) << source;
  const Ended ended = run({"save", file, "--kernel", mine, "--size", "32"});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.err, HasSubstr("is not right; nothing was saved"));
  EXPECT_FALSE(fs::exists(file));
}

TEST(Save, WordsThatMeanNothing) {
  for (const auto& [words, why] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"save"}, "'save' needs a file"},
           {{"save", "--size", "64", "base.json"}, "the file comes first"},
           {{"save", "/tmp/never.json", "1", "--json"}, "leave out --json"},
           {{"save", "/tmp/never.json", "1", "--sise", "64"}, "unknown option '--sise'"},
           {{"save", "/tmp/never.json", "99"}, "99"},
           {{"save", "1-3"}, "'1-3' names kernels: the file comes first"},
           {{"save", "naive", "--size", "64"}, "'naive' names kernels"},
           {{"save", "/tmp/never.json", "list"}, "makes no run"},
           {{"save", "/no/such/folder/base.json", "1"}, "cannot write to"}}) {
    const Ended ended = run(words);
    EXPECT_EQ(ended.code, 2) << why;
    EXPECT_THAT(ended.err, HasSubstr(why));
  }
  EXPECT_FALSE(fs::exists("/tmp/never.json"));
}

// The run is stopped after its first kernels. Naive at 1024 takes seconds.
TEST(Save, InterruptedKeepsWhatIsWhole) {
  const TemporaryFolder folder;
  const std::string file = (folder / "base.json").string();
  const Ended ended =
      run_program({.words = {SGEMM_RUNNER, "save", file, "1-3", "--size", "64,2048"},
                   .err_is_terminal = true,
                   .interrupt_at = "2048"});
  EXPECT_EQ(ended.code, 130) << ended.err;
  const json saved = json::parse(contents(file));
  for (const json& row : saved.at("benchmarks")) EXPECT_EQ(row.at("m"), 64);
  EXPECT_GE(saved.at("benchmarks").size(), 2u);
}

TEST(Save, InterruptedKeepsWhatWasThere) {
  const TemporaryFolder folder;
  const std::string file = (folder / "base.json").string();
  ASSERT_EQ(run({"save", file, "1", "--size", "32"}).code, 0);
  const std::string before = contents(file);
  const Ended ended =
      run_program({.words = {SGEMM_RUNNER, "save", file, "1-3", "--size", "64,2048", "--replace"},
                   .err_is_terminal = true,
                   .interrupt_at = "2048"});
  EXPECT_EQ(ended.code, 130) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("is as it was"));
  EXPECT_EQ(contents(file), before);
}

}  // namespace
