// simcc in nvcc's place: in a Makefile, with nvcc's options, with sources that nvcc takes.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>

#include "test/support/shell.hpp"

namespace simulator::test {
namespace {

const std::string SIMCC = "'" SIMCC_PROGRAM "'";

// A folder with a program of four files in CUDA, C++ and C.
class NvccsPlace : public ::testing::Test {
 protected:
  NvccsPlace() {
    write("twice.cuh", "#pragma once\nvoid twice(int* x, int n);\n");
    write("twice.cu", R"(#include "twice.cuh"
static __global__ void kernel(int* x, int n) { if (int i = threadIdx.x; i < n) x[i] *= FACTOR; }
void twice(int* x, int n) { kernel<<<1, 32>>>(x, n); cudaDeviceSynchronize(); }
)");
    write("named_otherwise.cpp", R"(#include "twice.cuh"
extern "C" int plus_one(int);
__global__ void set(int* x) { *x = 20; }
int launch(int* x) { set<<<1, 1>>>(x); twice(x, 1); return plus_one(*x); }
)");
    write("plus_one.c", "int plus_one(int new) { return new + 1; }\n");
    write("main.cpp", R"(#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#ifndef __NVCC__
#error nvcc says so of C++ files too
#endif
int launch(int* x);
int main(int count, char** words) {
  int* x;
  cudaMallocManaged(&x, sizeof *x);
  std::printf("%d", launch(x));
  cudaFree(x);
  for (int i = 1; i < count; ++i) std::printf(" %s", words[i]);
}
)");
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  bool exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }
  std::string text_of(const std::string& name) const { return contents(folder_ / name); }
  // Runs a line of shell in the folder, where NVCC is simcc.
  Outcome in_folder(const std::string& line) const {
    return run("cd " + folder_.path().string() + " && NVCC=" + SIMCC + " && " + line);
  }
  // Runs a line that must succeed, and returns what it said on stdout and stderr.
  std::string said_by(const std::string& line) const {
    const Outcome outcome = in_folder(line);
    EXPECT_EQ(outcome.exit_code, 0) << line << "\n" << outcome.err;
    return outcome.out + outcome.err;
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(NvccsPlace, InAMakefile) {
  write("Makefile", R"(objects = main.o twice.o named_otherwise.o plus_one.o
program: $(objects) ; $(NVCC) -o $@ $^
%.o: %.cu ; $(NVCC) -dc -DFACTOR=2 --generate-nonsystem-dependencies-with-compile -MP $< -o $@
named_otherwise.o: named_otherwise.cpp ; $(NVCC) -x cu -c $< -o $@
%.o: %.cpp ; $(NVCC) -std=c++17 -MMD -MF $*.dep -MT 'the target' -c $< -o $@
%.o: %.c ; $(NVCC) -std=c++17 -c $< -o $@
)");
  said_by("make -s NVCC=\"$NVCC\"");
  EXPECT_EQ(said_by("./program"), "41");
  const std::string rule = text_of("twice.d");
  EXPECT_EQ(rule.find("twice.o:"), 0u) << rule;
  EXPECT_NE(rule.find("\ntwice.cuh:\n"), std::string::npos) << rule;
  EXPECT_EQ(rule.find("/usr/include"), std::string::npos) << rule;
  EXPECT_EQ(text_of("main.dep").find("the target: main.cpp"), 0u);
  EXPECT_EQ(text_of("main.dep").find("/usr/include"), std::string::npos);
}

TEST_F(NvccsPlace, SeveralFilesInOneCall) {
  said_by("mkdir objects && $NVCC -c -odir objects -D FACTOR=3 twice.cu main.cpp plus_one.c -MMD");
  EXPECT_TRUE(exists("objects/twice.o") && exists("objects/main.o") &&
              exists("objects/plus_one.o"));
  EXPECT_EQ(text_of("objects/main.d").find("objects/main.o: main.cpp"), 0u);
  said_by("$NVCC -lib objects/twice.o objects/plus_one.o -o libparts.a");
  EXPECT_EQ(said_by("$NVCC -x cu named_otherwise.cpp -x c++ main.cpp libparts.a -o program -run "
                    "-run-args a,b --run-args=c"),
            "61 a b c");
  said_by(
      "$NVCC -dlink objects/twice.o -o linked.o && $NVCC -x=cu named_otherwise.cpp -x=c++ "
      "main.cpp linked.o -L. -lparts -o again");
  EXPECT_EQ(said_by("./again"), "61");
}

TEST_F(NvccsPlace, ASharedLibrary) {
  said_by(
      "$NVCC -shared -Xcompiler -fPIC -DFACTOR=4 twice.cu plus_one.c -x cu named_otherwise.cpp "
      "-o libtwice.so");
  said_by("$NVCC main.cpp -L. -ltwice -Xlinker -rpath,. -o program");
  EXPECT_EQ(said_by("./program"), "81");
}

TEST_F(NvccsPlace, WhatTheHostHalfReads) {
  EXPECT_NE(said_by("$NVCC -E -DFACTOR=7 twice.cu").find("x[i] *= 7"), std::string::npos);
  EXPECT_EQ(said_by("$NVCC -MM plus_one.c"), "plus_one.o: plus_one.c\n");
  EXPECT_NE(said_by("$NVCC -MM -DFACTOR=7 -MT it twice.cu").find("twice.cuh\n"), std::string::npos);
  said_by("$NVCC --preprocess -x c plus_one.c -o plus_one.i");
  EXPECT_NE(text_of("plus_one.i").find("int new"), std::string::npos);
  EXPECT_NE(said_by("$NVCC --version").find("release 12.3, V12.3.0"), std::string::npos);
}

// Every option that `nvcc --help` of CUDA 13 lists, with the values of its text.
TEST_F(NvccsPlace, EachOptionIsTakenOrRefusedForAReason) {
  write("options", "-DFROM_FILE=1\n-I 'a folder'\n");
  write("c.c", "int c = FROM_FILE;\n");
  for (const std::string option : {"--compile",
                                   "--std c++17",
                                   "-std=c++14",
                                   "--pre-include twice.cuh",
                                   "--define-macro A=1",
                                   "--define-macro=A",
                                   "--undefine-macro A",
                                   "--include-path=.",
                                   "--include-path .",
                                   "--system-include .",
                                   "--library m",
                                   "-l m",
                                   "--library-path .",
                                   "--library-path=.",
                                   "--output-directory .",
                                   "--compiler-bindir g++",
                                   "-ccbin=g++",
                                   "--allow-unsupported-compiler",
                                   "--archiver-binary ar",
                                   "--cudart static",
                                   "-cudart=none",
                                   "--cudadevrt none",
                                   "--libdevice-directory .",
                                   "--target-directory x",
                                   "--use-local-env",
                                   "--profile",
                                   "--debug",
                                   "-g",
                                   "--device-debug",
                                   "--generate-line-info",
                                   "--optimization-info inline",
                                   "--optimize 3",
                                   "--optimize=2",
                                   "-O 1",
                                   "-O3",
                                   "-Ofc 1",
                                   "--Ofast-compile=mid",
                                   "-dopt on",
                                   "--dlink-time-opt",
                                   "--gen-opt-lto",
                                   "--ftemplate-backtrace-limit 3",
                                   "--ftemplate-depth=100",
                                   "--no-exceptions",
                                   "--no-host-device-initializer-list",
                                   "--expt-relaxed-constexpr",
                                   "--extended-lambda",
                                   "--expt-extended-lambda",
                                   "--machine 64",
                                   "-m=64",
                                   "--m64",
                                   "--compiler-options -fno-strict-aliasing,-Wall",
                                   "--compiler-options=-Wall",
                                   "--linker-options --as-needed",
                                   "--archive-options x",
                                   "--ptxas-options=-v",
                                   "--nvlink-options x",
                                   "--static-global-template-stub true",
                                   "-device-entity-has-hidden-visibility=false",
                                   "--forward-unknown-to-host-compiler",
                                   "-forward-unknown-opts --param=ssp-buffer-size=4",
                                   "--dont-use-profile",
                                   "--verbose",
                                   "--threads 2",
                                   "--split-compile=0",
                                   "--split-compile-extended 2",
                                   "-fdevice-time-trace x",
                                   "--keep",
                                   "-save-temps",
                                   "--keep-dir .",
                                   "--objdir-as-tempdir",
                                   "--time x",
                                   "--no-align-double",
                                   "--no-device-link",
                                   "--gpu-architecture sm_90",
                                   "--gpu-architecture=sm_80",
                                   "--gpu-code sm_90",
                                   "--generate-code arch=compute_90,code=sm_90",
                                   "--relocatable-device-code true",
                                   "-rdc=true",
                                   "-rdc false",
                                   "--entries k",
                                   "--maxrregcount 32",
                                   "-maxrregcount=32",
                                   "--use_fast_math",
                                   "--ftz true",
                                   "-prec-div=false",
                                   "--prec-sqrt=true",
                                   "--fmad false",
                                   "--extra-device-vectorization",
                                   "--default-stream legacy",
                                   "-default-stream=per-thread",
                                   "--disable-warnings",
                                   "--keep-device-functions",
                                   "--source-in-ptx",
                                   "--restrict",
                                   "--Wreorder",
                                   "--Wdefault-stream-launch",
                                   "--Wmissing-launch-bounds",
                                   "--Wext-lambda-captures-this",
                                   "--Wno-deprecated-declarations",
                                   "--Wno-deprecated-gpu-targets",
                                   "--Werror all-warnings",
                                   "-Werror=cross-execution-space-call",
                                   "-Werror",
                                   "--resource-usage",
                                   "--extensible-whole-program",
                                   "--no-compress",
                                   "--compile-as-tools-patch",
                                   "--display-error-number",
                                   "--no-display-error-number",
                                   "--diag-error 20",
                                   "--diag-suppress=20,21",
                                   "--diag-warn 20",
                                   "--brief-diagnostics true",
                                   "--jump-table-density 3",
                                   "-device-stack-protector=true",
                                   "--compress-mode=size",
                                   "--frandom-seed 1",
                                   "-frandom-seed=1",
                                   "--jobserver",
                                   "--clean-targets",
                                   "-dp x",
                                   "--input-drive-prefix=x",
                                   "-ddp x",
                                   "--host-linker-script use-lcs",
                                   "-aug-hls",
                                   "--sanitize memcheck",
                                   "-reloc-ptx",
                                   "--qpp-config",
                                   "-fdevice-syntax-only",
                                   "--options-file options",
                                   "-optf=options"}) {
    const Outcome outcome = in_folder("$NVCC -c -DFROM_FILE=1 c.c " + option);
    EXPECT_EQ(outcome.exit_code, 0) << option << "\n" << outcome.err;
  }
  for (const auto& [option, why] :
       {std::pair("--optix-ir", "no machine code"), std::pair("-ltoir", "no machine code"),
        std::pair("--dryrun", "-v shows the commands"), std::pair("--list-gpu-arch", "sm_90a"),
        std::pair("-cuda", "no such step"), std::pair("--relocatable-link", "no such step"),
        std::pair("-m 32", "64 bits"), std::pair("-x fortran", "cu, c++ and c"),
        std::pair("-optf nowhere", "no such file"),
        std::pair("--default-stream=mine", "legacy and per-thread"),
        std::pair("-run", "no program"), std::pair("--frobnicate", "unknown option --frobnicate"),
        std::pair("-odir nowhere", "no folder nowhere"), std::pair("-MP", "-MD or -MMD"),
        std::pair("-o one.o twice.cu", "an object of each of the 2 files")}) {
    const Outcome outcome = in_folder("$NVCC -c -DFROM_FILE=1 c.c " + std::string(option));
    EXPECT_EQ(outcome.exit_code, 2) << option;
    EXPECT_NE(outcome.err.find(why), std::string::npos) << option << "\n" << outcome.err;
  }
}

// Two files whose device code needs each other's. Both have a kernel `show` and a variable `mine` of their own.
class SeparateCompilation : public NvccsPlace {
 protected:
  SeparateCompilation() {
    write("parts.cuh", R"(#pragma once
#include <cstdio>
struct Shape { __device__ virtual float area() const = 0; };
struct Square : Shape { float side; __device__ Square(float s); __device__ float area() const override; };
extern __device__ int shared_count;
extern __managed__ int seen;
extern __constant__ float factor[2];
__device__ float scaled(const Shape& shape);
void run_other();
)");
    write("a.cu", R"(#include "parts.cuh"
__constant__ float factor[2] = {10, 100};
static __device__ int mine = 1;
static __global__ void show() {
  printf("a%d %g\n", mine, scaled(Square(3)));
  ++shared_count;
  seen = shared_count;
}
int main() {
  show<<<1, 1>>>();
  cudaDeviceSynchronize();
  run_other();
  const int count = 20;
  cudaMemcpyToSymbol(shared_count, &count, sizeof count);
  show<<<1, 1>>>();
  cudaDeviceSynchronize();
  printf("%d %s\n", seen, cudaGetErrorName(cudaGetLastError()));
}
)");
    write("b.cu", R"(#include "parts.cuh"
__device__ int shared_count = 6;
__managed__ int seen = 5;
static __device__ int mine = 2;
__device__ Square::Square(float s) : side(s) {}
__device__ float Square::area() const { return side * side; }
__device__ float scaled(const Shape& shape) { return shape.area() * factor[1]; }
static __global__ void show() { printf("b%d %d\n", mine, ++shared_count); }
void run_other() {
  show<<<1, 1>>>();
  cudaDeviceSynchronize();
}
)");
  }
  static constexpr const char* OUTPUT = "a1 900\nb2 8\na1 900\n21 cudaSuccess\n";
};

TEST_F(SeparateCompilation, LinksDeviceCode) {
  said_by("$NVCC -dc a.cu b.cu && $NVCC a.o b.o -o program");
  EXPECT_EQ(said_by("./program"), OUTPUT);
  said_by("$NVCC -rdc=true a.cu b.cu -o at_once");
  EXPECT_EQ(said_by("./at_once"), OUTPUT);
  said_by(
      "$NVCC -lib a.o b.o -o libparts.a && echo '' > empty.cpp && "
      "$NVCC -c empty.cpp && $NVCC empty.o -L. -lparts -Xlinker -u,main -o of_library");
  EXPECT_EQ(said_by("./of_library"), OUTPUT);
  said_by("$NVCC -dlink a.o b.o -o linked.o && $NVCC a.o b.o linked.o -o linked_before");
  EXPECT_EQ(said_by("./linked_before"), OUTPUT);
  const std::string report = said_by("SIMULATOR_REPORT=1 ./program");
  EXPECT_NE(report.find("\nshow, launch 1 (x 2)\n"), std::string::npos) << report;
  EXPECT_NE(report.find("in a.cu\n"), std::string::npos) << report;
  EXPECT_NE(report.find("\nshow in b.cu, launch 2\n"), std::string::npos) << report;
}

TEST_F(SeparateCompilation, WhatNoFileDefinesIsRefusedByItsName) {
  const Outcome alone = in_folder("$NVCC -c a.cu");
  EXPECT_EQ(alone.exit_code, 1);
  for (const char* said :
       {"a.cu:5: error: device code calls Square::Square(float), which this file does not define; "
        "-rdc=true links the device code of several files\n",
        "a.cu:6: error: device code uses shared_count, which this file does not define"}) {
    EXPECT_NE(alone.err.find(said), std::string::npos) << said << alone.err;
  }
  EXPECT_FALSE(exists("a.o"));
  const Outcome half = in_folder("$NVCC -dc a.cu && $NVCC a.o -o program");
  EXPECT_EQ(half.exit_code, 1);
  EXPECT_NE(half.err.find(
                "a.cu:5: error: device code calls Square::Square(float), which no file defines\n"),
            std::string::npos)
      << half.err;
  write("twice.cu", "#include \"parts.cuh\"\n__device__ int shared_count = 7;\n");
  const Outcome twice = in_folder("$NVCC -rdc=true a.cu b.cu twice.cu -o program");
  EXPECT_NE(twice.exit_code, 0);
  EXPECT_NE(twice.err.find("shared_count"), std::string::npos) << twice.err;
  EXPECT_FALSE(exists("program"));
}

// Builds that look for a toolkit find one: a Makefile that links with g++, and CMake's language CUDA.
TEST_F(NvccsPlace, AFolderLikeNvidiasToolkit) {
  EXPECT_NE(said_by("$NVCC --toolkit toolkit").find("/toolkit\n"), std::string::npos);
  said_by("$NVCC --toolkit toolkit");  // once more
  said_by("mkdir taken");
  EXPECT_NE(in_folder("$NVCC --toolkit taken").err.find("it is there already"), std::string::npos);
  write("Makefile", R"(NVCC = $(CUDA_PATH)/bin/nvcc -ccbin g++ -m64
program: main.o twice.o launch.o plus_one.o ; g++ -o $@ $^ -L$(CUDA_PATH)/lib64 -lcublas -lcudart
main.o: main.cpp ; g++ -D__NVCC__ -I$(CUDA_PATH)/include -c $< -o $@
plus_one.o: plus_one.c ; gcc -c $< -o $@
launch.o: named_otherwise.cpp ; $(NVCC) -x cu -c $< -o $@
twice.o: twice.cu ; $(NVCC) -DFACTOR=5 -c $< -o $@
)");
  said_by("make -s CUDA_PATH=$PWD/toolkit");
  EXPECT_EQ(said_by("./program"), "101");
}

TEST_F(SeparateCompilation, InAProjectOfCMakes) {
  write("c.cpp", R"(#include <cublas_v2.h>
#include <cstdio>
int main() {
  cublasHandle_t handle;
  std::printf("%d\n", cublasCreate(&handle));
  cublasDestroy(handle);
}
)");
  write("CMakeLists.txt", R"(cmake_minimum_required(VERSION 3.22)
project(a_program LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)
add_library(parts STATIC b.cu)
add_executable(program a.cu)
target_link_libraries(program PRIVATE parts)
set_target_properties(parts program PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
target_compile_features(program PRIVATE cuda_std_17)
add_executable(of_cpp c.cpp)
target_link_libraries(of_cpp PRIVATE CUDA::cudart CUDA::cublas)
)");
  said_by("$NVCC --toolkit toolkit");
  const std::string configured = said_by(
      "cmake -S . -B build -DCMAKE_CUDA_COMPILER=$PWD/toolkit/bin/nvcc "
      "-DCUDAToolkit_ROOT=$PWD/toolkit");
  EXPECT_NE(configured.find("The CUDA compiler identification is NVIDIA 12.3.0"), std::string::npos)
      << configured;
  said_by("cmake --build build");
  EXPECT_EQ(said_by("build/program"), OUTPUT);
  EXPECT_EQ(said_by("build/of_cpp"), "0\n");
}

// nvcc's host compiler takes `register`, and unknown pragmas without a word. nvcc reads limits.h before the first line.
TEST_F(NvccsPlace, SourcesThatRelyOnNvcc) {
  write("k.cu", R"(
#ifndef __NVCC__
#error
#endif
#pragma nv_diag_suppress 177
#include <cudaTypedefs.h>
struct Tile { alignas(128) int a[32]; int b; };
template <typename T> __global__ void k(int* p) {
  register int x = INT_MAX;
  extern __shared__ T tile;
  tile.a[threadIdx.x] = x;
  tile.b = tile.a[threadIdx.x] - 1;
  *p = tile.b;
}
int main() {
  int* p;
  cudaMallocManaged(&p, sizeof *p);
  k<Tile><<<1, 1, sizeof(Tile)>>>(p);
  cudaDeviceSynchronize();
  if (*p != INT_MAX - 1) return 1;
  cudaFree(p);
  void* found = nullptr;
  cudaGetDriverEntryPoint("cuDeviceGetCount", &found, cudaEnableDefault);
  int count = 0;
  PFN_cuTensorMapEncodeTiled_v12000 encode = cuTensorMapEncodeTiled;
  PFN_cuCtxCreate_v12050 create = &cuCtxCreate_v4;
  return reinterpret_cast<PFN_cuDeviceGetCount_v2000>(found)(&count) != CUDA_SUCCESS || count != 1 || encode == nullptr || create == nullptr;
}
)");
  const Outcome outcome = in_folder("$NVCC k.cu -o k -lcuda && ./k");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err.find("error"), std::string::npos) << outcome.err;
}

// Stream 0 of the program is a stream of the thread. Copies that wait still come after its kernels.
TEST_F(NvccsPlace, ADefaultStreamOfEachThread) {
  const std::string line = "$NVCC " TEST_DATA "/idioms/default_stream_of_threads.cu -o k ";
  for (const char* option : {"", "--default-stream legacy"}) {
    EXPECT_EQ(said_by(line + option + " && ./k"),
              "stream 0 is of the thread: 0\n42 42\none stream\ncudaSuccess\n2 cudaSuccess\n")
        << option;
  }
  for (const char* option :
       {"--default-stream per-thread", "-DCUDA_API_PER_THREAD_DEFAULT_STREAM"}) {
    EXPECT_EQ(said_by(line + option + " && ./k"),
              "stream 0 is of the thread: 1\n42 42\ntwo streams\ncudaSuccess\n2 cudaSuccess\n")
        << option;
  }
}

}  // namespace
}  // namespace simulator::test
