// simcc on programs as learners bring them, and on command lines that are wrong.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "process.hpp"

namespace simulator::test {
namespace {

const std::string simcc = "'" SIMCC_PROGRAM "'";
const std::string strangers = TEST_DATA "/strangers";

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
  const Outcome compiled = run(simcc + " " + strangers + "/" + GetParam() + ".cu -o " + program);
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
                                           "cooperative_sum"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Simcc, AcceptsNvccsOptionsForARealGpuWithANote) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run(simcc + " -arch=sm_80 -gencode arch=compute_80,code=sm_80 -lineinfo " +
          "--use_fast_math -Xptxas -v -lcudart -O3 " + strangers + "/vector_add.cu -o " +
          (folder / "program").string());
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(count_of(outcome.err, "note: "), 5u) << outcome.err;
}

TEST(Simcc, CopiesOfVectorTypesStaySixteenBytesWide) {
  const TemporaryFolder folder;
  write(folder / "copies.cu", R"(
template <typename T> __device__ void copy_one(const T* from, T* to) { to[threadIdx.x] = from[threadIdx.x]; }
__global__ void float4_copy(const float4* a, float4* b) { copy_one(a, b); }
__global__ void int4_copy(const int4* a, int4* b) { copy_one(a, b); }
__global__ void uint4_copy(const uint4* a, uint4* b) { copy_one(a, b); }
__global__ void double2_copy(const double2* a, double2* b) { copy_one(a, b); }
__global__ void longlong2_copy(const longlong2* a, longlong2* b) { copy_one(a, b); }
__global__ void float2_copy(const float2* a, float2* b) { copy_one(a, b); }
__global__ void cast_copy(const float* a, float* b) {
  *reinterpret_cast<float4*>(b) = *reinterpret_cast<const float4*>(a);
}
struct Pair { float4 low, high; };
__global__ void struct_copy(const Pair* a, Pair* b) { copy_one(a, b); }
)");
  const Outcome outcome = run(simcc + " --ptx " + (folder / "copies.cu").string() + " -o " +
                              (folder / "copies.ptx").string());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string ptx = contents(folder / "copies.ptx");
  EXPECT_EQ(count_of(ptx, "ld.global.v4.f32"), 4u)
      << "float4, the cast, and the struct's two halves";
  EXPECT_EQ(count_of(ptx, "st.global.v4.f32"), 4u);
  EXPECT_EQ(count_of(ptx, "ld.global.v4.u32"), 2u) << "int4, uint4";
  EXPECT_EQ(count_of(ptx, "ld.global.v2.f64"), 1u);
  EXPECT_EQ(count_of(ptx, "ld.global.v2.u64"), 1u);
  EXPECT_EQ(count_of(ptx, "ld.global.v2.f32") + count_of(ptx, "ld.global.u64"), 1u)
      << "float2: 8 bytes";
}

TEST(Simcc, WritesADependencyFileForMake) {
  const TemporaryFolder folder;
  write(folder / "a.cuh", "__device__ inline int one() { return 1; }\n");
  write(folder / "a.cu", "#include \"a.cuh\"\n__global__ void k(int* p) { *p = one(); }\n");
  const std::string object = (folder / "a.o").string();
  const Outcome outcome = run(simcc + " -c " + (folder / "a.cu").string() + " -o " + object +
                              " -MD -MF " + (folder / "a.d").string());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string rule = contents(folder / "a.d");
  EXPECT_EQ(rule.find(object + ":"), 0u) << rule;
  EXPECT_NE(rule.find("a.cuh"), std::string::npos) << rule;
  EXPECT_NE(rule.find("cuda_runtime.h"), std::string::npos) << rule;
}

TEST(Simcc, EmbedsThePtxAndEndsItWithAZeroByte) {
  const TemporaryFolder folder;
  write(folder / "k.cu", "__global__ void k(int* p) { *p = 1; }\n");
  const Outcome outcome =
      run("cd " + folder.path().string() + " && " + simcc + " --ptx k.cu && " + simcc +
          " -c k.cu && objcopy -O binary --only-section=.nv_fatbin k.o embedded");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string expected = contents(folder / "k.ptx") + '\0';
  // The address sanitizer lays a red zone behind it.
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
      run(simcc + " " + at + "/a.cu " + at + "/b.cu " + at + "/main.cpp -o " + at + "/p");
  ASSERT_EQ(compiled.exit_code, 0) << compiled.err;
  EXPECT_EQ(run(at + "/p").exit_code, 12);
}

TEST(Simcc, LeavesNothingBehindWhenTheProgramIsWrong) {
  const TemporaryFolder folder;
  write(folder / "wrong.cu", "__global__ void k() { no_such_function(); }\n");
  const Outcome outcome =
      run("cd " + folder.path().string() + " && " + simcc + " wrong.cu -o program");
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_NE(outcome.err.find("wrong.cu:1"), std::string::npos) << outcome.err;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    files += entry.path().filename() != "wrong.cu";
  }
  EXPECT_EQ(files, 0);
}

// The optimiser takes infinite recursion for impossible, and would leave the kernel that comes to it empty.
TEST(Simcc, RefusesInfiniteRecursionOnTheDevice) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "system");
  const std::string compile =
      "cd " + folder.path().string() + " && " + simcc + " -isystem system -c k.cu";
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
      run("cd " + folder.path().string() + " && " + simcc + " --ptx k.cu -o k.ptx");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string ptx = contents(folder / "k.ptx");
  EXPECT_EQ(count_of(ptx, "__simulator_math_exp_f32, "), 1u) << ptx;
  EXPECT_EQ(count_of(ptx, "ex2.approx"), 1u) << ptx;
}

TEST(Simcc, KeepsAnOlderProgramWhenTheNewOneIsWrong) {
  const TemporaryFolder folder;
  write(folder / "wrong.cu", "nonsense\n");
  write(folder / "program", "old");
  EXPECT_NE(run("cd " + folder.path().string() + " && " + simcc + " wrong.cu -o program").exit_code,
            0);
  EXPECT_EQ(contents(folder / "program"), "old");
}

// The kernel's own file is one of several: each fault names the file that its line is in.
TEST(Simcc, FaultsNameTheLineAndTheFileItIsIn) {
  const TemporaryFolder folder;
  write(folder / "in_header.cuh",
        "#pragma once\n__device__ void put(float* p) {\n  p[1 << 20] = 1;\n}\n");
  write(folder / "other.cuh", "#pragma once\n__device__ void set(float* p) { *p = 2; }\n");
  write(folder / "main.cu", R"(#include "in_header.cuh"
#include "other.cuh"
__global__ void by_header(float* p) {
  set(p);
  put(p);
}
__global__ void by_itself(float* p) {
  set(p);
  p[1 << 20] = 1;
}
int main(int count, char**) {
  float* p = nullptr;
  cudaMalloc(&p, 4);
  if (count > 1) by_itself<<<1, 1>>>(p);
  else by_header<<<1, 1>>>(p);
  return cudaDeviceSynchronize() != cudaSuccess;
}
)");
  const std::string at = folder.path().string();
  ASSERT_EQ(run(simcc + " " + at + "/main.cu -o " + at + "/program").exit_code, 0);
  const Outcome in_header = run(at + "/program");
  EXPECT_EQ(in_header.exit_code, 1);
  EXPECT_NE(in_header.err.find("in_header.cuh:3"), std::string::npos) << in_header.err;
  const Outcome in_main = run(at + "/program by_itself");
  EXPECT_NE(in_main.err.find("main.cu:9"), std::string::npos) << in_main.err;
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
      run("cd " + folder.path().string() + " && " + simcc + " " + GetParam().arguments);
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
                      WrongUsage{"cublas", "k.cu -lcublas", "NVIDIA"},
                      WrongUsage{"separate_compilation", "k.cu -rdc=true", "a file at a time"},
                      WrongUsage{"machine_code", "--cubin k.cu", "no machine code"},
                      WrongUsage{"no_folder", "k.cu -o no/such/folder/k", "no folder"},
                      WrongUsage{"two_to_compile", "-c k.cu k.cu", "one .cu file at a time"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Simcc, ExplainsItself) {
  const Outcome outcome = run(simcc + " --help");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.out.find("usage:"), std::string::npos);
}

}  // namespace
}  // namespace simulator::test
