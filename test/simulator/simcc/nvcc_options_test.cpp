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
      "$NVCC -Xcompiler -fPIC -c plus_one.c && "
      "$NVCC -shared -Xcompiler -fPIC -DFACTOR=4 twice.cu plus_one.o named_otherwise.cpp -x cu "
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
  EXPECT_NE(said_by("$NVCC --list-gpu-arch").find("compute_90\n"), std::string::npos);
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
        std::pair("--dryrun", "-v shows the commands"), std::pair("-cuda", "no such step"),
        std::pair("--relocatable-link", "no such step"), std::pair("-m 32", "64 bits"),
        std::pair("-x fortran", "cu, c++ and c"), std::pair("-optf nowhere", "no such file"),
        std::pair("--default-stream=mine", "legacy and per-thread"),
        std::pair("-run", "no program"), std::pair("--frobnicate", "unknown option --frobnicate"),
        std::pair("-odir nowhere", "no folder nowhere"), std::pair("-MP", "with -MD, -MMD"),
        std::pair("-o one.o twice.cu", "it would be of each of the 2 files")}) {
    const Outcome outcome = in_folder("$NVCC -c -DFROM_FILE=1 c.c " + std::string(option));
    EXPECT_EQ(outcome.exit_code, 2) << option;
    EXPECT_NE(outcome.err.find(why), std::string::npos) << option << "\n" << outcome.err;
  }
}

// Says what the device sees of the macro VALUE, and the host.
class NvccsOptions : public NvccsPlace {
 protected:
  NvccsOptions() {
    write("value.cu", R"(#include <cstdio>
__global__ void kernel() { printf("%d ", VALUE); }
int main() {
  kernel<<<1, 1>>>();
  cudaDeviceSynchronize();
  printf("%d", VALUE);
}
)");
  }
  // Returns what the program says that is compiled with these options.
  std::string with(const std::string& options) const {
    return said_by("$NVCC -run value.cu -o program " + options);
  }
};

TEST_F(NvccsOptions, InListsAndInQuotes) {
  write("one", "-DOTHER='a b'\n");
  write("two", "-DVALUE=\"2\"");
  EXPECT_EQ(with("-Xcompiler '-O2 -DVALUE=1'"), "1 1");
  EXPECT_EQ(with("-Xcompiler '\"-fPIC\"' -Xcompiler -Wall,-DVALUE=3 -Xlinker '-rpath /tmp'"),
            "3 3");
  EXPECT_EQ(with("-DOTHER,VALUE=4 '-DTWO(a, b)=a' -l m,pthread -L a,b"), "4 4");
  EXPECT_EQ(with("-optf one,two"), "2 2");
  write("a,b.h", "#define VALUE 5\n");
  EXPECT_EQ(with("-include a,b.h"), "5 5");
  EXPECT_NE(in_folder("$NVCC value.cu -Xcompiler \"-DIT='s\"").err.find("a quote does not end"),
            std::string::npos);
  write("three", "-DX=it's");
  EXPECT_EQ(in_folder("$NVCC value.cu -optf three").exit_code, 2);
}

TEST_F(NvccsOptions, InTheEnvironment) {
  EXPECT_EQ(
      said_by(
          "export NVCC_PREPEND_FLAGS='-DVALUE=1 -DOTHER' NVCC_APPEND_FLAGS='-U VALUE -DVALUE=6' && "
          "$NVCC -DOTHER -run value.cu"),
      "6 6");
}

TEST_F(NvccsOptions, OfEveryFileHoweverLateTheyStand) {
  said_by("cp value.cu value.txt");
  EXPECT_EQ(said_by("$NVCC -DVALUE=7 -run value.txt -x cu"), "7 7");
  const std::string said =
      said_by("$NVCC -DVALUE=8 -c value.cu -t0 -Xcudafe --diag_suppress=20 -ftz=true");
  EXPECT_NE(said.find("-t0, -Xcudafe --diag_suppress=20 have no meaning"), std::string::npos)
      << said;
  EXPECT_NE(said.find("-ftz=true: the simulated GPU computes as exactly"), std::string::npos)
      << said;
}

TEST_F(NvccsOptions, RoundTwiceWithoutFusedProducts) {
  write("fused.cu", R"(#include <cstdio>
__global__ void kernel(double a, double b) { printf("%d", a * a - b == 0); }
int main() {
  const double a = 1 + 0x1p-30;
  kernel<<<1, 1>>>(a, a * a);
  cudaDeviceSynchronize();
}
)");
  EXPECT_EQ(said_by("$NVCC -run fused.cu"), "0");
  EXPECT_EQ(said_by("$NVCC -run -fmad=false fused.cu"), "1");
}

TEST_F(NvccsOptions, WriteDependencyFiles) {
  said_by("$NVCC -M -MF rule value.cu && $NVCC -DVALUE=1 -MD value.cu -o program");
  EXPECT_EQ(text_of("rule").find("value.o: value.cu"), 0u);
  EXPECT_EQ(text_of("program.d").find("program: value.cu"), 0u);
}

// What is no regular file stays what it is.
TEST_F(NvccsOptions, NameTheOutput) {
  said_by("mkdir folder && mkfifo pipe && ln -s there link && cp value.cu ./-value.cu");
  EXPECT_NE(in_folder("$NVCC -DVALUE=1 -c value.cu -o folder").err.find("it is a folder"),
            std::string::npos);
  said_by("{ cat pipe > got & } && $NVCC -DVALUE=1 -c value.cu -o pipe && wait");
  EXPECT_EQ(text_of("got").find("\x7f"
                                "ELF"),
            0u);
  EXPECT_NE(said_by("$NVCC -DVALUE=1 --ptx value.cu -o /dev/stdout | cat").find(".entry"),
            std::string::npos);
  said_by("test -p pipe && $NVCC -DVALUE=1 value.cu -o link && test -L link && test -x there");
  said_by("$NVCC -DVALUE=1 -c ./-value.cu && test -f ./-value.o");
  said_by("cp value.cu folder/other.cu && $NVCC -DVALUE=1 --ptx value.cu folder/other.cu");
  EXPECT_TRUE(exists("value.ptx") && exists("other.ptx"));
  EXPECT_NE(in_folder("cp value.cu folder && $NVCC -DVALUE=1 -c value.cu folder/value.cu")
                .err.find("value.o: two of the files"),
            std::string::npos);
  EXPECT_NE(in_folder("$NVCC -DVALUE=1 -c value.cu -o ''").err.find("needs a name"),
            std::string::npos);
}

// What nvcc takes in a source, and clang alone would not.
TEST_F(NvccsPlace, HeadersBesideMacrosOfOneLetter) {
  std::string macros;
  for (char letter = 'A'; letter <= 'Z'; ++letter) {
    if (letter != 'T') macros += std::string(" -D") + letter + "=1";  // NVIDIA's headers have T too
  }
  write("headers.cu", R"(#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <crt/host_defines.h>
#include <cuComplex.h>
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/functional>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cudaTypedefs.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_gl_interop.h>
#include <cuda_pipeline.h>
#include <cuda_profiler_api.h>
#include <mma.h>
#include <nvToolsExt.h>
#include <nvrtc.h>
#include <sm_20_atomic_functions.h>
#include <texture_types.h>
int main() {}
)");
  said_by("$NVCC -DFP16 -DBF16 -DTF32 -DSIZE=1 -DHALF=1 -DINFINITE=1 -c headers.cu" + macros);
}

TEST_F(NvccsPlace, SharedVariablesWhoseConstructorNothingCalls) {
  write("tiles.cu", R"(#include <cstdio>
template <typename T> struct Complex {
  T r, i;
  __host__ __device__ Complex(T real = 0, T imaginary = 0) : r(real), i(imaginary) {}
};
using Number = Complex<float>;
struct Pair { Number first; int second = 1; };
template <typename T, int COUNT> __global__ void reverse(T* x) {
  __shared__ T tile[COUNT][2], other[COUNT]; __shared__ Pair pair;
  __shared__ int plain[COUNT];
  tile[threadIdx.x][1] = x[threadIdx.x];
  other[threadIdx.x] = x[threadIdx.x];
  plain[threadIdx.x] = sizeof tile / sizeof(T);
  if (threadIdx.x == 0) pair.first = Number(100, 0);
  __syncthreads();
  const int from = COUNT - 1 - threadIdx.x;
  x[threadIdx.x] = T(tile[from][1].r + pair.first.r + plain[from], other[threadIdx.x].i);
}
int main() {
  Number* x;
  cudaMallocManaged(&x, 4 * sizeof *x);
  for (int i = 0; i < 4; ++i) x[i] = Number(i, 10 + i);
  reverse<Number, 4><<<1, 4>>>(x);
  cudaDeviceSynchronize();
  for (int i = 0; i < 4; ++i) printf("%g,%g ", x[i].r, x[i].i);
  cudaFree(x);
}
)");
  EXPECT_EQ(said_by("$NVCC -run tiles.cu"), "111,10 110,11 109,12 108,13 ");
}

// Eigen has code for nvcc, and code for clang.
TEST_F(NvccsPlace, EigenInAKernel) {
  write("eigen.cu", R"(#include <Eigen/Dense>
#include <cstdio>
__global__ void kernel(Eigen::Vector3f* v) { v[0] = v[0].cross(v[1]) * v[1].norm(); }
int main() {
  Eigen::Vector3f* v;
  cudaMallocManaged(&v, 2 * sizeof *v);
  v[0] = Eigen::Vector3f(1, 0, 0);
  v[1] = Eigen::Vector3f(0, 3, 4);
  kernel<<<1, 1>>>(v);
  cudaDeviceSynchronize();
  printf("%g %g %g", v[0].x(), v[0].y(), v[0].z());
  cudaFree(v);
}
)");
  EXPECT_EQ(said_by("$NVCC -run -isystem '" EIGEN_FOLDER "' eigen.cu"), "0 -20 15");
}

TEST_F(NvccsPlace, SourcesThatAreFoundThroughLinks) {
  write("launch.cuh", "template <typename K> void launch(K k) { k<< <1, 1>> >(); }\n");
  write("main.cu",
        "#include <headers/again/../launch.cuh>\n__global__ void k() {}\nint main() { launch(k); "
        "}\n");
  said_by(
      "mkdir -p real/again && mv launch.cuh real && ln -s real headers && mkdir sources && mv "
      "main.cu sources && "
      "ln -s sources linked && cd linked && $NVCC -I .. main.cu && cd .. && CPATH=. $NVCC "
      "linked/main.cu && "
      "$NVCC -idirafter $PWD -c sources/main.cu");
}

TEST_F(NvccsPlace, MoreMemoryThanNvccsAssemblerAllowsIsRefused) {
  write("shared.cu",
        R"(__global__ void most(int* x) { __shared__ int a[12288]; a[x[0]] = 1; x[1] = a[x[2]]; }
__global__ void beyond(int* x) {
  __shared__ int a[12289];
  a[x[0]] = 1; x[1] = a[x[2]]; }
int main() {}
)");
  write("constant.cu", R"(__constant__ int a[16384], b = 1;
__global__ void k(int* x) { x[0] = a[x[1]] + b; }
int main() {}
)");
  const Outcome shared = in_folder("$NVCC shared.cu");
  EXPECT_EQ(shared.exit_code, 1);
  EXPECT_NE(shared.err.find(
                "shared.cu:2: error: kernel beyond(int*) has 49156 bytes of static shared memory"),
            std::string::npos)
      << shared.err;
  EXPECT_EQ(shared.err.find("most("), std::string::npos);
  const Outcome constant = in_folder("$NVCC constant.cu");
  EXPECT_EQ(constant.exit_code, 1);
  EXPECT_NE(constant.err.find("constant.cu: error: the file has 65540 bytes of constant memory"),
            std::string::npos)
      << constant.err;
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

TEST_F(SeparateCompilation, FilesOfOneNameInTwoFolders) {
  for (const char* part : {"one", "two"}) {
    const std::string name = part;
    said_by("mkdir " + name);
    write(name + "/part.cu", "#include <cstdio>\nstatic __device__ int count() { return " +
                                 std::to_string(name.size()) + "; }\n__global__ void " + name +
                                 "_kernel() { printf(\"" + name + "%d \", count()); }\nvoid " +
                                 name + "() { " + name +
                                 "_kernel<<<1, 1>>>(); cudaDeviceSynchronize(); }\n");
  }
  write("both.cu", "void one();\nvoid two();\nint main() { one(); two(); }\n");
  said_by(
      "for part in one two; do (cd $part && $NVCC -dc part.cu) || exit 1; done; ar qcs libparts.a "
      "one/part.o two/part.o");
  said_by(
      "$NVCC -dc both.cu && $NVCC both.o one/part.o two/part.o -o program && $NVCC both.o -L. "
      "-lparts ./libparts.a -lparts -o of_library");
  EXPECT_EQ(said_by("./program && ./of_library && $NVCC both.o -L . -l:libparts.a -run"),
            "one3 two3 one3 two3 one3 two3 ");
}

TEST_F(SeparateCompilation, StaticVariablesThatTheHostUsesLater) {
  write("late.cu", R"(#include <cstdio>
static __constant__ int factor[2];
namespace { __device__ int count = 3; }
__global__ void kernel() { printf("%d %d", factor[1] * count, factor[0]); }
int main() {
  const int factors[2] = {5, 7};
  cudaMemcpyToSymbol(factor, factors, sizeof factors);
  const int four = 4;
  cudaMemcpyToSymbol(count, &four, sizeof four);
  kernel<<<1, 1>>>();
  cudaDeviceSynchronize();
}
)");
  EXPECT_EQ(said_by("$NVCC -rdc=true -run late.cu"), "28 5");
}

// CMake links in this order. The library's constructors come after that of the linked device code.
TEST_F(SeparateCompilation, AManagedVariableOfALibrary) {
  write("managed.cu", R"(__managed__ int value = 5;
__device__ int* where = &value;
)");
  write("uses.cu", R"(#include <cstdio>
extern __managed__ int value;
extern __device__ int* where;
__global__ void kernel() { value += *where; }
int main() {
  printf("%d ", value);
  ++value;
  kernel<<<1, 1>>>();
  cudaDeviceSynchronize();
  printf("%d", value);
}
)");
  said_by(
      "$NVCC --toolkit toolkit && $NVCC -dc managed.cu uses.cu && $NVCC -lib managed.o -o "
      "libmanaged.a && "
      "$NVCC -dlink uses.o libmanaged.a -o linked.o && g++ uses.o linked.o libmanaged.a "
      "-Ltoolkit/lib64 -lcudart -o program");
  EXPECT_EQ(said_by("./program"), "5 12");
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
