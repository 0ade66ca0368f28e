// `sgemm_runner show` as a user calls it: a kernel's source with its counters, two compared, the picture of a request.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "test/support/files.hpp"
#include "test/support/process.hpp"
#include "text/page.hpp"

namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

const std::string BASELINE = "--baseline=" SGEMM_SOURCE_DIR "/test/data/tables/cuda.json";

Ended show(std::vector<std::string> words, int columns = 120, const char* locale = "C") {
  words.insert(words.begin(), {SGEMM_RUNNER, "show"});
  return run_program(
      {.words = std::move(words),
       .environment = {"COLUMNS=" + std::to_string(columns), std::string("LC_ALL=") + locale}});
}

std::string line_with(const std::string& text, const std::string& part) {
  for (const std::string& line : lines_of(text)) {
    if (line.find(part) != line.npos) return line;
  }
  return "";
}

TEST(Show, PrintsTheSourceWithItsCounters) {
  const Ended ended = show({"1", "--size", "64"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, IsEmpty());
  EXPECT_THAT(ended.out, StartsWith("simulated GPU - 1 naive - 64^3: "));
  EXPECT_THAT(ended.out, HasSubstr("\nsrc/kernels/01_naive.cu\n"));
  EXPECT_THAT(line_with(ended.out, "for (int64_t k = 0;"),
              AllOf(StartsWith("!! "), ContainsRegex("A +load 4 B +8.19 k +32.0 +12.5 %$")));
  EXPECT_THAT(ended.out, ContainsRegex("\n   [^\n]*B +load 4 B +8.19 k +1.0 +12.5 %\n"))
      << "a broadcast wastes nothing";
  EXPECT_THAT(line_with(ended.out, "blend("), ContainsRegex("C +store 4 B +128 +32.0 +12.5 %$"));
  EXPECT_THAT(line_with(ended.out, "float sum = 0.0f;"), EndsWith("float sum = 0.0f;"));
  EXPECT_THAT(ended.out, Not(HasSubstr("launch_naive"))) << "it accesses no device memory";
}

TEST(Show, PrintsAllFilesThatHaveAccessesTheKernelsOwnFirst) {
  const Ended ended = show({"6", "--size", "128"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  const size_t own = ended.out.find("\nsrc/kernels/06_vector_float4.cu\n");
  const size_t header = ended.out.find("\nsrc/device/vector_access.cuh\n");
  ASSERT_NE(own, ended.out.npos);
  ASSERT_NE(header, ended.out.npos);
  EXPECT_LT(own, header);
  EXPECT_THAT(line_with(ended.out, "As[a_k + 0]"), StartsWith("!! ")) << "a two-way conflict";
  for (const char* tuned : {"11", "12"}) {
    const Ended of_tuned = show({tuned, "--size", "256"});
    EXPECT_EQ(of_tuned.code, 0) << of_tuned.err;
    EXPECT_THAT(of_tuned.out, HasSubstr("\nsrc/kernels/tuned/block_product.cuh\n")) << tuned;
  }
}

TEST(Show, KeepsToThePage) {
  for (const int columns : {60, 80, 120}) {
    for (const char* locale : {"C", "C.UTF-8"}) {
      for (const char* kernel : {"2", "6", "copy_stride/8"}) {
        for (const bool picture : {false, true}) {
          std::vector<std::string> words{kernel};
          if (picture) words.emplace_back("--picture");
          const Ended ended = show(words, columns, locale);
          EXPECT_EQ(ended.code, 0) << ended.err;
          for (const std::string& line : lines_of(ended.out))
            EXPECT_LE(text::display_width(line), columns) << line;
        }
      }
    }
  }
}

TEST(Show, IsNarrowedToALineAndABuffer) {
  const Ended line = show({"2", "--size", "64", "--line", "36"});
  EXPECT_EQ(line.code, 0) << line.err;
  EXPECT_THAT(line.out,
              AllOf(HasSubstr("blend("), Not(HasSubstr("load 4 B")), Not(HasSubstr("__global__"))));
  const Ended file = show({"2", "--size", "64", "--line", "02_coalesced.cu:36"});
  EXPECT_EQ(file.out, line.out);
  const Ended buffer = show({"2", "--size", "64", "--buffer", "B"});
  EXPECT_THAT(buffer.out, AllOf(HasSubstr("| B "), Not(HasSubstr("| A ")), Not(HasSubstr("| C "))));
}

TEST(Show, ComparesTwo) {
  const Ended ended = show({"1", "2", "--size", "64", BASELINE});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(lines_of(ended.out)[0], "simulated GPU - 1 naive and 2 coalesced");
  EXPECT_THAT(ended.out, ContainsRegex("1  naive +ok .*32.0"));
  EXPECT_THAT(ended.out, HasSubstr("\n- 1 naive\n"));
  EXPECT_THAT(ended.out, HasSubstr("\n+ 2 coalesced\n"));
  EXPECT_THAT(ended.out, ContainsRegex("\n   - [0-9]+ +const int64_t row"));
  EXPECT_THAT(ended.out, ContainsRegex("\n   [+] [0-9]+ +const int64_t row"));
  EXPECT_THAT(ended.out, Not(HasSubstr("float sum = 0.0f;"))) << "the same in both";
  EXPECT_THAT(ended.out, HasSubstr("\nsectors of global memory: 1 naive "));
  EXPECT_THAT(ended.out, ContainsRegex("6.[0-9]x fewer\n"));
  const Ended same = show({"2", "2", "--size", "64"});
  EXPECT_THAT(same.out, HasSubstr("+ 2 coalesced: no line or counter that the other has not\n"));
}

TEST(Show, HasLabs) {
  const Ended one = show({"copy_stride/8"});
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_THAT(one.out, StartsWith("simulated GPU - copy_stride/8 - elements "));
  EXPECT_THAT(line_with(one.out, "out[i] = in["), StartsWith("!! "));
  const Ended all = show({"copy_stride"});
  EXPECT_THAT(all.out, HasSubstr("copy_stride/1 "));
  EXPECT_THAT(all.out, HasSubstr("copy_stride/1000 "));
  const Ended two = show({"copy_stride/1", "copy_stride/8"});
  EXPECT_EQ(two.code, 0) << two.err;
  EXPECT_THAT(two.out, HasSubstr("copy_stride/8 "));
  EXPECT_THAT(two.out, HasSubstr("4.5x more\n"));
  EXPECT_THAT(show({"copy_stride/8", "--elements", "64"}).out, HasSubstr("- elements 64:"));
}

TEST(Show, TellsARiddleToThoseWhoAskForIt) {
  const Ended ended = show({"mystery/a", "--reveal"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("\nsrc/labs/mystery.cu\n"));
}

TEST(Show, PrintsTheLinesAsJson) {
  const Ended ended = show({"2", "--size", "64", "--json", "--buffer", "A"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  const json row = json::parse(ended.out).at("benchmarks").at(0);
  EXPECT_EQ(row.at("kernel"), "coalesced");
  ASSERT_EQ(row.at("lines").size(), 1u);
  EXPECT_EQ(row.at("lines").at(0).at("buffer"), "A");
}

// ---- The picture.

TEST(Show, DrawsTheWorstRequest) {
  const Ended ended = show({"1", "--size", "64", "--picture"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, StartsWith("simulated GPU - 1 naive"));
  EXPECT_THAT(ended.out, HasSubstr("naive_kernel in 01_naive.cu:33\n"));
  EXPECT_THAT(ended.out,
              HasSubstr("ld.global.f32 of A, launch 1, block (0,0,0), warp 0, request 0"));
  EXPECT_THAT(ended.out, HasSubstr("in 32 sectors"));
}

TEST(Show, DrawsTheRequestsThatAreChosen) {
  const Ended ended = show({"2", "--size", "64", "--picture", "--buffer", "B", "--block", "3",
                            "--warp", "2", "--nth", "5", "--steps", "2"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("of B, launch 1, block (3,0,0), warp 2, request 5\n"));
  EXPECT_THAT(ended.out, HasSubstr("\nrequest 6\n"));
  EXPECT_THAT(ended.out, Not(HasSubstr("\nrequest 7\n")));
  const Ended line = show({"2", "--size", "64", "--picture", "--line", "36"});
  EXPECT_THAT(line.out, HasSubstr("st.global.f32 of C"));
}

TEST(Show, DrawsTheMatrixAsALineOfMemory) {
  const Ended ended = show({"1", "--size", "64x48x80", "--picture", "--ribbon"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("80 elements of 4 bytes in a row")) << "A's rows have K";
  const Ended of_c = show({"1", "--size", "64x48x80", "--picture", "--ribbon", "--buffer", "C"});
  EXPECT_THAT(of_c.out, HasSubstr("48 elements of 4 bytes in a row"));
}

TEST(Show, WritesTheSamePictureAsSvg) {
  const TemporaryFolder folder;
  const std::string file = folder / "picture.svg";
  const Ended ended = show({"1", "--size", "64", "--picture", "--svg=" + file});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("in 32 sectors"));
  EXPECT_THAT(contents(file), AllOf(HasSubstr("<svg"), HasSubstr("naive"), EndsWith("</svg>\n")));
  const std::string ribbon = folder / "ribbon.svg";
  EXPECT_EQ(show({"1", "--size", "64", "--picture", "--ribbon", "--svg", ribbon}).code, 0);
  EXPECT_THAT(contents(ribbon), HasSubstr("<svg"));
  EXPECT_NE(contents(ribbon), contents(file));
  EXPECT_EQ(folder.entries(), 2);
}

// ---- Senseless requests.

struct Misuse {
  std::vector<std::string> words;
  const char* hint;  // a text that the line must contain
};

TEST(Show, RefusesWhatIsNotThere) {
  const TemporaryFolder folder;
  const std::string svg = folder / "picture.svg";
  const std::vector<Misuse> cases{
      {{}, "name what to show"},
      {{"naiev"}, "did you mean 'naive'?"},
      {{"copy_strid"}, "did you mean 'copy_stride'?"},
      {{"copy_stride/9"}, "it has 1, 2, 4, 8, 32, 1000"},
      {{"0"}, "the reference"},
      {{"1", "2", "3"}, "two to compare; you named 3"},
      {{"copy_stride", "2"}, "name two: copy_stride/1"},
      {{"2", "--size", "4x5"}, "has 2 dimensions"},
      {{"2", "--size", "0"}, "nothing is read or written"},
      {{"2", "--size", "1000000"}, "GiB of device memory"},
      {{"2", "--elements", "64"}, "--elements is a size of labs"},
      {{"copy_stride", "--elements", "0"}, "--elements 0"},
      {{"copy_stride", "--size", "64"}, "--size is a kernel's"},
      {{"2", "--line", "31"}, "02_coalesced.cu: 33, 36"},
      {{"2", "--line", "coalesced.cu:30"}, "02_coalesced.cu: 33, 36"},
      {{"2", "--line", "0"}, "--line 0"},
      {{"2", "--line", "x"}, "--line 'x' is not understood"},
      {{"2", "--buffer", "D"}, "but to A, B, C"},
      {{"2", "--buffer", ""}, "--buffer needs a name"},
      {{"2", "--buffer", "A", "--line", "36"}, "the line has no access to it, but to C"},
      {{"2", "--color", "blue"}, "write auto, always or never"},
      {{"2", "--bogus"}, "unknown option '--bogus'"},
      {{"1", "2", "--baseline", "/nowhere.json"}, "'/nowhere.json'"},
      {{"--kernel", "nowhere.cu"}, "there is no such file"},
      {{"2", "--svg", svg}, "--svg goes with --picture"},
      {{"2", "--ribbon"}, "--ribbon goes with --picture"},
      {{"2", "--fragments"}, "--fragments goes with --picture"},
      {{"2", "--picture", "--fragments", "--nth", "3"}, "--fragments draws products, not requests"},
      {{"2", "--picture", "--fragments", "--size", "32"}, "executes no product on tensor cores"},
      {{"2", "--layout"}, "--layout goes with --picture"},
      {{"2", "--picture", "--layout", "--size", "32"},
       "--layout: 2 coalesced executes no tensor copy and no wgmma"},
      {{"2", "--picture", "--layout", "--warp", "1"}, "--layout draws matrices in shared memory"},
      {{"2", "--picture", "--layout", "--fragments"}, "--layout draws matrices in shared memory"},
      {{"2", "--timeline", "--layout"}, "--timeline draws a block"},
      {{"2", "--timeline", "--nth", "3"}, "--timeline draws a block"},
      {{"2", "--timeline", "--json"}, "exclude each other"},
      {{"2", "--timeline", "--block", "64"}, "the launch has 64 blocks, numbered from 0"},
      {{"2", "--steps", "4"}, "--steps goes with --picture"},
      {{"2", "--picture", "--json"}, "exclude each other"},
      {{"2", "--picture", "--steps", "0"}, "--steps 0"},
      {{"2", "--picture", "--block", "64", "--svg", svg},
       "the launch has 64 blocks, numbered from 0"},
      {{"2", "--picture", "--warp", "32", "--svg", svg}, "a block has 32 warps"},
      {{"2", "--picture", "--warp", "4294967296"}, "a block has 32 warps"},
      {{"2", "--picture", "--nth", "256", "--svg", svg}, "has 256 such requests"},
      {{"2", "--picture", "--nth", "1", "--line", "36"}, "has 1 such request,"},
      {{"2", "--picture", "--svg", ""}, "--svg needs a file name"},
      {{"2", "--picture", "--svg", "/nowhere/picture.svg"},
       "cannot write to '/nowhere/picture.svg'"},
      {{"1", "2", "--picture", "--svg", svg}, "--svg draws one kernel"},
      {{"6", "--picture", "--ribbon", "--buffer", "shared"}, "A, B or C in global memory"},
      {{"copy_stride/8", "--picture", "--ribbon"}, "A, B or C in global memory"},
      {{"2", "--picture", "--ribbon", "--steps", "2"}, "leave out --steps"},
      {{"2", "--size", "64,128"}, "size '64,128' is not understood"},
      {{"mystery"}, "'mystery' is a riddle, and 'show' tells how its lanes walk: add --reveal"},
      {{"mystery/b", "--picture", "--svg", svg}, "add --reveal"},
      {{"copy_stride/1", "mystery/b", "--json"}, "add --reveal"},
  };
  for (const auto& [words, hint] : cases) {
    const Ended ended = show(words, 1000);  // a message is one line
    std::string line = "show";
    for (const std::string& word : words) line += " '" + word + "'";
    EXPECT_EQ(ended.code, 2) << line;
    EXPECT_THAT(ended.out, IsEmpty()) << line;
    EXPECT_THAT(ended.err, AllOf(StartsWith("sgemm_runner: "), HasSubstr(hint))) << line;
    EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << line << "\n" << ended.err;
  }
  EXPECT_EQ(folder.entries(), 0) << "nothing half-written";
}

// ---- A user's kernel.

std::string kernel_that(const std::string& stores) {
  return R"(#include "kernels/ladder.hpp"

__global__ void my_kernel(const ladder::Sgemm p) {
  const int64_t at = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at >= p.M * p.N) return;
  float sum = 0.0f;
  for (int64_t k = 0; k < p.K; ++k) sum += p.A[at / p.N * p.lda + k] * p.B[k * p.ldb + at % p.N];
  float* c = &p.C[at / p.N * p.ldc + at % p.N];
  )" + stores +
         R"(
}

cudaError_t launch_mine(const ladder::Sgemm& p, cudaStream_t stream) {
  my_kernel<<<ladder::grid_of(ladder::ceil_div(p.M * p.N, 256)), 256, 0, stream>>>(p);
  return cudaGetLastError();
}

extern const ladder::Rung mine{.number = 1, .name = "mine", .idea = "mine", .promise = {}, .launch = launch_mine};
)";
}

TEST(Show, HasAnybodysKernel) {
  const TemporaryFolder folder;
  const std::string file = folder / "mine.cu";
  std::ofstream(file) << kernel_that("*c = ladder::blend(p.alpha, sum, p.beta, c);");
  const Ended ended = show({"--kernel", file, "--size", "64"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("\n" + file + "\n"));
  EXPECT_THAT(line_with(ended.out, "for (int64_t k"), HasSubstr("| A "));
  const Ended compared = show({"2", "--kernel", file, "--size", "64"});
  EXPECT_THAT(compared.out, HasSubstr("\n+ mine\n"));
}

TEST(Show, DrawsTheFragmentsOfAProductOnTensorCores) {
  const TemporaryFolder folder;
  const std::string file = folder / "mine.cu", svg = folder / "fragments.svg";
  // The kernel adds a product of zeros, so that its result remains a result in FP32.
  std::ofstream(file) << R"(#include "device/tensor_core.cuh"
)" + kernel_that(R"(float d[4] = {};
  const uint32_t zeros[4] = {};
  if (p.M * p.N % 32 == 0) device::multiply_fragments<device::Factor::f16, 16>(d, zeros, zeros, d);
  *c = ladder::blend(p.alpha, sum + d[0], p.beta, c);)");
  const Ended ended =
      show({"--kernel", file, "--size", "64", "--picture", "--fragments", "--svg", svg});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"),
                               HasSubstr("A, 16 x 16, k along the row"), HasSubstr(" 31a3")));
  EXPECT_THAT(contents(svg), HasSubstr("Fragments of f16, m16n8k16, mine.cu"));
  const Ended nowhere =
      show({"--kernel", file, "--size", "64", "--picture", "--fragments", "--line", "3"});
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_THAT(nowhere.err, AllOf(HasSubstr("--line 3: there is no product on tensor cores"),
                                 HasSubstr("mine.cu: ")));
}

TEST(Show, DrawsTheLayoutOfMatricesInSharedMemory) {
  const TemporaryFolder folder;
  const std::string file = folder / "mine.cu", svg = folder / "layout.svg";
  std::ofstream(file) << R"(#include "device/mbarrier.cuh"
#include "device/wgmma.cuh"
)" + kernel_that(R"(__shared__ alignas(1024) char zeros[8192];
  float d[4] = {};
  if (p.M * p.N % 256 == 0) {
    for (int i = threadIdx.x; i < 8192; i += 256) zeros[i] = 0;
    device::fence_for_copies();
    __syncthreads();
    const uint64_t tile = device::describe_matrix(device::shared_address(zeros), 16, 1024, device::Swizzle::bytes_128);
    device::fence_wgmma();
    device::multiply_async<device::Factor::f16, 8>(d, tile, tile, false);
    device::commit_wgmma();
    device::wait_wgmma<0>();
  }
  *c = ladder::blend(p.alpha, sum + d[0], p.beta, c);)");
  const std::vector<std::string> words{"--kernel",  file,       "--size", "64",
                                       "--picture", "--layout", "--svg",  svg};
  const Ended ended = show(words);
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16"),
                               HasSubstr("A, 64 x 16, contiguous in k. Its descriptor: start "),
                               HasSubstr("(byte 0 of zeros), leading 16, stride 1024"),
                               HasSubstr("\n   7     896      7    6 "),
                               HasSubstr("B, 16 x 8, contiguous in k")));
  EXPECT_THAT(contents(svg), AllOf(HasSubstr("Places of 16-byte pieces"), HasSubstr("B, 16 x 8")));
  std::vector<std::string> elsewhere = words;
  elsewhere.insert(elsewhere.end(), {"--line", "3"});
  const Ended nowhere = show(elsewhere);
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_THAT(nowhere.err, AllOf(HasSubstr("--line 3: there is no tensor copy or wgmma"),
                                 HasSubstr("mine.cu: ")));
}

TEST(Show, DrawsTheTimelineOfABlock) {
  const TemporaryFolder folder;
  const std::string svg = folder / "timeline.svg";
  const Ended ended = show({"10", "--size", "64", "--timeline", "--svg", svg});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out,
              AllOf(HasSubstr("10 async_pipeline"), HasSubstr("timeline of ladder::async_pipeline"),
                    HasSubstr("warp 0 "), HasSubstr("steps at barriers")));
  EXPECT_THAT(contents(svg), HasSubstr("Timeline of ladder::async_pipeline"));
}

TEST(Show, OfAWrongKernelItSaysWhatIsWrong) {
  const TemporaryFolder folder;
  const std::string file = folder / "mine.cu", svg = folder / "picture.svg";
  std::ofstream(file) << kernel_that("*c = sum + 1.0f;");
  const Ended wrong = show({"--kernel", file, "--size", "64", "--picture", "--svg", svg});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_THAT(wrong.out, IsEmpty());
  EXPECT_THAT(wrong.err, HasSubstr("mine at 64x64x64"));
  std::ofstream(file) << kernel_that("c[1 << 20] = sum;");
  const Ended faulty = show({"--kernel", file, "--size", "64"});
  EXPECT_EQ(faulty.code, 70);
  EXPECT_THAT(faulty.out, IsEmpty());
  EXPECT_THAT(faulty.err, AllOf(HasSubstr("mine at 64x64x64"), HasSubstr("mine.cu:9")));
  EXPECT_EQ(folder.entries(), 1) << "nothing half-written";
}

}  // namespace
