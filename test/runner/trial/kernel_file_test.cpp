// --kernel FILE.cu: a stranger's kernel is compiled and judged like the rungs. A refusal names the missing part.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "kernels/ladder.hpp"
#include "runner/machine/machine.hpp"
#include "test/support/files.hpp"
#include "test/support/process.hpp"
#include "test/support/sanitizer.hpp"

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string BASELINE = "--baseline=" SGEMM_SOURCE_DIR "/test/data/tables/cuda.json";

// A kernel with one thread for each element of C.
const std::string MINE = R"(#include "kernels/ladder.hpp"

namespace {

using ladder::Sgemm;

__global__ void my_kernel(const Sgemm p) {
  const int64_t at = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at >= p.M * p.N) return;
  const int64_t row = at / p.N, col = at % p.N;
  float sum = 0.0f;
  for (int64_t k = 0; k < p.K; ++k) sum += p.A[row * p.lda + k] * p.B[k * p.ldb + col];
  float* c = &p.C[row * p.ldc + col];
  *c = ladder::blend(p.alpha, sum, p.beta, c);
}

cudaError_t launch(const Sgemm& p, cudaStream_t stream) {
  my_kernel<<<ladder::grid_of(ladder::ceil_div(p.M * p.N, 256)), 256, 0, stream>>>(p);
  return cudaGetLastError();
}

}  // namespace

extern const ladder::Rung mine{
    .number = 1,
    .name = "mine",
    .idea = "one thread for each element",
    .promise = {.whole_tiles = 32,
                .claims = {{"load_sectors_per_request", "B", ladder::Relation::equal, 4}}},
    .launch = launch,
};
)";

std::string with(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

struct KernelFile : testing::Test {
  TemporaryFolder folder;

  fs::path write(const std::string& text, const std::string& name = "mine.cu") const {
    std::ofstream(folder / name) << text;
    return folder / name;
  }
  static Ended run(const fs::path& file, std::vector<std::string> more = {"--size", "64"}) {
    std::vector<std::string> words{SGEMM_RUNNER, "--kernel", file.string()};
    words.insert(words.end(), more.begin(), more.end());
    return run_program({.words = std::move(words), .environment = {STRANGERS_MAY_CRASH}});
  }
  // Returns the message about an unusable file.
  std::string refusal(const std::string& text) const {
    const Ended ended = run(write(text));
    EXPECT_EQ(ended.code, 2) << ended.err;
    EXPECT_THAT(ended.out, IsEmpty());
    EXPECT_THAT(ended.err, HasSubstr("--kernel '" + (folder / "mine.cu").string() + "': "));
    return ended.err;
  }
};

TEST_F(KernelFile, ThatIsRightIsVerifiedCountedAndHeldToItsPromise) {
  const Ended ended = run(write(MINE), {"2", "--size", "64,33x65x17", "--json"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  const json rows = json::parse(ended.out).at("benchmarks");
  json mine;
  for (const json& row : rows) {
    if (row.at("name") == "kernel/mine/64x64x64") mine = row;
  }
  ASSERT_FALSE(mine.is_null()) << ended.out;
  EXPECT_EQ(mine.at("set"), "kernel");
  EXPECT_TRUE(mine.at("kernel_id").is_null()) << "a number of its own would be a rung's";
  EXPECT_EQ(mine.at("correct"), true);
  EXPECT_EQ(rows.back().at("name"), "kernel/mine/33x65x17");
  EXPECT_EQ(rows.back().at("correct"), true);
  if (runner::machine::MEASURES_TIME) {
    EXPECT_GT(mine.at("percent_of_cublas"), 0);
  } else {
    EXPECT_EQ(mine.at("promise_kept"), true);
    EXPECT_EQ(mine.at("sectors_per_request").at("load B"), 4.0);
    EXPECT_FALSE(rows.back().contains("promise_kept")) << "no whole tiles";
  }
  EXPECT_THAT(rows.dump(), HasSubstr("sgemm/02_coalesced/64x64x64")) << "the rung beside it";
}

TEST_F(KernelFile, ThatIsWrongSaysWhere) {
  const Ended ended = run(write(with(MINE, "float sum = 0.0f;", "float sum = row % 32 == 31;")),
                          {"--size", "64", BASELINE});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.out, HasSubstr("row 31 of every 32, all columns"));
}

// A later crash at another size leaves the verdict as it was.
TEST_F(KernelFile, ThatBreaksItsPromiseSaysWhichAndMayCrashLater) {
  if (runner::machine::MEASURES_TIME) GTEST_SKIP() << "a device counts nothing";
  const std::string crash =
      "  if (p.M == 48) *static_cast<volatile int*>(nullptr) = 1;\n  my_kernel<<<";
  const std::string saved = (folder / "run.json").string();
  const Ended ended =
      run(write(with(with(MINE, "  my_kernel<<<", crash), "\"B\", ladder::Relation::equal, 4",
                     "\"B\", ladder::Relation::equal, 5")),
          {"--size", "64,48", BASELINE, "--json=" + saved});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.out,
              AllOf(HasSubstr("broke its promise: load sectors per request of B = 5: counted 4"),
                    HasSubstr("mine at 48x48x48: its host code ended the process by a signal, "
                              "Segmentation fault")));
  const json rows = json::parse(contents(saved)).at("benchmarks");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].at("name"), "kernel/mine/64x64x64");
  EXPECT_EQ(rows[0].at("correct"), true);
  EXPECT_EQ(rows[1].at("name"), "kernel/mine/48x48x48");
  EXPECT_EQ(rows[1].at("correct"), false);
}

// No barrier keeps the neighbours' reads before the writes. They read 0 in any order, so that the result is right.
TEST_F(KernelFile, WhoseThreadsRaceSaysWhereAndWhatToTry) {
  if (runner::machine::MEASURES_TIME) GTEST_SKIP() << "a device looks for no hazards";
  const fs::path file = write(with(MINE, "if (at >= p.M * p.N) return;",
                                   "__shared__ float zeros[256];\n"
                                   "  zeros[threadIdx.x] = 0.0f;\n"
                                   "  __syncthreads();\n"
                                   "  zeros[threadIdx.x] = -zeros[threadIdx.x ^ 128];\n"
                                   "  if (at >= p.M * p.N) return;"));
  const std::string saved = (folder / "run.json").string();
  const Ended ended = run(file, {"--size", "64", BASELINE, "--json=" + saved});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.out, HasSubstr("mine at 64x64x64: race in shared memory"));
  EXPECT_THAT(ended.out, HasSubstr("\n    at mine.cu:1"));
  EXPECT_THAT(ended.out, HasSubstr("\n    try: "));
  EXPECT_THAT(ended.err, Not(HasSubstr("race"))) << "it is told once";

  const json row = json::parse(contents(saved)).at("benchmarks").at(0);
  EXPECT_EQ(row.at("correct"), true);
  EXPECT_EQ(row.at("hazards").at(0).at("kind"), "race");
  EXPECT_GT(row.at("hazards").at(0).at("times"), 1);
}

// The stray address may fall into memory of an earlier check: advice on cudaFree would mislead.
TEST_F(KernelFile, WhoseIndexIsAnIntSaysThatItOverflows) {
  if (runner::machine::MEASURES_TIME) GTEST_SKIP() << "a device tells no line";
  const Ended ended = run(write(with(MINE, "p.B[k * p.ldb + col]",
                                     "p.B[static_cast<int>(k) * static_cast<int>(p.ldb) + col]")),
                          {"--size", "64", BASELINE});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.out,
              AllOf(HasSubstr("64-bit indices into B: an index into B overflows 32 bits"),
                    HasSubstr("mine.cu:12 in my_kernel"), Not(HasSubstr("try:"))));
}

// On the simulated GPU the write is a fault, with its line; on a device it hits the guard around C.
TEST_F(KernelFile, ThatFaultsSaysWhere) {
  const Ended ended =
      run(write(with(MINE, "float* c = &p.C[row * p.ldc + col];",
                     "float* c = &p.C[row * p.ldc + col];\n  p.C[p.M * p.ldc] = 1;")));
  EXPECT_THAT(ended.code, AnyOf(1, 70));
  EXPECT_THAT(ended.out,
              HasSubstr(runner::machine::MEASURES_TIME ? "wrote beside C" : "mine.cu:14"));
}

// A check of the contract may end the run. By then the other kernels have their rows, and this kernel has its own.
TEST_F(KernelFile, ThatEndsTheRunInTheContractHasItsRowBesideTheOthers) {
  if (runner::machine::MEASURES_TIME) GTEST_SKIP() << "on a device the guard bands catch it";
  const std::string from = "  float* c = &p.C[row * p.ldc + col];";
  const auto rows_of = [&](const std::string& text, const std::vector<std::string>& sizes) {
    const std::string saved = (folder / "run.json").string();
    const Ended ended = run(write(text), {"1-2", "--size", fmt::format("{}", fmt::join(sizes, ",")),
                                          BASELINE, "--json=" + saved});
    EXPECT_EQ(ended.code, 1);
    EXPECT_THAT(ended.err, HasSubstr("the run ends here"));
    const json saved_run = json::parse(contents(saved));
    std::map<std::string, bool> rows;
    for (const json& row : saved_run.at("benchmarks")) rows[row.at("name")] = row.at("correct");
    return rows;
  };
  const std::map<std::string, bool> rungs{{"sgemm/01_naive/64x64x64", true},
                                          {"sgemm/02_coalesced/64x64x64", true}};
  std::map<std::string, bool> all = rungs;
  all["sgemm/01_naive/48x48x48"] = all["sgemm/02_coalesced/48x48x48"] = true;
  all["kernel/mine/64x64x64"] = all["kernel/mine/48x48x48"] = false;
  EXPECT_EQ(rows_of(with(MINE, from, from + "\n  p.C[p.M * p.ldc + 4096] = 1;"), {"64", "48"}),
            all);

  std::map<std::string, bool> with_mine = rungs;
  with_mine["kernel/mine/64x64x64"] = false;
  EXPECT_EQ(rows_of(with(MINE, "  my_kernel<<<",
                         "  *static_cast<volatile int*>(nullptr) = 1;\n  my_kernel<<<"),
                    {"64"}),
            with_mine);
}

TEST_F(KernelFile, ThatDoesNotCompileGivesTheCompilersWords) {
  const std::string words = refusal(with(MINE, "float sum = 0.0f;", "float sum = nonsense;"));
  EXPECT_THAT(words, HasSubstr("it does not compile\n"));
  EXPECT_THAT(words, HasSubstr("mine.cu"));
  EXPECT_THAT(words, HasSubstr("nonsense"));
  EXPECT_THAT(words, HasSubstr("error"));
}

TEST_F(KernelFile, ThatDefinesNoRungIsToldHow) {
  const std::string words = refusal("#include \"kernels/ladder.hpp\"\nint rung = 1;\n");
  EXPECT_THAT(words,
              HasSubstr("docs/your_kernel.md shows one. For a program of your own: ./simcc"));
  EXPECT_THAT(words, HasSubstr("extern const ladder::Rung"));
}

TEST_F(KernelFile, WhoseRungIsStaticIsToldHow) {
  const std::string words = refusal(
      with(MINE, "extern const ladder::Rung", "[[maybe_unused]] static const ladder::Rung"));
  EXPECT_THAT(words, HasSubstr("it defines no rung, "));
  EXPECT_THAT(words, HasSubstr("extern const ladder::Rung"));
}

TEST_F(KernelFile, ThatDefinesTwoRungsIsRefused) {
  EXPECT_THAT(
      refusal(MINE + with(MINE.substr(MINE.find("extern const")), "Rung mine{", "Rung other{")),
      HasSubstr("it defines 2 variables of type ladder::Rung"));
}

TEST_F(KernelFile, WhosePromiseNobodyCountsIsAskedWhatWasMeant) {
  EXPECT_THAT(refusal(with(MINE, "load_sectors_per_request", "load_sector_per_request")),
              HasSubstr("its promise speaks of 'load_sector_per_request', which nobody counts; did "
                        "you mean 'load_sectors_per_request'?"));
}

TEST_F(KernelFile, WhosePromiseCannotFailIsRefused) {
  EXPECT_THAT(refusal(with(MINE, "ladder::Relation::equal, 4", "ladder::Relation::at_least, 0")),
              HasSubstr("its claim about 'load_sectors_per_request' can never be broken"));
}

TEST_F(KernelFile, WhosePromiseHasNoTilesIsRefused) {
  EXPECT_THAT(refusal(with(MINE, ".whole_tiles = 32", ".whole_tiles = 0")),
              HasSubstr("its promise needs .whole_tiles"));
}

TEST_F(KernelFile, WithoutALaunchIsRefused) {
  EXPECT_THAT(refusal(with(MINE, ".launch = launch", ".launch = nullptr")),
              HasSubstr("its rung has no .launch"));
}

TEST_F(KernelFile, ThatIsNoneIsRefused) {
  const struct {
    fs::path path;
    const char* why;
  } cases[] = {{folder / "nowhere.cu", "there is no such file"},
               {folder.path(), "it is a folder; name one file"},
               {"", "there is no such file"},
               {write("", "mine.txt"), "a kernel's file ends in .cu"}};
  for (const auto& [path, why] : cases) {
    const Ended ended = run(path, {"-q", BASELINE});
    EXPECT_EQ(ended.code, 2) << path;
    EXPECT_THAT(ended.err, HasSubstr(why)) << path;
    EXPECT_THAT(ended.err, HasSubstr("--kernel '" + path.string() + "'"));
  }
}

// Harmful host code cannot damage the report, and its own output does not mix with it.
TEST_F(KernelFile, WhoseHostCodeDoesHarmIsToldAndTheReportIsWhole) {
  const struct {
    const char *code, *says;
    const char* timeout =
        "SIMULATOR_TIMEOUT=2";  // of a launch; a GPU's first call may take seconds
  } cases[] = {
      {"if (std::vector<int>(2).at(3) == 0) return cudaSuccess;",
       "mine at 64x64x64: its host code threw std::out_of_range: vector::_M_range_check"},
      {"*static_cast<volatile int*>(nullptr) = 1;",
       "mine at 64x64x64: its host code ended the process by a signal, Segmentation fault (11), "
       "during: mine: the contract, dense shapes"},
      {"while (true) puts(\"hello\");",
       "mine at 64x64x64: it was ended after 6 s, during: mine: ", "SIMULATOR_TIMEOUT=0.5"},
  };
  for (const auto& [code, says, timeout] : cases) {
    const fs::path file =
        write("#include <unistd.h>\n#include <cstdio>\n#include <vector>\n" +
              with(MINE, "  my_kernel<<<", "  " + std::string(code) + "\n  my_kernel<<<"));
    const std::string saved = (folder / "run.json").string();
    const Ended ended = run_program({.words = {SGEMM_RUNNER, "--kernel", file.string(), "--size",
                                               "64", BASELINE, "--json=" + saved},
                                     .environment = {timeout, STRANGERS_MAY_CRASH}});
    EXPECT_EQ(ended.code, 1) << code << ended.err;
    EXPECT_THAT(ended.out, HasSubstr(says)) << code;
    EXPECT_THAT(ended.out, Not(HasSubstr("hello"))) << "what it printed goes to stderr";
    EXPECT_LT(ended.err.size(), 20000U);
    const json row = json::parse(contents(saved)).at("benchmarks").back();
    EXPECT_EQ(row.at("kernel"), "mine");
    EXPECT_EQ(row.at("correct"), false);
  }
}

// The name would reach a terminal.
TEST_F(KernelFile, WhoseNameIsNoWordIsRefused) {
  EXPECT_THAT(refusal(with(MINE, ".name = \"mine\"", ".name = \"mi\\033[2Jne\"")),
              HasSubstr("its rung's .name should be a word of letters, digits and '_'"));
}

// Both files use the same names; each file runs its own code.
TEST_F(KernelFile, DoesNotMixWithAnother) {
  const fs::path right = write(MINE, "right.cu");
  const fs::path wrong =
      write(with(with(MINE, "float sum = 0.0f", "float sum = 1.0f"), "\"mine\"", "\"other\""),
            "wrong.cu");
  const Ended ended = run(right, {"--kernel", wrong.string(), "--size", "64", "--json"});
  EXPECT_EQ(ended.code, 1) << ended.err;
  const json printed = json::parse(ended.out);
  for (const json& row : printed.at("benchmarks")) {
    if (row.at("set") == "kernel") {
      EXPECT_EQ(row.at("correct"), row.at("kernel") == "mine") << row;
    }
  }
}

TEST_F(KernelFile, LeavesNothingBehind) {
  const TemporaryFolder temporary;
  std::vector<std::string> words{SGEMM_RUNNER, "--kernel", write(MINE).string(), "--size", "32"};
  const Ended ended =
      run_program({.words = words, .environment = {"TMPDIR=" + temporary.path().string()}});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(temporary.entries(), 0);
}

TEST_F(KernelFile, IsCompiledWhereTemporaryFilesLie) {
  const fs::path file = write("int without_a_rung;\n");  // it compiles, but there is nothing to run
  const auto compiled_in = [&](const std::string& place) {
    return run_program({.words = {SGEMM_RUNNER, "--kernel", file.string()},
                        .environment = {"TMPDIR=" + place},
                        .before_exec = [&] { fs::current_path(folder.path()); }});
  };
  fs::create_directory(folder / "a folder");
  for (const char* place : {"", "a folder"})
    EXPECT_THAT(compiled_in(place).err, HasSubstr("it defines no rung, ")) << place;
  EXPECT_TRUE(fs::is_empty(folder / "a folder"));

  const std::vector<std::pair<std::string, std::string>> useless = {
      {"none", "No such file or directory"}, {"mine.cu", "Not a directory"}};
  for (const auto& [place, why] : useless) {
    const Ended ended = compiled_in(place);
    EXPECT_EQ(ended.code, 70) << place;
    EXPECT_THAT(ended.out, IsEmpty());
    EXPECT_EQ(ended.err, "sgemm_runner: temporary files cannot lie in '" +
                             (folder / place).string() + "': " + why +
                             "; name another folder with TMPDIR\n");
  }
}

TEST_F(KernelFile, LacksAddressesAndIsToldTheLimitInOneLine) {
  if (runner::machine::MEASURES_TIME || ADDRESS_SANITIZER)
    GTEST_SKIP() << "a device has memory of its own, and a sanitizer needs all addresses";
  const auto limit = [] {
    const rlimit eight_gib{rlim_t{8} << 30, rlim_t{8} << 30};
    setrlimit(RLIMIT_AS, &eight_gib);
  };
  const Ended ended =
      run_program({.words = {SGEMM_RUNNER, "--kernel", write(MINE).string(), "--size", "32"},
                   .before_exec = limit});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.out, IsEmpty());
  EXPECT_THAT(ended.err, AllOf(HasSubstr("64-bit indices are checked with 18 GiB of addresses"),
                               HasSubstr("(ulimit -v); `ulimit -v unlimited` allows them")));
  EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
}

// A rung's own file, compiled as a stranger's, behaves like the rung: there is one way to compile a kernel.
class RungsFile : public testing::TestWithParam<int> {};

TEST_P(RungsFile, AsAStrangersCountsTheSame) {
  const ladder::Rung& rung = *ladder::all()[static_cast<size_t>(GetParam())];
  const TemporaryFolder folder;
  const std::string name =
      (GetParam() < 10 ? "0" : "") + std::to_string(GetParam()) + "_" + rung.name + ".cu";
  fs::copy_file(SGEMM_SOURCE_DIR "/src/kernels/" + name, folder / name);
  const Ended ended =
      run_program({.words = {SGEMM_RUNNER, std::to_string(GetParam()), "--kernel",
                             (folder / name).string(), "--size", "128,33x65x17", "--json"}});
  ASSERT_EQ(ended.code, 0) << ended.err;
  std::map<std::string, std::vector<json>> by_size;
  const json printed = json::parse(ended.out);
  for (const json& row : printed.at("benchmarks")) {
    if (row.at("kernel") != std::string(rung.name)) continue;  // the reference of a device
    const std::string full = row.at("name");
    by_size[full.substr(full.rfind('/'))].push_back(row);
  }
  ASSERT_EQ(by_size.size(), 2u);
  for (const auto& [size, rows] : by_size) {
    ASSERT_EQ(rows.size(), 2u) << size;
    for (const char* key : {"correct", "path", "counts", "sectors_per_request", "promise"}) {
      EXPECT_EQ(rows[0].value(key, json()), rows[1].value(key, json())) << size << ": " << key;
    }
    EXPECT_EQ(rows[0].contains("counts"), !runner::machine::MEASURES_TIME);
  }
}

INSTANTIATE_TEST_SUITE_P(Ladder, RungsFile, testing::Values(1, 6, 10));

}  // namespace
