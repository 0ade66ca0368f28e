// simcc on programs as learners bring them, and on wrong command lines.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "test/support/shell.hpp"

namespace simulator::test {
namespace {

const std::string SIMCC = "'" SIMCC_PROGRAM "'";
const std::string STRANGERS = TEST_DATA "/strangers";

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file) << text;
}

class Stranger : public ::testing::TestWithParam<const char*> {};

TEST_P(Stranger, CompilesAndRuns) {
  const TemporaryFolder folder;
  const std::string program = (folder / "program").string();
  const Outcome compiled = run(SIMCC + " " + STRANGERS + "/" + GetParam() + ".cu -o " + program);
  ASSERT_EQ(compiled.exit_code, 0) << compiled.err;
  EXPECT_EQ(compiled.err, "") << "a stranger's program compiles without a word";
  const Outcome ran = run(program);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.out.find("PASSED"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.err, "");

  const Outcome reported = run("SIMULATOR_REPORT=1 " + program);
  EXPECT_EQ(reported.out, ran.out);
  EXPECT_NE(reported.err.find(std::string(" in ") + GetParam() + ".cu"), std::string::npos)
      << reported.err;
}

INSTANTIATE_TEST_SUITE_P(Programs, Stranger,
                         ::testing::Values("vector_add", "matrix_multiply", "reduction",
                                           "cooperative_sum", "structs_by_value"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Simcc, AcceptsNvccsOptionsForARealGpuWithANote) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run(SIMCC + " -arch=sm_80 -gencode arch=compute_90,code=sm_90 -lineinfo " +
          "--use_fast_math -Xptxas -v -lcudart -O3 " + STRANGERS + "/vector_add.cu -o " +
          (folder / "program").string());
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err,
            "simcc: note: -lineinfo, -Xptxas -v, -arch=sm_80, -gencode arch=compute_90,code=sm_90 "
            "have no meaning for the simulated GPU and are ignored\n"
            "simcc: note: --use_fast_math: the simulated GPU computes as exactly as without it\n");
}

TEST(Simcc, CompilesForTheOneArchitectureThatItsOptionsName) {
  const TemporaryFolder folder;
  write(folder / "k.cu", R"(
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
constexpr bool HAS_ALL = true;
#else
constexpr bool HAS_ALL = false;
#endif
#ifdef __CUDA_ARCH__
static_assert(__CUDA_ARCH__ == ARCH && HAS_ALL == ALL);
#endif
__global__ void k() {}
)");
  struct Case {
    const char *options, *macros, *target;
    size_t notes = 0;
  };
  for (const Case& c :
       {Case{"", "-DARCH=900 -DALL=1", "sm_90a"},
        Case{"-arch=sm_90a", "-DARCH=900 -DALL=1", "sm_90a"},
        Case{"-arch compute_90", "-DARCH=900 -DALL=0", "sm_90"},
        Case{"-gencode arch=compute_80,code=sm_80 --generate-code=arch=compute_80,code=compute_80",
             "-DARCH=800 -DALL=0", "sm_80"},
        Case{"-arch=sm_80 -gencode arch=compute_90,code=sm_90", "-DARCH=900 -DALL=1", "sm_90a", 1},
        Case{"-arch=sm_100a", "-DARCH=900 -DALL=1", "sm_90a", 1},
        Case{"-arch=native", "-DARCH=900 -DALL=1", "sm_90a", 1}}) {
    const Outcome outcome = run(SIMCC + " --ptx " + c.options + " " + c.macros + " " +
                                (folder / "k.cu").string() + " -o " + (folder / "k.ptx").string());
    EXPECT_EQ(outcome.exit_code, 0) << c.options << outcome.err;
    EXPECT_EQ(count_of(outcome.err, "note: "), c.notes) << c.options << outcome.err;
    EXPECT_NE(
        contents(folder / "k.ptx").find(std::string("\n.target ").append(c.target).append("\n")),
        std::string::npos)
        << c.options;
  }
}

// An H100 with nvcc 13 gives these numbers. The binary is always one for the device.
TEST(Simcc, AKernelKnowsItsArchitecture) {
  const TemporaryFolder folder;
  write(folder / "k.cu", R"(
#include <cstdio>
__global__ void k() {}
int main() {
  cudaFuncAttributes is;
  cudaFuncGetAttributes(&is, k);
  printf("%d %d", is.ptxVersion, is.binaryVersion);
}
)");
  const std::string at = folder.path().string();
  for (const auto& [options, numbers] :
       {std::pair("", "90 90"), std::pair("-arch=sm_90", "90 90"),
        std::pair("-arch=sm_75", "75 90"),
        std::pair("-gencode arch=compute_80,code=sm_80", "80 90")}) {
    ASSERT_EQ(run(SIMCC + " " + options + " " + at + "/k.cu -o " + at + "/program").exit_code, 0);
    EXPECT_EQ(run(at + "/program").out, numbers) << options;
  }
}

TEST(Simcc, AProgramForAnotherArchitectureHasNoInstructionsOfSm90aAlone) {
  const TemporaryFolder folder;
  write(folder / "k.cu", R"(
#include <cstdio>
__global__ void fence() { asm volatile("wgmma.fence.sync.aligned;"); }
__global__ void give() { asm volatile("setmaxnreg.dec.sync.aligned.u32 40;"); }
int main() {
  fence<<<1, 128>>>();
  printf("%s", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaDeviceReset();
  give<<<1, 128>>>();
  printf(" %s", cudaGetErrorName(cudaDeviceSynchronize()));
}
)");
  const std::string at = folder.path().string();
  ASSERT_EQ(run(SIMCC + " -arch=sm_90 " + at + "/k.cu -o " + at + "/program").exit_code, 0);
  const Outcome ran = run(at + "/program");
  EXPECT_EQ(ran.out, "cudaErrorIllegalInstruction cudaErrorIllegalInstruction");
  for (const char* said :
       {"fence comes to `wgmma.fence.sync.aligned`: the program is compiled for sm_90, and this "
        "instruction needs -arch=sm_90a\n",
        "give comes to `setmaxnreg.dec.sync.aligned.u32 40`: the program is compiled for sm_90",
        "k.cu:3", "k.cu:4"}) {
    EXPECT_NE(ran.err.find(said), std::string::npos) << said << "\n" << ran.err;
  }
}

TEST(Simcc, APlainCharMeansTheSameInBothHalves) {
  const TemporaryFolder folder;
  write(folder / "k.cu",
        "__global__ void k(const char* c, int* x) { *x = *c; }\n"
        "static_assert((static_cast<char>(-1) < 0) == SIGNED);\n");
  for (const auto& [option, defined, load] :
       {std::tuple{"-funsigned-char", " -DSIGNED=false ", "ld.global.u8"},
        std::tuple{"-fsigned-char", " -DSIGNED=true ", "ld.global.s8"}}) {
    const std::string command = SIMCC + " " + option + defined + (folder / "k.cu").string();
    EXPECT_EQ(run(command + " -c -o " + (folder / "k.o").string()).err, "");
    EXPECT_EQ(run(command + " --ptx -o " + (folder / "k.ptx").string()).err, "");
    EXPECT_NE(contents(folder / "k.ptx").find(load), std::string::npos) << option;
  }
}

// Returns a kernel's memory accesses in its PTX: "2 ld.global.v4.f32, 1 st.global.f32".
std::string accesses_of(const std::string& ptx, const std::string& kernel) {
  const size_t begin = ptx.find(".entry " + kernel + "(");
  if (begin == std::string::npos) return "no kernel " + kernel;
  std::istringstream body(ptx.substr(begin, ptx.find("\n}", begin) - begin));
  std::map<std::string, int> found;
  for (std::string word; body >> word;) {
    if ((word.starts_with("ld.") || word.starts_with("st.")) && !word.starts_with("ld.param")) {
      ++found[word];
    }
  }
  std::string text;
  for (const auto& [word, count] : found) {
    if (!text.empty()) text += ", ";
    text += std::to_string(count) + " " + word;
  }
  return text;
}

// The memory accesses of each kernel of a source. The expected widths equal the widths in nvcc 13.0's machine code for
// sm_90a, unless a comment gives the reason for another.
struct Accesses {
  const char* kernel;
  const char* expected;
};

void expect_accesses(const std::string& source, const std::vector<Accesses>& kernels) {
  const TemporaryFolder folder;
  write(folder / "kernels.cu", source);
  const Outcome outcome = run(SIMCC + " --ptx " + (folder / "kernels.cu").string() + " -o " +
                              (folder / "kernels.ptx").string());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const std::string ptx = contents(folder / "kernels.ptx");
  for (const Accesses& accesses : kernels) {
    EXPECT_EQ(accesses_of(ptx, accesses.kernel), accesses.expected) << accesses.kernel;
  }
}

TEST(SimccWidths, CopiesOfClassesAreAsWideAsTheirAlignmentAllows) {
  expect_accesses(
      R"(
struct alignas(32) float8 { float v[8]; };
struct alignas(16) Four { float v[4]; };
struct alignas(16) Mixed { int a; float b; double c; };
struct alignas(16) Constant { const float a, b, c, d; };
struct alignas(16) Large { float v[64]; };
struct alignas(8) Two { float a, b; };
struct Unaligned { float v[4]; };
struct __attribute__((packed)) Packed { char a; short b; char c; };
struct Pair { float4 low, high; };
template <typename T> __device__ T get(const T* p) { return *p; }
#define COPY(name, type)                                              \
  extern "C" __global__ void name(const type* from, type* to) {       \
    to[threadIdx.x] = from[threadIdx.x];                              \
  }
COPY(copy_float4, float4)
COPY(copy_int4, int4)
COPY(copy_double2, double2)
COPY(copy_float2, float2)
COPY(copy_float8, float8)
COPY(copy_four, Four)
COPY(copy_mixed, Mixed)
COPY(copy_large, Large)
COPY(copy_two, Two)
COPY(copy_unaligned, Unaligned)
COPY(copy_packed, Packed)
COPY(copy_pair, Pair)
extern "C" __global__ void construct(const float8* from, float* to) {
  const float8 a(from[threadIdx.x]);
  to[threadIdx.x] = a.v[0] + a.v[1] + a.v[2] + a.v[3] + a.v[4] + a.v[5] + a.v[6] + a.v[7];
}
extern "C" __global__ void constant_members(const Constant* from, float* to) {
  const Constant a = from[threadIdx.x];
  to[threadIdx.x] = a.a * a.b + a.c * a.d;
}
extern "C" __global__ void by_value(const float8* from, float8* to) { to[threadIdx.x] = get(&from[threadIdx.x]); }
extern "C" __global__ void through_an_array(const float8* from, float8* to) {
  float8 held[2];
  for (int i = 0; i < 2; ++i) held[i] = from[i * 32 + threadIdx.x];
  for (int i = 0; i < 2; ++i) to[i * 32 + threadIdx.x] = held[1 - i];
}
extern "C" __global__ void one_member(const Four* from, float* to) {
  const Four a = from[threadIdx.x];
  to[threadIdx.x] = a.v[1];
}
extern "C" __global__ void users_memcpy(const float* from, float* to) { __builtin_memcpy(to, from, 16); }
extern "C" __global__ void with_volatile(const volatile float* from, volatile float* to) {
  for (int i = 0; i < 4; ++i) to[i] = from[i];
}
)",
      {
          {"copy_float4", "1 ld.global.v4.f32, 1 st.global.v4.f32"},
          {"copy_int4", "1 ld.global.v4.u32, 1 st.global.v4.u32"},
          {"copy_double2", "1 ld.global.v2.f64, 1 st.global.v2.f64"},
          {"copy_float2", "1 ld.global.u64, 1 st.global.u64"},
          {"copy_float8", "2 ld.global.v4.f32, 2 st.global.v4.f32"},
          {"copy_four", "1 ld.global.v4.f32, 1 st.global.v4.f32"},
          {"copy_mixed", "1 ld.global.v4.f32, 1 st.global.v4.f32"},
          {"copy_large", "16 ld.global.v4.f32, 16 st.global.v4.f32"},
          {"copy_two", "1 ld.global.u64, 1 st.global.u64"},
          {"copy_unaligned", "4 ld.global.u32, 4 st.global.u32"},
          {"copy_packed", "4 ld.global.u8, 4 st.global.u8"},
          {"copy_pair", "2 ld.global.v4.f32, 2 st.global.v4.f32"},
          {"construct", "2 ld.global.v4.f32, 1 st.global.f32"},
          {"constant_members", "1 ld.global.v4.f32, 1 st.global.f32"},
          {"by_value", "2 ld.global.v4.f32, 2 st.global.v4.f32"},
          {"through_an_array", "4 ld.global.v4.f32, 4 st.global.v4.f32"},
          {"one_member", "1 ld.global.f32, 1 st.global.f32"},
          // nvcc goes byte by byte, and clang trusts float*. Neither takes it for a float4.
          {"users_memcpy", "4 ld.global.u32, 4 st.global.u32"},
          {"with_volatile", "4 ld.volatile.global.f32, 4 st.volatile.global.f32"},
      });
}

TEST(SimccWidths, ACastToAVectorTypeIsOneAccess) {
  expect_accesses(
      R"(
#define FETCH_FLOAT4(x) (reinterpret_cast<float4*>(&(x))[0])
struct alignas(16) Four { float v[4]; };
struct Unaligned { float v[4]; };
struct alignas(16) Two { Unaligned low, high; };
struct Tile { float before[3]; float values[61]; };
#define KERNEL(name) extern "C" __global__ void name(float* from, float4* to)
#define FILL(shared) shared[threadIdx.x] = from[threadIdx.x]; __syncthreads()
KERNEL(initialised) {
  __shared__ float s[128]; FILL(s);
  float4 v = reinterpret_cast<float4*>(&s[threadIdx.x])[0];
  to[threadIdx.x] = v;
}
KERNEL(initialised_from_const) {
  __shared__ float s[128]; FILL(s);
  float4 v = *reinterpret_cast<const float4*>(s + threadIdx.x);
  to[threadIdx.x] = v;
}
KERNEL(assigned) {
  __shared__ float s[128]; FILL(s);
  float4 v;
  v = FETCH_FLOAT4(s[threadIdx.x]);
  to[threadIdx.x] = v;
}
KERNEL(two_dimensions) {
  __shared__ float s[16][12]; FILL(s[threadIdx.y]);
  float4 v = FETCH_FLOAT4(s[threadIdx.x][threadIdx.y * 4]);
  to[threadIdx.x] = v;
}
KERNEL(dynamic) {
  extern __shared__ float d[]; FILL(d);
  float4 v = FETCH_FLOAT4(d[threadIdx.x * 4]);
  to[threadIdx.x] = v;
}
KERNEL(member) {
  __shared__ Tile tile; FILL(tile.values);
  float4 v = FETCH_FLOAT4(tile.values[threadIdx.x]);
  to[threadIdx.x] = v;
}
KERNEL(to_shared) {
  __shared__ float s[128];
  FETCH_FLOAT4(s[threadIdx.x * 4]) = to[threadIdx.x];
  __syncthreads();
  from[threadIdx.x] = s[threadIdx.x];
}
KERNEL(both_sides) {
  __shared__ float s[128]; FILL(s);
  float registers[8];
  FETCH_FLOAT4(registers[0]) = FETCH_FLOAT4(s[threadIdx.x * 4]);
  FETCH_FLOAT4(registers[4]) = FETCH_FLOAT4(s[threadIdx.x * 8]);
  to[threadIdx.x] = {registers[0] * registers[4], registers[1] * registers[5],
                     registers[2] * registers[6], registers[3] * registers[7]};
}
KERNEL(own_class) {
  __shared__ float s[128]; FILL(s);
  Four v = *reinterpret_cast<Four*>(&s[threadIdx.x]);
  *reinterpret_cast<Four*>(to) = v;
}
KERNEL(int4_and_double2) {
  __shared__ float s[128]; __shared__ double t[32]; FILL(s); FILL(t);
  int4 v = *reinterpret_cast<int4*>(&s[threadIdx.x]);
  double2 w = *reinterpret_cast<double2*>(&t[threadIdx.x]);
  reinterpret_cast<int4*>(to)[0] = v;
  reinterpret_cast<double2*>(to)[1] = w;
}
KERNEL(as_float2) {
  __shared__ float s[128]; FILL(s);
  float2 v = *reinterpret_cast<float2*>(&s[threadIdx.x]);
  *reinterpret_cast<float2*>(to) = v;
}
KERNEL(global) {
  float4 v = FETCH_FLOAT4(from[threadIdx.x]);
  to[threadIdx.x] = v;
}
KERNEL(to_unaligned_class) {
  __shared__ float s[128]; FILL(s);
  Unaligned v = *reinterpret_cast<Unaligned*>(&s[threadIdx.x]);
  *reinterpret_cast<Unaligned*>(from) = v;
}
extern "C" __global__ void unaligned_in_aligned(const Unaligned* from, Two* to) {
  Two v;
  v.low = from[threadIdx.x];
  v.high = from[threadIdx.x + 1];
  to[threadIdx.x] = v;
}
)",
      {
          {"initialised",
           "1 ld.global.f32, 1 ld.shared.v4.f32, 1 st.global.v4.f32, 1 st.shared.f32"},
          {"initialised_from_const",
           "1 ld.global.f32, 1 ld.shared.v4.f32, 1 st.global.v4.f32, 1 st.shared.f32"},
          {"assigned", "1 ld.global.f32, 1 ld.shared.v4.f32, 1 st.global.v4.f32, 1 st.shared.f32"},
          {"two_dimensions",
           "1 ld.global.f32, 1 ld.shared.v4.f32, 1 st.global.v4.f32, 1 st.shared.f32"},
          {"dynamic", "1 ld.global.f32, 1 ld.shared.v4.f32, 1 st.global.v4.f32, 1 st.shared.f32"},
          {"member", "1 ld.global.f32, 1 ld.shared.v4.f32, 1 st.global.v4.f32, 1 st.shared.f32"},
          {"to_shared", "1 ld.global.v4.f32, 1 ld.shared.f32, 1 st.global.f32, 1 st.shared.v4.f32"},
          {"both_sides",
           "1 ld.global.f32, 2 ld.shared.v4.f32, 1 st.global.v4.f32, 1 st.shared.f32"},
          {"own_class", "1 ld.global.f32, 1 ld.shared.v4.f32, 1 st.global.v4.f32, 1 st.shared.f32"},
          {"int4_and_double2",
           "2 ld.global.f32, 1 ld.shared.v2.f64, 1 ld.shared.v4.u32, 1 st.global.v2.f64, "
           "1 st.global.v4.u32, 1 st.shared.f32, 1 st.shared.f64"},
          {"as_float2", "1 ld.global.f32, 1 ld.shared.u64, 1 st.global.u64, 1 st.shared.f32"},
          {"global", "1 ld.global.v4.f32, 1 st.global.v4.f32"},
          {"to_unaligned_class",
           "1 ld.global.f32, 4 ld.shared.u32, 4 st.global.u32, 1 st.shared.f32"},
          {"unaligned_in_aligned", "8 ld.global.f32, 2 st.global.v4.f32"},
      });
}

TEST(SimccWidths, NeighboursInSharedMemoryAreReadTogether) {
  expect_accesses(
      R"(
#define KERNEL(name, declaration)                                                     \
  extern "C" __global__ void name(const float* from, float* to) {                     \
    declaration;                                                                      \
    const int x = threadIdx.x, y = threadIdx.y;                                       \
    s[y][x] = from[x];                                                                \
    __syncthreads();                                                                  \
    float sum = 0;                                                                    \
    for (int k = 0; k < 16; ++k) sum += s[y][k] * s[k][x];                            \
    to[x] = sum;                                                                      \
  }
KERNEL(rows_of_16, __shared__ float s[16][16])
KERNEL(rows_of_17, __shared__ float s[16][17])
KERNEL(rows_of_18, __shared__ float s[16][18])
KERNEL(with_volatile, volatile __shared__ float s[16][16])
KERNEL(dynamic, extern __shared__ float d[]; float(*s)[16] = reinterpret_cast<float(*)[16]>(d))
extern "C" __global__ void bytes(const char* from, char* to) {
  __shared__ char s[13];
  s[threadIdx.x] = from[threadIdx.x];
  __syncthreads();
  to[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + 1];
}
)",
      {
          {"rows_of_16",
           "1 ld.global.f32, 16 ld.shared.f32, 4 ld.shared.v4.f32, 1 st.global.f32, "
           "1 st.shared.f32"},
          {"rows_of_17", "1 ld.global.f32, 32 ld.shared.f32, 1 st.global.f32, 1 st.shared.f32"},
          {"rows_of_18",
           "1 ld.global.f32, 16 ld.shared.f32, 8 ld.shared.v2.f32, 1 st.global.f32, "
           "1 st.shared.f32"},
          {"with_volatile",
           "1 ld.global.f32, 32 ld.volatile.shared.f32, 1 st.global.f32, "
           "1 st.volatile.shared.f32"},
          {"dynamic",
           "1 ld.global.f32, 16 ld.shared.f32, 4 ld.shared.v4.f32, 1 st.global.f32, "
           "1 st.shared.f32"},
          {"bytes", "1 ld.global.u8, 2 ld.shared.u8, 1 st.global.u8, 1 st.shared.u8"},
      });
}

TEST(SimccWidths, SharedMemoryGrowsByNoPadding) {
  const TemporaryFolder folder;
  write(folder / "sizes.cu", R"(
struct Tile { float a[3]; double b; float c[2][4]; };
__global__ void k(int* p) {
  __shared__ float five[5];
  __shared__ char three[3];
  __shared__ double doubles[3];
  __shared__ float eight[8];
  __shared__ Tile tile;
  alignas(64) __shared__ float own[4];
  extern __shared__ float rest[];
  const int i = *p;
  five[i] = three[i] = doubles[i] = eight[i] = tile.c[0][i] = own[i] = rest[i] = i;
  __syncthreads();
  *p = five[0] + three[0] + doubles[0] + eight[0] + tile.c[0][0] + own[0] + rest[0];
}
)");
  const Outcome outcome = run("cd " + folder.path().string() + " && " + SIMCC + " --ptx sizes.cu");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string ptx = contents(folder / "sizes.ptx");
  for (const char* variable : {".align 4 .b8 _ZZ1kPiE4five[20]", ".align 1 .b8 _ZZ1kPiE5three[3]",
                               ".align 8 .b8 _ZZ1kPiE7doubles[24]",
                               ".align 16 .b8 _ZZ1kPiE5eight[32]", ".align 8 .b8 _ZZ1kPiE4tile[56]",
                               ".align 64 .b8 _ZZ1kPiE3own[16]", ".align 16 .b8 rest[]"}) {
    EXPECT_NE(ptx.find(variable), std::string::npos) << variable;
  }
}

TEST(SimccWidths, SaysWhichToolOfLlvmIsMissing) {
  const TemporaryFolder folder;
  write(folder / "k.cu", "__global__ void k() {}\nint main() {}\n");
  for (const std::string variable : {"SIMCC_OPT", "SIMCC_LLC"}) {
    const Outcome outcome = run("cd " + folder.path().string() + " && " + variable +
                                "=no-such-tool " + SIMCC + " --ptx k.cu");
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.err.find("no-such-tool: not found; install llvm-19, or set " + variable),
              std::string::npos)
        << outcome.err;
  }
}

TEST(Simcc, IsSilentAboutALoopThatCannotBeUnrolled) {
  const TemporaryFolder folder;
  write(folder / "loop.cu", R"(
__global__ void k(const float* from, float* to, int n) {
  float sum = 0;
#pragma unroll
  for (int i = 0; i < n; ++i) {
    if (from[i] > 3) break;
    sum += from[i];
    __syncthreads();
  }
  *to = sum;
}
)");
  const Outcome outcome = run("cd " + folder.path().string() + " && " + SIMCC + " --ptx loop.cu");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
}

// Programs load what nvcc -fatbin or -cubin wrote. Here it is PTX.
TEST(Simcc, WritesModulesThatProgramsLoad) {
  const TemporaryFolder folder;
  write(folder / "k.cu", "extern \"C\" __global__ void k(int* p) { *p = 42; }\n");
  write(folder / "main.cpp", R"(
#include <cuda.h>
#include <stdio.h>
int main(int, char** arguments) {
  CUcontext context;
  CUmodule module;
  CUfunction k;
  CUdeviceptr p = 0;
  int value = 0;
  void* pointers[] = {&p};
  cuInit(0);
  cuCtxCreate(&context, 0, 0);
  printf("%d ", cuModuleLoad(&module, arguments[1]));
  printf("%d ", cuModuleGetFunction(&k, module, "k"));
  cuMemAlloc(&p, sizeof value);
  printf("%d ", cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, nullptr, pointers, nullptr));
  cuMemcpyDtoH(&value, p, sizeof value);
  printf("%d\n", value);
  cuMemFree(p);
}
)");
  const std::string there = "cd " + folder.path().string() + " && ";
  ASSERT_EQ(run(there + SIMCC + " main.cpp -lcuda -o main && " + SIMCC + " --ptx k.cu").exit_code,
            0);
  for (const std::string kind : {"fatbin", "cubin"}) {
    const Outcome made = run(there + SIMCC + " -" + kind + " k.cu");
    EXPECT_EQ(made.exit_code, 0) << made.err;
    EXPECT_NE(made.err.find("note: k." + kind + " will be PTX"), std::string::npos) << made.err;
    EXPECT_EQ(contents(folder / ("k." + kind)), contents(folder / "k.ptx"));
    const Outcome ran = run(there + "./main k." + kind);
    EXPECT_EQ(ran.out, "0 0 0 42\n");
    EXPECT_EQ(ran.err, "");
  }
}

TEST(Simcc, WritesADependencyFileForMake) {
  const TemporaryFolder folder;
  write(folder / "a.cuh", "__device__ inline int one() { return 1; }\n");
  write(folder / "a.cu", "#include \"a.cuh\"\n__global__ void k(int* p) { *p = one(); }\n");
  const std::string object = (folder / "a.o").string();
  const Outcome outcome = run(SIMCC + " -c " + (folder / "a.cu").string() + " -o " + object +
                              " -MD -MF " + (folder / "a.d").string());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string rule = contents(folder / "a.d");
  EXPECT_EQ(rule.find(object + ":"), 0u) << rule;
  EXPECT_NE(rule.find("a.cuh"), std::string::npos) << rule;
  EXPECT_NE(rule.find("cuda_runtime.h"), std::string::npos) << rule;
}

// Compiles k.cu in a folder with -v, and returns its messages. The environment stands before the call.
struct Compiled {
  std::string object, messages;

  bool read_precompiled_headers() const {
    return count_of(messages, "-include-pch") == 2;  // in both halves
  }
  bool ran_the_front_end() const { return messages.find("-emit-llvm") != std::string::npos; }
  bool ran_the_optimiser() const { return messages.find("opt-19 ") != std::string::npos; }
};

Compiled compile_k(const TemporaryFolder& folder, const std::string& environment,
                   const std::string& options = "") {
  const Outcome outcome = run("cd " + folder.path().string() + " && SIMCC_CACHE= " + environment +
                              " " + SIMCC + " -v -c k.cu " + options);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return {contents(folder / "k.o"), outcome.err};
}

TEST(Simcc, ReadsTheHeadersOfEveryProgramOnceIfAsked) {
  const TemporaryFolder folder;
  write(folder / "k.cu", "__global__ void k(float* p) { *p = sqrtf(*p); }\n");
  const std::string with = "SIMCC_PRECOMPILED=" + (folder / "headers").string();
  const Compiled plain = compile_k(folder, "SIMCC_PRECOMPILED=");
  EXPECT_FALSE(plain.read_precompiled_headers()) << plain.messages;

  EXPECT_FALSE(compile_k(folder, with).read_precompiled_headers()) << "none was made yet";
  const Outcome made = run(SIMCC + " --precompile " + (folder / "headers").string());
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(made.err, "");
  const Compiled fast = compile_k(folder, with);
  EXPECT_TRUE(fast.read_precompiled_headers()) << fast.messages;
  EXPECT_EQ(fast.object, plain.object) << "the same program";

  // They are of other programs: with another option, or with a standard header of their own.
  EXPECT_FALSE(compile_k(folder, with, "-DNDEBUG").read_precompiled_headers());
  std::filesystem::create_directory(folder / "own");
  EXPECT_TRUE(compile_k(folder, with, "-I own").read_precompiled_headers());
  for (const char* name :
       {"math.h", "strings.h"}) {  // cuda_runtime.h includes the second through others
    write(folder / "own" / name, "#include_next <" + std::string(name) + ">\n");
    EXPECT_FALSE(compile_k(folder, with, "-I own").read_precompiled_headers()) << name;
    std::filesystem::remove(folder / "own" / name);
  }

  write(folder / "k.cu",
        "#include <string>\n#include <vector>\n__global__ void k(int* p) { *p = 1; }\n");
  ASSERT_EQ(run(SIMCC + " --precompile " + (folder / "headers").string() + " -std=c++20").exit_code,
            0);
  EXPECT_TRUE(compile_k(folder, with, "-std=c++20").read_precompiled_headers());
  EXPECT_TRUE(compile_k(folder, with).read_precompiled_headers());

  // They are made for speed alone, so nothing depends on them.
  const Outcome elsewhere = run("CPATH=" + (folder / "own").string() + " " + SIMCC +
                                " --precompile " + (folder / "more").string());
  EXPECT_EQ(elsewhere.exit_code, 0) << elsewhere.err;
  EXPECT_NE(elsewhere.err.find("none is kept"), std::string::npos) << elsewhere.err;
}

TEST(Simcc, DoesWithoutHeadersThatWereReadBeforeTheyChanged) {
  const TemporaryFolder folder;
  const std::string copy = folder.path().string();
  const Outcome copied =
      run("cd " SOURCE_TREE "/src/simulator && cp -r simcc command_line.bash include *.py " + copy);
  ASSERT_EQ(copied.exit_code, 0) << copied.err;
  const std::string header = contents(folder / "include" / "math_functions.h");
  write(folder / "include" / "math_functions.h", header + "#define TESTED 11\n");
  write(folder / "k.cu", "__global__ void k(int* p) { *p = TESTED; }\n");
  const std::string compile = "cd " + copy + " && SIMCC_PRECOMPILED=headers ./simcc -v --ptx k.cu";
  ASSERT_EQ(run("cd " + copy + " && ./simcc --precompile headers").exit_code, 0);
  const Outcome before = run(compile);
  EXPECT_NE(before.err.find("-include-pch"), std::string::npos) << before.err;
  EXPECT_NE(contents(folder / "k.ptx").find(", 11;"), std::string::npos);
  write(folder / "include" / "math_functions.h", header + "#define TESTED 12\n");
  const Outcome after = run(compile);
  EXPECT_EQ(after.exit_code, 0);
  EXPECT_EQ(count_of(after.err, "error:"), 0U) << after.err;
  EXPECT_NE(contents(folder / "k.ptx").find(", 12;"), std::string::npos) << "it is the old header";
}

TEST(Simcc, SaysAWarningOnceWithPrecompiledHeaders) {
  const TemporaryFolder folder;
  write(folder / "k.cu", "__global__ void k(float* p) { int unused; *p = 1; }\n");
  const std::string headers = (folder / "headers").string();
  ASSERT_EQ(run(SIMCC + " --precompile " + headers + " -Wall").exit_code, 0);
  const Compiled compiled = compile_k(folder, "SIMCC_PRECOMPILED=" + headers, "-Wall");
  EXPECT_TRUE(compiled.read_precompiled_headers()) << compiled.messages;
  EXPECT_EQ(count_of(compiled.messages, "warning:"), 1U) << compiled.messages;
}

TEST(Simcc, TakesDeviceCodeFromACacheIfTheSourceIsTheSame) {
  const TemporaryFolder folder;
  const std::string with = "SIMCC_CACHE=" + (folder / "cache").string();
  write(folder / "k.cu", "__global__ void k(float* p) { *p = sqrtf(*p); }\n");
  const Compiled first = compile_k(folder, with), again = compile_k(folder, with);
  EXPECT_TRUE(first.ran_the_optimiser()) << first.messages;
  EXPECT_FALSE(again.ran_the_optimiser()) << again.messages;
  EXPECT_EQ(again.object, first.object);

  // Other host code has the same device code. Another line number is other device code: faults name the line.
  write(folder / "k.cu", "__global__ void k(float* p) { *p = sqrtf(*p); }\nint more;\n");
  EXPECT_FALSE(compile_k(folder, with).ran_the_optimiser());
  write(folder / "k.cu", "\n__global__ void k(float* p) { *p = sqrtf(*p); }\n");
  EXPECT_TRUE(compile_k(folder, with).ran_the_optimiser());
  EXPECT_TRUE(compile_k(folder, with, "-arch=sm_80").ran_the_optimiser());
  EXPECT_TRUE(compile_k(folder, "SIMCC_CACHE=/dev/null/cache").ran_the_optimiser())
      << "it does without";
}

TEST(Simcc, TakesAnObjectFromACacheIfNothingChanged) {
  const TemporaryFolder folder;
  const std::string with = "SIMCC_CACHE=" + (folder / "cache").string();
  write(folder / "h.h", "constexpr int value = 1;\n");
  write(folder / "k.cu",
        "#include \"h.h\"\n__global__ void k(int* p) { int unused; *p = value; }\n");
  const Compiled first = compile_k(folder, with, "-Wall -MD");
  const std::string dependencies = contents(folder / "k.d");
  std::filesystem::remove(folder / "k.d");
  const Compiled again = compile_k(folder, with, "-Wall -MD");
  EXPECT_TRUE(first.ran_the_front_end()) << first.messages;
  EXPECT_FALSE(again.ran_the_front_end()) << again.messages;
  EXPECT_EQ(again.object, first.object);
  EXPECT_EQ(contents(folder / "k.d"), dependencies);
  EXPECT_NE(dependencies.find("h.h"), std::string::npos) << dependencies;
  for (const Compiled* compiled : {&first, &again})
    EXPECT_EQ(count_of(compiled->messages, "warning:"), 1U) << compiled->messages;

  EXPECT_TRUE(compile_k(folder, with, "-Wall -O1").ran_the_front_end()) << "another option";
  write(folder / "h.h", "constexpr int value = 2;\n");
  const Compiled changed = compile_k(folder, with, "-Wall -MD");
  EXPECT_TRUE(changed.ran_the_front_end()) << "another header";
  EXPECT_NE(changed.object, first.object);

  // What does not compile is not kept.
  write(folder / "k.cu", "__global__ void k(int* p) { *p = absent; }\n");
  for (int i = 0; i < 2; ++i) {
    const Outcome outcome =
        run("cd " + folder.path().string() + " && " + with + " " + SIMCC + " -c k.cu");
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(count_of(outcome.err, "absent"), 2U) << outcome.err;  // in the message and the line
  }
}

TEST(Simcc, EmbedsThePtxAndEndsItWithAZeroByte) {
  const TemporaryFolder folder;
  write(folder / "k.cu", "__global__ void k(int* p) { *p = 1; }\n");
  const Outcome outcome =
      run("cd " + folder.path().string() + " && " + SIMCC + " --ptx k.cu && " + SIMCC +
          " -c k.cu && objcopy -O binary --only-section=.nv_fatbin k.o embedded");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string expected = contents(folder / "k.ptx") + '\0';
  // The address sanitizer puts a red zone behind it.
  EXPECT_EQ(contents(folder / "embedded").substr(0, expected.size()), expected);
}

TEST(Simcc, LinksSeveralFilesEachWithItsOwnDeviceCode) {
  const TemporaryFolder folder;
  write(folder / "a.cu", R"(
static __global__ void set(int* p) { *p = 1; }
int a(int* p) { set<<<1, 1>>>(p); cudaDeviceSynchronize(); return *p; }
)");
  write(folder / "b.cu", R"(
static __global__ void set(int* p) { *p = 2; }
int b(int* p) { set<<<1, 1>>>(p); cudaDeviceSynchronize(); return *p; }
)");
  write(folder / "main.cpp", R"(
#include <cuda_runtime.h>
int a(int*);
int b(int*);
int main() {
  int* p = nullptr;
  cudaMallocManaged(&p, 4);
  const int first = a(p);
  return first * 10 + b(p);
}
)");
  const std::string at = folder.path().string();
  const Outcome compiled =
      run(SIMCC + " " + at + "/a.cu " + at + "/b.cu " + at + "/main.cpp -o " + at + "/p");
  ASSERT_EQ(compiled.exit_code, 0) << compiled.err;
  EXPECT_EQ(run(at + "/p").exit_code, 12);
}

// Nothing in a header is defined twice, and no two headers are at odds.
TEST(Simcc, LinksTwoFilesThatIncludeEveryHeader) {
  namespace fs = std::filesystem;
  const fs::path headers = TEST_DATA "/../../src/simulator/include";
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(headers)) {
    const std::string name = fs::relative(entry.path(), headers).string();
    // The headers themselves include the parts in two of the folders.
    const auto begins = [&](const char* with) { return name.rfind(with, 0) == 0; };
    if (entry.is_regular_file() && !begins("simulated/") && !begins("texture/") && !begins("."))
      names.push_back(name);
  }
  ASSERT_GT(names.size(), 40u);
  std::sort(names.begin(), names.end());
  std::string includes;
  for (const std::string& name : names) includes += "#include <" + name + ">\n";
  const TemporaryFolder folder;
  write(folder / "first.cu", includes + "__global__ void first() {}\n");
  write(folder / "second.cu", includes + "__global__ void second() {}\nint main() {}\n");
  const Outcome compiled =
      run(SIMCC + " " + (folder / "first.cu").string() + " " + (folder / "second.cu").string() +
          " -o " + (folder / "program").string());
  EXPECT_EQ(compiled.exit_code, 0) << compiled.err;
  EXPECT_EQ(compiled.err, "");
}

TEST(Simcc, CompilesACFileAsC) {
  const TemporaryFolder folder;
  // `class` is a name in C, a pointer to anything becomes one to an int, and the function's name is not mangled.
  write(folder / "count.c", R"(
#include <cuda_runtime_api.h>
int *count(void *place) {
  int *class = place;
  cudaError_t error = cudaGetDeviceCount(class);
  return error == cudaSuccess ? class : 0;
}
)");
  write(folder / "main.cu", R"(
extern "C" int* count(void*);
int main() {
  int devices = 0;
  const int* const counted = count(&devices);
  return counted != nullptr && *counted == 1 ? 0 : 1;
}
)");
  const std::string program = (folder / "program").string();
  for (const std::string standard : {"-std=c++20", "--std=c++20", "-std c++20"}) {
    const Outcome compiled = run(SIMCC + " " + standard + " " + (folder / "count.c").string() +
                                 " " + (folder / "main.cu").string() + " -o " + program);
    EXPECT_EQ(compiled.exit_code, 0) << standard;
    EXPECT_EQ(compiled.err, "");
    EXPECT_EQ(run(program).exit_code, 0);
  }
}

TEST(Simcc, CompilesForNvrtcWithTheToolsThatCompiledTheProgram) {
  const TemporaryFolder folder;
  write(folder / "compile.cpp", R"(
#include <nvrtc.h>
#include <cstdio>
#include <string>
int main(int count, char** options) {
  nvrtcProgram program;
  nvrtcCreateProgram(&program, "#include \"beside.h\"\n__global__ void fill(int* x) { *x = VALUE; }", "fill.cu", 0, nullptr, nullptr);
  const nvrtcResult result = nvrtcCompileProgram(program, count - 1, options + 1);
  size_t size = 0;
  nvrtcGetProgramLogSize(program, &size);
  std::string log(size, '?');
  nvrtcGetProgramLog(program, log.data());
  printf("%s\n%s", nvrtcGetErrorString(result), log.c_str());
  nvrtcDestroyProgram(&program);
}
)");
  write(folder / "beside.h", "#define VALUE 3\n");
  const std::string program = (folder / "compile").string();
  ASSERT_EQ(run(SIMCC + " '" + (folder / "compile.cpp").string() + "' -lnvrtc -o '" + program + "'")
                .exit_code,
            0);
  const std::string include = " '--include-path=" + folder.path().string() + "'";
  EXPECT_EQ(run("'" + program + "'" + include).out, "NVRTC_SUCCESS\n");
  EXPECT_EQ(run("'" + program + "' -I '" + folder.path().string() + "'").out, "NVRTC_SUCCESS\n");
  EXPECT_EQ(run("'" + program + "' -arch sm_70" + include).out, "NVRTC_SUCCESS\n");
  const auto begins = [](const Outcome& outcome, const std::string& text) {
    return outcome.out.starts_with(text) ? "" : outcome.out;
  };
  EXPECT_EQ(begins(run("'" + program + "'"),
                   "NVRTC_ERROR_COMPILATION\nfill.cu:1:10: fatal error: 'beside.h' file not found"),
            "");
  EXPECT_EQ(begins(run("SIMCC=/nowhere/simcc '" + program + "'" + include),
                   "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE\nnvrtc: error: NVRTC cannot run "
                   "/nowhere/simcc; the "
                   "variable SIMCC may name simcc"),
            "");
  EXPECT_EQ(begins(run("TMPDIR=/nowhere '" + program + "'" + include),
                   "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE\nnvrtc: error: "),
            "");
}

TEST(Simcc, LeavesNothingBehindWhenTheProgramIsWrong) {
  const TemporaryFolder folder;
  write(folder / "wrong.cu", "__global__ void k() { no_such_function(); }\n");
  const Outcome outcome =
      run("cd " + folder.path().string() + " && " + SIMCC + " wrong.cu -o program");
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_NE(outcome.err.find("wrong.cu:1"), std::string::npos) << outcome.err;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    files += entry.path().filename() != "wrong.cu";
  }
  EXPECT_EQ(files, 0);
}

// The optimiser assumes that infinite recursion is impossible, and would empty a kernel that reaches it.
TEST(Simcc, RefusesInfiniteRecursionOnTheDevice) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "system");
  const std::string compile =
      "cd " + folder.path().string() + " && " + SIMCC + " -isystem system -c k.cu";
  write(folder / "k.cu", "#include <forever.h>\n__global__ void k(float* p) { *p = f(*p); }\n");
  for (const std::string function :
       {"__device__ inline float f(float x) { return f(x); }",
        "template <typename T> constexpr T f(T x) { return f(x); }",
        "template <typename T> constexpr T f(T x) { return f(x + 1) + 3; }"}) {
    write(folder / "system" / "forever.h", "#pragma GCC system_header\n" + function + "\n");
    const Outcome outcome = run(compile);
    EXPECT_EQ(outcome.exit_code, 1) << function;
    EXPECT_NE(outcome.err.find("system/forever.h:2:"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("error: "), std::string::npos) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(folder / "k.o"));
  }
  write(folder / "k.cu", R"(
template <typename T> __device__ T factorial(T n) { return n == 0 ? 1 : n * factorial(n - 1); }
__device__ float series(float x) { return x < 1 ? x : series(x - 1) * 0.3f + x; }
__global__ void k(int* p, float* q) {
  while (atomicAdd(p, 0) == 0) {}
  *p = factorial(*p);
  *q = series(*q);
}
)");
  const Outcome finite = run(compile);
  EXPECT_EQ(finite.exit_code, 0) << finite.err;
  EXPECT_EQ(finite.err, "");
}

TEST(Simcc, ExactAndFastFunctionsAreDifferentInstructions) {
  const TemporaryFolder folder;
  write(folder / "k.cu", R"(
__global__ void exact(float* p) { *p = expf(*p); }
__global__ void fast(float* p) { *p = __expf(*p); }
)");
  const Outcome outcome =
      run("cd " + folder.path().string() + " && " + SIMCC + " --ptx k.cu -o k.ptx");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string ptx = contents(folder / "k.ptx");
  EXPECT_EQ(count_of(ptx, "__simulator_math_exp_f32, "), 1u) << ptx;
  EXPECT_EQ(count_of(ptx, "ex2.approx"), 1u) << ptx;
}

TEST(Simcc, KeepsAnOlderProgramWhenTheNewOneIsWrong) {
  const TemporaryFolder folder;
  write(folder / "wrong.cu", "nonsense\n");
  write(folder / "program", "old");
  EXPECT_NE(run("cd " + folder.path().string() + " && " + SIMCC + " wrong.cu -o program").exit_code,
            0);
  EXPECT_EQ(contents(folder / "program"), "old");
}

// A folder with a toolkit's headers, which would not compile beside ours, and a folder that is no toolkit's.
class InstalledToolkit : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(toolkit_ / "thrust");
    for (const char* const header :
         {"cuda_runtime.h", "cuda_runtime_api.h", "vector_types.h", "cuda_fp4.h",
          "device_launch_parameters.h", "thrust/device_vector.h"}) {
      write(toolkit_ / header,
            "/* Copyright 1993-2025 NVIDIA Corporation. */\nstruct char1 {};\nstruct char1 {};\n");
    }
    write(toolkit_ / "neighbour.h", "inline int neighbour() { return 3; }\n");
  }

  Outcome compile(const std::string& source, const std::string& environment,
                  const std::string& options) const {
    return run(environment + " " + SIMCC + " " + options + " " + (folder_ / source).string() +
               " -o " + (folder_ / "program").string());
  }

  const TemporaryFolder folder_;
  const std::filesystem::path toolkit_ = folder_ / "toolkit";
  const std::string path_ = toolkit_.string();
  // The ways by which its headers may be found.
  const std::pair<std::string, std::string> ways_[4] = {{"CPATH=" + path_, ""},
                                                        {"CPLUS_INCLUDE_PATH=" + path_, ""},
                                                        {"", "-I" + path_},
                                                        {"", "-isystem " + path_}};
};

TEST_F(InstalledToolkit, IsNotWhereOurHeadersComeFrom) {
  write(folder_ / "program.cu",
        "#include <cuda_runtime.h>\n#include <device_launch_parameters.h>\n#include "
        "\"vector_types.h\"\n"
        "#include <neighbour.h>\nint main() { return neighbour() - 3; }\n");
  for (const auto& [environment, options] : ways_) {
    SCOPED_TRACE(environment + options);
    const Outcome outcome = compile("program.cu", environment, options + " -c");
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.err, "");
  }
}

TEST_F(InstalledToolkit, HasHeadersThatAreRefusedInOneLine) {
  write(folder_ / "direct.cu", "#include <cstdio>\n#include <cuda_fp4.h>\nint main() {}\n");
  write(folder_ / "direct.cpp", "#include <cstdio>\n#include <cuda_fp4.h>\nint main() {}\n");
  write(folder_ / "util.h", "#pragma once\n\n#  include \"cuda_fp4.h\"\n");
  write(folder_ / "nested.cu", "#include \"util.h\"\nint main() {}\n");
  write(folder_ / "below.cu", "#include <thrust/device_vector.h>\nint main() {}\n");
  const auto expect_refused = [&](const std::string& source, const std::string& environment,
                                  const std::string& options, const std::string& said) {
    SCOPED_TRACE(environment + options + " " + source);
    const Outcome outcome = compile(source, environment, options);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(count_of(outcome.err, "\n"), 1u) << outcome.err;
    EXPECT_NE(outcome.err.find(said), std::string::npos) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "program"));
  };
  for (const auto& [environment, options] : ways_)
    expect_refused("direct.cu", environment, options, "direct.cu:2: error: cuda_fp4.h is");
  const std::string environment = "CPATH=" + path_;
  expect_refused("direct.cpp", environment, "", "direct.cpp:2: error: cuda_fp4.h is");
  expect_refused("nested.cu", environment, "", "util.h:3: error: cuda_fp4.h is");
  expect_refused("below.cu", environment, "", "below.cu:1: error: thrust/device_vector.h is");
}

// Without a toolkit clang finds no such header.
TEST(Simcc, RefusesAHeaderOfALibraryOfNvidiasInOneLine) {
  const TemporaryFolder folder;
  const auto compile = [&](const std::string& file, const std::string& text) {
    SCOPED_TRACE(text);
    write(folder / file, text);
    return run(SIMCC + " " + (folder / file).string() + " -o " + (folder / "program").string());
  };
  const auto expect_refused = [&](const std::string& file, const std::string& text,
                                  const std::string& said) {
    const Outcome outcome = compile(file, text);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(count_of(outcome.err, "\n"), 1u) << outcome.err;
    EXPECT_NE(outcome.err.find(said), std::string::npos) << outcome.err;
  };
  // No installed toolkit has these headers.
  expect_refused("a.cu", "#include <cstdio>\n#include <thrust/absent.h>\nint main() {}\n",
                 "a.cu:2: error: thrust/absent.h is not among the headers of the simulated GPU, "
                 "which does not have Thrust;");
  expect_refused("b.cpp", "#include <curand_absent.h>\nint main() {}\n",
                 "b.cpp:1: error: curand_absent.h is not among the headers of the simulated GPU, "
                 "which does not have cuRAND;");
  write(folder / "util.h", "#pragma once\n#include <cub/absent.cuh>\n");
  expect_refused("c.cu", "#include \"util.h\"\nint main() {}\n",
                 "util.h:2: error: cub/absent.cuh is");
  expect_refused("host.cu",
                 "#ifndef __CUDA_ARCH__\n#include <cufft_absent.h>\n#endif\nint main() {}\n",
                 "host.cu:2: error: cufft_absent.h is");

  const Outcome own = compile("d.cu", "#include \"my_absent.h\"\nint main() {}\n");
  EXPECT_EQ(own.exit_code, 1);
  EXPECT_NE(own.err.find("fatal error: 'my_absent.h' file not found"), std::string::npos)
      << own.err;
}

// An undeclared name of CUDA's gives up to twenty errors, in words that read like a typing mistake.
TEST(Simcc, RefusesANameThatItDoesNotHaveInOneLine) {
  const TemporaryFolder folder;
  const auto expect_refused = [&](const std::string& text, const std::string& said) {
    SCOPED_TRACE(text);
    write(folder / "a.cu", text);
    const Outcome outcome = run("cd " + folder.path().string() + " && " + SIMCC + " a.cu");
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(outcome.err, "a.cu:2: error: " + said + "; simcc --covered says what it has\n");
  };
  expect_refused("\ntexture<float, 2> image;\nint main() {}\n",
                 "texture: the simulated GPU does not have texture references, which CUDA 12 "
                 "removed; try texture objects: cudaCreateTextureObject");
  expect_refused("\n__global__ void k(cudaSurfaceObject_t s) { surf2Dwrite(1.f, s, 0, 0); }\n",
                 "cudaSurfaceObject_t: the simulated GPU does not have surfaces");
  expect_refused(
      "int main() {\n  cudaIpcMemHandle_t handle;\n  cudaIpcGetMemHandle(&handle, 0);\n}\n",
      "cudaIpcMemHandle_t: the simulated GPU does not have memory that processes share "
      "(IPC)");
}

TEST(Simcc, TakesALibraryOfNvidiasThatIsOnlyNamed) {
  const TemporaryFolder folder;
  write(folder / "k.cu", "int main() {}\n");
  const Outcome outcome =
      run("cd " + folder.path().string() + " && " + SIMCC + " k.cu -lcurand -l cufft -lm -o k");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(
      outcome.err,
      "simcc: note: -lcurand: the simulated GPU does not have cuRAND; a program that calls it "
      "is refused\nsimcc: note: -lcufft: the simulated GPU does not have cuFFT; a program "
      "that calls it is refused\n");
}

// With "./" clang's assembler takes two lines of its own for the same file, and stumbles. nvcc also takes the brackets of a
// launch apart, and a program may ask by the toolkit's include guards whether the runtime's header was read.
TEST(Simcc, CompilesWhatNvccDoes) {
  const TemporaryFolder folder;
  write(folder / "launch.cuh", R"(template <typename T> void launch(T value) {
  show<<< dim3(1), 1>> > (value);
}
)");
  write(folder / "main.cu", R"(#include <cstdio>
template <typename T> __global__ void show(T value) { printf("%d\n", static_cast<int>(value)); }
#include "launch.cuh"
#if defined(__DRIVER_TYPES_H__) && defined(__CUDA_RUNTIME_H__)
static void from_a_helper() { show<int><< <1, 1 >> >(8 >> 1); }
#endif
int main() {
  from_a_helper();
  launch(5.0f);
  return cudaDeviceSynchronize();
}
)");
  const std::string in_folder = "cd " + folder.path().string() + " && ";
  for (const std::string source : {"./main.cu", "././main.cu"}) {
    SCOPED_TRACE(source);
    const Outcome compiled =
        run(in_folder + SIMCC + " " + source + " -Xclang -fno-pch-timestamp -o program");
    ASSERT_EQ(compiled.exit_code, 0) << compiled.err;
    EXPECT_EQ(compiled.err, "");
    EXPECT_EQ(run(in_folder + "./program").out, "4\n5\n");
  }
}

TEST(Simcc, FaultsNameTheLineAndTheFileItIsIn) {
  const TemporaryFolder folder;
  write(folder / "in_header.cuh",
        "#pragma once\n__device__ void put(float* p) {\n  p[1 << 20] = 1;\n}\n");
  write(folder / "other.cuh", "#pragma once\n__device__ void set(float* p) { *p = 2; }\n");
  write(folder / "wrapper.cuh", R"(#pragma once
__device__ void store_wide(float* p) {
  asm volatile("st.global.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(p), "f"(1.0f));
}
)");
  write(folder / "main.cu", R"(#include "in_header.cuh"
#include "other.cuh"
#include "wrapper.cuh"
__global__ void by_header(float* p) {
  set(p);
  put(p);
}
__global__ void by_itself(float* p) {
  set(p);
  p[1 << 20] = 1;
}
__global__ void by_wrapper(float* p) {
  set(p);
  store_wide(p);
}
int main(int count, char**) {
  float* p = nullptr;
  cudaMalloc(&p, 4);
  if (count > 2) by_wrapper<<<1, 1>>>(p);
  else if (count > 1) by_itself<<<1, 1>>>(p);
  else by_header<<<1, 1>>>(p);
  return cudaDeviceSynchronize() != cudaSuccess;
}
)");
  const std::string at = folder.path().string();
  ASSERT_EQ(run(SIMCC + " " + at + "/main.cu -o " + at + "/program").exit_code, 0);
  const Outcome in_header = run(at + "/program");
  EXPECT_EQ(in_header.exit_code, 1);
  EXPECT_NE(in_header.err.find("in_header.cuh:3"), std::string::npos) << in_header.err;
  const Outcome in_main = run(at + "/program by_itself");
  EXPECT_NE(in_main.err.find("main.cu:10"), std::string::npos) << in_main.err;
  // A header's short function with inline assembly is a name for an instruction: its call is what a reader looks for.
  const Outcome in_wrapper = run(at + "/program by wrapper");
  EXPECT_NE(in_wrapper.err.find("main.cu:14"), std::string::npos) << in_wrapper.err;
}

// A kernel that cannot be run leaves the other kernels of its file usable.
TEST(Simcc, AKernelThatCannotBeReadFailsAlone) {
  const TemporaryFolder folder;
  write(folder / "k.cu", R"(#include <cstdio>
__global__ void good(int* p) { p[threadIdx.x] += 1; }
__global__ void bad(int* p) {
  p[0] = 7;
  asm volatile(".imaginary %0;" ::"r"(1));
}
__global__ void unreached(int* p) {
  if (*p > 1000) asm volatile("tcgen05.fence::before_thread_sync;");
  *p += 1;
}
int main() {
  int* p = nullptr;
  cudaMallocManaged(&p, 32 * sizeof(int));
  for (int i = 0; i < 32; ++i) p[i] = i;
  good<<<1, 32>>>(p);
  bad<<<1, 1>>>(p);
  printf("%s ", cudaGetErrorName(cudaGetLastError()));
  good<<<1, 32>>>(p);
  unreached<<<1, 1>>>(p);
  printf("%s ", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("%d %d ", p[0], p[31]);
  p[0] = 2000;
  unreached<<<1, 1>>>(p);
  printf("%s", cudaGetErrorName(cudaDeviceSynchronize()));
}
)");
  const std::string at = folder.path().string();
  ASSERT_EQ(run(SIMCC + " " + at + "/k.cu -o " + at + "/program").exit_code, 0);
  const Outcome ran = run(at + "/program");
  EXPECT_EQ(ran.out, "cudaErrorInvalidPtx cudaSuccess 3 33 cudaErrorIllegalInstruction");
  EXPECT_NE(ran.err.find("this kernel cannot be run here: bad"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("k.cu:5"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find(".imaginary"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("k.cu:8"), std::string::npos) << ran.err;
}

struct WrongUsage {
  const char* name;
  const char* arguments;
  const char* said;
};
class SimccUsage : public ::testing::TestWithParam<WrongUsage> {};

TEST_P(SimccUsage, EndsWithCodeTwoAndSaysWhy) {
  const TemporaryFolder folder;
  write(folder / "k.cu", "__global__ void k() {}\nint main() {}\n");
  const Outcome outcome =
      run("cd " + folder.path().string() + " && " + SIMCC + " " + GetParam().arguments);
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
  EXPECT_NE(outcome.err.find(GetParam().said), std::string::npos) << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(
    Refused, SimccUsage,
    ::testing::Values(WrongUsage{"no_input", "", "no input file"},
                      WrongUsage{"missing_file", "none.cu", "no such file: none.cu"},
                      WrongUsage{"unknown_option", "k.cu --frobnicate",
                                 "unknown option --frobnicate"},
                      WrongUsage{"no_value", "k.cu -o", "-o needs a value"},
                      WrongUsage{"machine_code", "--lto k.cu", "no machine code"},
                      WrongUsage{"no_folder", "k.cu -o no/such/folder/k", "no folder"},
                      WrongUsage{"one_to_ptx_twice", "--ptx k.cu k.cu", "two of the files"},
                      WrongUsage{"two_preprocessed", "-E k.cu k.cu", "one file at a time"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Simcc, ExplainsItself) {
  const Outcome outcome = run(SIMCC + " --help");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.out.find("usage:"), std::string::npos);
}

TEST(Program, IsEndedAfterTheTimeThatTheEnvironmentAllowsALaunch) {
  const TemporaryFolder folder;
  write(folder / "busy.cu", R"(
#include <cstdio>
__global__ void busy(unsigned long long* out) {
  unsigned long long n = 1;
  while (clock64() != 0) ++n;
  *out = n;
}
int main() {
  unsigned long long* out;
  cudaMalloc(&out, 8);
  busy<<<1, 32>>>(out);
  puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
)");
  const std::string program = (folder / "busy").string();
  ASSERT_EQ(run(SIMCC + " " + (folder / "busy.cu").string() + " -w -o " + program).exit_code, 0);
  const Outcome ended = run("SIMULATOR_TIMEOUT=0.2 " + program);
  EXPECT_EQ(ended.out, "cudaErrorLaunchTimeout\n");
  EXPECT_NE(ended.err.find("busy.cu:5"), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("SIMULATOR_TIMEOUT"), std::string::npos) << ended.err;
  const Outcome refused = run("SIMULATOR_TIMEOUT=soon timeout 1 " + program);
  EXPECT_NE(refused.err.find("SIMULATOR_TIMEOUT is 'soon'"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace simulator::test
