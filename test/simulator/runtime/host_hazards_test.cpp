// The hazards in host code of a program that simcc compiled: refused calls, memory that it touches while a kernel may
// still use it, memory that it never frees, errors that it never asks for. No report changes the program's results.
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "test/support/shell.hpp"

namespace simulator::test {
namespace {

const std::string SIMCC = "'" SIMCC_PROGRAM "'";

// A program from its source, and runs of it.
class Program {
 public:
  explicit Program(const std::string& source, const std::string& flags = "") : source_(source) {
    std::ofstream(folder_ / "program.cu") << source;
    const Outcome compiled = run(SIMCC + " " + (folder_ / "program.cu").string() + " " + flags +
                                 " -o " + (folder_ / "program").string());
    EXPECT_EQ(compiled.exit_code, 0) << compiled.err;
    EXPECT_EQ(compiled.err, "");
  }

  Outcome with(const std::string& environment, const std::string& arguments = "") const {
    return run(environment + " timeout 60 " + (folder_ / "program").string() + " " + arguments);
  }
  Outcome operator()(const std::string& arguments = "") const { return with("", arguments); }

  std::string folder() const { return folder_.path().string(); }

  // Returns "  at FOLDER/program.cu:7 in main": the line that ends in "// mark: NAME".
  std::string place_of(const std::string& name, const std::string& function = "main") const {
    return (folder_ / "program.cu").string() + ":" + std::to_string(line_of(name)) + " in " +
           function;
  }
  int line_of(const std::string& name) const {
    std::istringstream lines(source_);
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
      if (line.ends_with("// mark: " + name)) return number;
    }
    ADD_FAILURE() << "no line is marked " << name;
    return 0;
  }

 private:
  const std::string source_;
  const TemporaryFolder folder_;
};

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Runs the case that the first argument names, and prints the result of its call.
const char* const REFUSED = R"(
#include <cstdio>
#include <cstring>
__global__ void scale(float* x) { x[threadIdx.x] *= 2; }
__global__ void __launch_bounds__(128) bounded(float* x) { x[threadIdx.x] = 1; }
__global__ void dynamic(float* x) { extern __shared__ float s[]; s[threadIdx.x] = x[threadIdx.x]; }
__device__ float variable[16];
__constant__ float constants[16];
float no_variable[16];
static void* null = nullptr;
int main(int, char** words) {
  const auto is = [&](const char* name) { return std::strcmp(words[1], name) == 0; };
  float host[64] = {};
  float *x, *pinned;
  cudaMalloc(&x, 64);
  cudaMallocHost(&pinned, 64);
  cudaError_t e = cudaSuccess;
  if (is("twice")) {
    float* y;
    cudaMalloc(&y, 32);
    cudaFree(y);
    e = cudaFree(y);  // mark: twice
  }
  if (is("host_free")) e = cudaFree(host);  // mark: host_free
  if (is("pinned_free")) e = cudaFree(pinned);  // mark: pinned_free
  if (is("device_free")) e = cudaFreeHost(x);  // mark: device_free
  if (is("moved_free")) e = cudaFree(x + 1);  // mark: moved_free
  if (is("elements")) e = cudaMemcpy(x, host, 256, cudaMemcpyHostToDevice);  // mark: elements
  if (is("too_many")) e = cudaMemcpy(host, x + 4, 50, cudaMemcpyDeviceToHost);  // mark: too_many
  if (is("direction")) e = cudaMemcpy(host, x, 64, cudaMemcpyHostToDevice);  // mark: direction
  if (is("other_direction")) e = cudaMemcpy(x, host, 64, cudaMemcpyDeviceToHost);  // mark: other_direction
  if (is("no_device")) e = cudaMemcpy(host, host + 32, 64, cudaMemcpyHostToDevice);  // mark: no_device
  if (is("null")) e = cudaMemcpy(null, host, 64, cudaMemcpyHostToDevice);  // mark: null
  if (is("host_set")) e = cudaMemset(host, 0, 64);  // mark: host_set
  if (is("null_set")) e = cudaMemset(null, 0, 64);  // mark: null_set
  if (is("constant")) e = cudaMemcpy(constants, host, 64, cudaMemcpyHostToDevice);  // mark: constant
  if (is("of_variable")) e = cudaMemcpy(host, variable + 2, 8, cudaMemcpyDeviceToHost);  // mark: of_variable
  if (is("set_variable")) e = cudaMemset(&variable, 0, 64);  // mark: set_variable
  if (is("symbol")) e = cudaMemcpyToSymbol(no_variable, host, 64);  // mark: symbol
  if (is("large_symbol")) e = cudaMemcpyToSymbol(variable, host, 68);  // mark: large_symbol
  if (is("threads")) scale<<<1, dim3(64, 32)>>>(x);  // mark: threads
  if (is("no_blocks")) scale<<<0, 32>>>(x);  // mark: no_blocks
  if (is("many_blocks")) scale<<<dim3(1, 70000), 32>>>(x);  // mark: many_blocks
  if (is("no_threads")) scale<<<1, 0>>>(x);  // mark: no_threads
  if (is("deep_block")) scale<<<1, dim3(1, 1, 65)>>>(x);  // mark: deep_block
  if (is("shared")) dynamic<<<1, 32, 60000>>>(x);  // mark: shared
  if (is("bounds")) bounded<<<1, 256>>>(x);  // mark: bounds
  if (is("stream")) e = cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(77));  // mark: stream
  const cudaError_t last = cudaGetLastError();
  cudaFree(x);
  cudaFreeHost(pinned);
  std::printf("%s, then %s\n", cudaGetErrorName(e), cudaGetErrorName(last));
}
)";

struct RefusedCall {
  const char* name;
  const char* error;
  const char* what;    // a part of the message
  const char* advice;  // a part of the advice
};

TEST(RefusedCalls, SayWhyInThreeLinesAndAnswerAsBefore) {
  const Program program(REFUSED);
  const char* const CONFIGURATION = "cudaErrorInvalidConfiguration";
  const char* const VALUE = "cudaErrorInvalidValue";
  const RefusedCall calls[] = {
      {"twice", VALUE, "cudaFree was given memory that was freed before: the start of buffer 3 (32",
       "cudaFree once for each cudaMalloc"},
      {"host_free", VALUE, "cudaFree was given a pointer that cudaMalloc did not give: no device",
       "free() or delete"},
      {"pinned_free", VALUE, "cudaFree was given memory of cudaMallocHost", "cudaFreeHost for"},
      {"device_free", VALUE, "cudaFreeHost was given memory of cudaMalloc", "cudaFree for"},
      {"moved_free", VALUE, "4 bytes into buffer 1 (64 bytes", "the very pointer"},
      {"elements", VALUE, "asked for 256 bytes, but its destination, buffer 1, has 64 bytes",
       "cudaMalloc takes bytes, not elements: n * sizeof(float)?"},
      {"too_many", VALUE,
       "asked for 50 bytes, but its source, buffer 1, has 48 bytes of 64 from there on",
       "sizes are in bytes"},
      {"direction", VALUE, "says cudaMemcpyHostToDevice, but its destination is host memory",
       "cudaMemcpyDeviceToHost, or the first two arguments"},
      {"other_direction", VALUE, "says cudaMemcpyDeviceToHost, but its destination is the device's",
       "cudaMemcpyHostToDevice, or the first two arguments"},
      {"no_device", VALUE, "no side of it is memory of the device", "memory from cudaMalloc"},
      {"null", VALUE, "cudaMemcpy was given as its destination a null pointer",
       "pass a pointer from cudaMalloc"},
      {"host_set", VALUE, "cudaMemset was given as its destination a pointer to host memory",
       "device memory"},
      {"null_set", VALUE, "cudaMemset was given as its destination a null pointer", "cudaMalloc"},
      {"constant", VALUE, "was given as its destination constants, a variable of the device",
       "cudaMemcpyToSymbol(constants, from, bytes)"},
      {"of_variable", VALUE, "was given as its source variable, a variable of the device",
       "cudaMemcpyFromSymbol(to, variable, bytes)"},
      {"set_variable", VALUE, "cudaMemset was given as its destination variable, a variable",
       "try: cudaGetSymbolAddress(&pointer, variable)"},
      {"symbol", "cudaErrorInvalidSymbol", "no __device__ or __constant__ variable",
       "the variable itself"},
      {"large_symbol", VALUE, "68 bytes from byte 0 on of a variable of 64 bytes", "in bytes"},
      {"threads", CONFIGURATION,
       "scale has 2048 threads in a block, (64, 32, 1); 1024 are the most", "at most 32 x 32"},
      {"no_blocks", CONFIGURATION, "scale has a grid of (0, 1, 1) blocks", "where n is 0"},
      {"many_blocks", CONFIGURATION, "scale has a grid of (1, 70000, 1) blocks", "in x"},
      {"no_threads", CONFIGURATION, "scale has a block of (0, 1, 1) threads", "threads 0?"},
      {"deep_block", CONFIGURATION, "scale has a block of (1, 1, 65) threads", "in x"},
      {"shared", VALUE, "dynamic asks for 60000 bytes of dynamic shared memory; it may have 49152",
       "cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000)"},
      {"bounds", VALUE, "bounded has 256 threads in a block; its __launch_bounds__ allow 128",
       "__launch_bounds__(256)"},
      {"stream", "cudaErrorInvalidResourceHandle",
       "cudaStreamSynchronize was given a handle that is no stream", "cudaStreamCreate"},
  };
  for (const RefusedCall& call : calls) {
    const Outcome told = program(call.name);
    EXPECT_EQ(told.exit_code, 0) << call.name;
    std::istringstream lines(told.err);
    std::string what, where, advice, rest;
    std::getline(lines, what);
    std::getline(lines, where);
    std::getline(lines, advice);
    EXPECT_TRUE(what.starts_with("simulated GPU: ")) << told.err;
    EXPECT_NE(what.find(call.what), std::string::npos) << call.name << "\n" << told.err;
    EXPECT_EQ(where, "  at " + program.place_of(call.name));
    EXPECT_TRUE(advice.starts_with("  try: ")) << told.err;
    EXPECT_NE(advice.find(call.advice), std::string::npos) << call.name << "\n" << told.err;
    EXPECT_FALSE(std::getline(lines, rest)) << told.err;
    EXPECT_LE(what.size(), 180u) << what;

    EXPECT_NE(told.out.find(call.error), std::string::npos) << call.name << ": " << told.out;
    const Outcome silent = program.with("SIMULATOR_HAZARDS=0", call.name);
    EXPECT_EQ(silent.err, "");
    EXPECT_EQ(silent.out, told.out) << call.name << ": to be told changes nothing";
  }
}

const char* const REPEATED = R"(
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
__global__ void scale(float* x) { x[threadIdx.x] *= 2; }
static void set(void* p) { cudaMemset(p, 0, 4); }  // mark: set
int main(int argc, char** argv) {
  int host = 7;
  for (int i = 0; i < 5; ++i) {
    cudaFree(&host);  // mark: free
  }
  set(&host);
  std::printf("%d %d\n", cudaGetLastError(), wait(nullptr));
  return argc > 1 ? std::atoi(argv[1]) : 0;
}
)";

TEST(RefusedCalls, AreSaidOncePerLineAndCountedAtTheEnd) {
  const Program program(REPEATED);
  const Outcome ran = program();
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.out, "1 -1\n") << "the error, and no process is left to wait for";
  EXPECT_EQ(count_of(ran.err, "  at "), 2u) << ran.err;
  EXPECT_NE(ran.err.find("  at " + program.place_of("free") + "\n"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("  at " + program.place_of("set", "set") + "\n"), std::string::npos)
      << ran.err;
  EXPECT_TRUE(ran.err.ends_with("\nsimulated GPU: 2 hazards, found 6 times\n")) << ran.err;

  // The exit code and output with other settings of SIMULATOR_HAZARDS.
  const Outcome error = program.with("SIMULATOR_HAZARDS=error");
  EXPECT_EQ(error.exit_code, 1);
  EXPECT_EQ(error.out, ran.out) << "what was printed is not lost";
  EXPECT_EQ(error.err, ran.err);
  EXPECT_EQ(program.with("SIMULATOR_HAZARDS=error", "3").exit_code, 3);
  const Outcome none = program.with("SIMULATOR_HAZARDS=0");
  EXPECT_EQ(none.exit_code, 0);
  EXPECT_EQ(none.err, "");
  EXPECT_EQ(none.out, ran.out);
}

// With this setting a program fails even without a kernel, and even without a hazard if a kernel has failed.
TEST(Hazards, AreErrorsForWhoeverAsks) {
  const std::string error = "SIMULATOR_HAZARDS=error";
  const Program refused("int main() { cudaFree(reinterpret_cast<void*>(16)); }");
  EXPECT_EQ(refused().exit_code, 0);
  EXPECT_EQ(refused.with(error).exit_code, 1);
  const Program failed(R"(
__global__ void k(int* p) { *p = 1; }
int main() {
  k<<<1, 1>>>(nullptr);
  cudaDeviceSynchronize();
}
)");
  EXPECT_EQ(failed().exit_code, 0);
  EXPECT_EQ(failed.with(error).exit_code, 1);
  const Program well("int main() { void* p; cudaMalloc(&p, 4); cudaFree(p); }");
  EXPECT_EQ(well.with(error).exit_code, 0);
}

// Expects the message without the line; nothing else is missing.
void expect_no_line(const Outcome& outcome) {
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "1 -1\n");
  EXPECT_EQ(count_of(outcome.err, "cudaFree was given a pointer"), 1u) << outcome.err;
  EXPECT_EQ(count_of(outcome.err, "cudaMemset was given"), 1u) << outcome.err;
  EXPECT_EQ(count_of(outcome.err, "  try: "), 2u) << outcome.err;
  EXPECT_EQ(outcome.err.find("  at "), std::string::npos) << outcome.err;
  EXPECT_TRUE(outcome.err.ends_with("\nsimulated GPU: 2 hazards, found 6 times\n")) << outcome.err;
}

TEST(HostLine, IsLeftOutWhereTheToolIsMissingOrTalksNonsense) {
  const Program program(REPEATED);
  const std::string said = program().err;
  // No tool: a missing file, a file that is no program, a program that fails, and one that never ends.
  for (const char* const tool : {"/nonexistent/symbolizer", "/etc/passwd", "false", "yes"}) {
    expect_no_line(program.with(std::string("SIMCC_SYMBOLIZER=") + tool));
  }
  EXPECT_EQ(program.with("SIMCC_SYMBOLIZER=llvm-symbolizer-19").err, said);
}

TEST(HostLine, IsLeftOutOfAProgramWithoutLines) {
  expect_no_line(Program(REPEATED, "-Xcompiler -g0")());
  expect_no_line(Program(REPEATED, "-s")());
}

// A launch's line is the one where it is written, in any surroundings and with any compiler options.
TEST(HostLine, IsThatOfTheLaunchAndNotOfTheKernel) {
  for (const char* const level : {"-O0", "-O2"}) {
    const Program program(R"(
namespace ns {
namespace {
template <int N, typename T> __global__ void store(T* x) { x[N] = 1; }
struct Launcher {
  static void launch(float* x) {
    store<4, float><<<1, 2000>>>(x);  // mark: launch
  }
};
}
}
int main() {
  float* x;
  cudaMalloc(&x, 64);
  ns::Launcher::launch(x);
  [&] {
    cudaFree(x + 1);  // mark: lambda
  }();
  cudaFree(x);
  return cudaGetLastError() == cudaSuccess;
}
)",
                          level);
    const std::string said = program().err;
    EXPECT_NE(said.find(":" + std::to_string(program.line_of("launch")) + " in "),
              std::string::npos)
        << said;
    EXPECT_NE(said.find("launch\n  try: smaller blocks"), std::string::npos) << said;
    EXPECT_NE(said.find(":" + std::to_string(program.line_of("lambda"))), std::string::npos)
        << said;
    EXPECT_EQ(said.find("in operator"), std::string::npos) << said;
    EXPECT_EQ(count_of(said, "  at "), 2u) << said;
  }
}

TEST(HostLine, DoesNotDependOnWhereTheProgramIsLoaded) {
  const Program program(REPEATED, "-O2 -Xcompiler -fno-pie -Wl,-no-pie");
  EXPECT_NE(program().err.find("  at " + program.place_of("free") + "\n"), std::string::npos);
  EXPECT_NE(program().err.find("  at " + program.place_of("set", "set") + "\n"), std::string::npos)
      << "a function that was inlined: " << program().err;
}

TEST(RefusedCalls, WhatIsAskedToFindOutIsAnsweredWithoutAWord) {
  const Program program(R"(
#include <cstdio>
__global__ void dynamic(float* x) { extern __shared__ float s[]; s[threadIdx.x] = x[threadIdx.x]; }
int main() {
  void* p = nullptr;
  int value = 0;
  cudaEvent_t event;
  cudaPointerAttributes attributes;
  cudaEventCreate(&event);
  int refused = 0;
  for (const cudaError_t e :
       {cudaMalloc(&p, size_t{1} << 60), cudaMallocManaged(&p, size_t{1} << 60),
        cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20),
        cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(9999), 0),
        cudaSetDevice(7), cudaHostRegister(nullptr, 0, 0), cudaDeviceSetLimit(static_cast<cudaLimit>(99), 1)}) {
    refused += e != cudaSuccess;
  }
  cudaStreamQuery(nullptr);
  cudaEventQuery(event);
  cudaPointerGetAttributes(&attributes, &value);
  cudaFree(nullptr);
  cudaFreeHost(nullptr);
  cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice);
  cudaEventDestroy(event);
  std::printf("%d\n", refused);
}
)");
  const Outcome ran = program.with("SIMULATOR_HAZARDS=error");
  EXPECT_EQ(ran.out, "7\n");
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(ran.exit_code, 0);
}

TEST(NeverFreed, NamesTheLinesThatAllocated) {
  const Program program(R"(
#include <cstdio>
#include <cstdlib>
#include <cstring>
__device__ int variable[4];
struct Holder {
  float* p = nullptr;
  ~Holder() { cudaFree(p); }
} holder;
int main(int argc, char** argv) {
  const auto is = [&](const char* name) { return argc > 1 && std::strcmp(argv[1], name) == 0; };
  cudaMalloc(&holder.p, 128);
  float *a, *b, *c[3];
  cudaMalloc(&a, 64);  // mark: first
  cudaMallocHost(&b, 36);  // mark: second
  for (float*& p : c) {
    cudaMallocManaged(&p, 100);  // mark: loop
  }
  if (is("one")) {
    for (float* p : c) cudaFree(p);
    cudaFreeHost(b);
  }
  if (is("reset")) cudaDeviceReset();
  if (is("fail")) std::exit(3);
}
)");
  const auto place = [&](const char* mark) { return program.place_of(mark); };
  const std::string advice =
      "  try: call cudaFree at the end for memory allocated there, cudaFreeHost for pinned "
      "memory\n";
  EXPECT_EQ(program().err,
            "simulated GPU: 5 allocations of 400 bytes in all were never freed\n  at " +
                place("first") + ", " + place("second") + ", " + place("loop") + "\n" + advice)
      << "not what a static object frees";
  EXPECT_EQ(program("one").err, "simulated GPU: an allocation of 64 bytes was never freed\n  at " +
                                    place("first") + "\n" + advice);
  EXPECT_EQ(program("reset").err, "");
  EXPECT_EQ(program("fail").err, "") << "who ends on an error has no time to tidy up";
  EXPECT_EQ(program("fail").exit_code, 3);
  EXPECT_EQ(program.with("SIMULATOR_HAZARDS=0").err, "");
  EXPECT_EQ(program.with("SIMULATOR_HAZARDS=error").exit_code, 1);
  EXPECT_EQ(program.with("SIMULATOR_HAZARDS=error", "reset").exit_code, 0);
}

TEST(NeverAsked, IsAFailureThatNoCallToldTheProgramOf) {
  const Program program(R"(
#include <cstdio>
#include <cstring>
__global__ void beyond(float* x) { x[threadIdx.x + 16] = 1; }
int main(int, char** words) {
  const auto is = [&](const char* name) { return std::strstr(words[1], name) != nullptr; };
  float* x;
  cudaMalloc(&x, 64);
  if (is("launch")) beyond<<<1, 2000>>>(x);  // mark: launch
  if (is("fault")) beyond<<<1, 16>>>(x);  // mark: fault
  if (is("direct")) {
    void* arguments[] = {&x};
    const cudaError_t e = cudaLaunchKernel(reinterpret_cast<void*>(beyond), 1, 2000, arguments, 0, nullptr);
    if (e == cudaSuccess) return 4;
  }
  if (is("+last")) cudaGetLastError();
  if (is("+peek")) cudaPeekAtLastError();
  if (is("+string")) cudaGetErrorString(cudaSuccess);
  if (is("+synchronise")) cudaDeviceSynchronize();
  cudaFree(is("+free") ? x : nullptr);
}
)");
  const auto asked = [&](const std::string& words) {
    return count_of(program(words).err, "and the program never asked") +
           count_of(program(words).err, "and no call told the program");
  };
  EXPECT_EQ(asked("launch"), 1u);
  EXPECT_EQ(asked("launch+synchronise"), 1u) << "which does not return a launch's error";
  EXPECT_EQ(asked("launch+last"), 0u);
  EXPECT_EQ(asked("launch+peek"), 0u);
  EXPECT_EQ(asked("launch+string"), 0u);
  EXPECT_EQ(asked("direct"), 0u) << "it was returned";
  EXPECT_EQ(asked("nothing"), 0u);
  const std::string said = program("launch+free").err;
  EXPECT_NE(
      said.find("simulated GPU: the launch of beyond failed (cudaErrorInvalidConfiguration), and "
                "the program never asked\n  at " +
                program.place_of("launch") + "\n  try: call cudaGetLastError() after the launch"),
      std::string::npos)
      << said;
}

// A fault surfaces at the next call that waits. Without such a call the program never learns of it.
TEST(NeverAsked, IsAKernelsFaultWithoutACallThatWaits) {
  const Program program(R"(
#include <cstring>
__global__ void beyond(float* x) { x[threadIdx.x + 16] = 1; }
int main(int, char** words) {
  float* x;
  cudaMalloc(&x, 64);
  beyond<<<1, 16>>>(x);  // mark: fault
  cudaGetLastError();
  if (std::strcmp(words[1], "wait") == 0) return cudaDeviceSynchronize() != cudaErrorIllegalAddress;
}
)");
  const Outcome never = program("no");
  EXPECT_NE(
      never.err.find("simulated GPU: beyond failed (cudaErrorIllegalAddress), and no call told "
                     "the program\n  at " +
                     program.place_of("fault") +
                     "\n  try: check the return code of cudaDeviceSynchronize()"),
      std::string::npos)
      << never.err;
  const Outcome told = program("wait");
  EXPECT_EQ(told.exit_code, 0);
  EXPECT_EQ(count_of(told.err, "simulated GPU: "), 1u) << "the fault itself: " << told.err;
}

// Each case prints the value that the host reads or writes. Cases in capitals race. Work in a stream runs late, so those in a
// stream read the old value.
const char* const RACES = R"(
#include <cstdio>
#include <cstring>
#include <thread>
__global__ void fill(int* x, int n) { for (int i = threadIdx.x; i < n; i += 32) x[i] = 40 + i; }
__global__ void sum(const int* x, int* y) { atomicAdd(y, x[threadIdx.x]); }
int main(int, char** words) {
  const char* word = words[1];
  const auto is = [&](const char* name) { return std::strcmp(word, name) == 0; };
  int *m, *other, *pinned, *device, host = 0;
  cudaStream_t s, t;
  cudaEvent_t event;
  cudaMallocManaged(&m, 64 * sizeof(int));
  cudaMallocManaged(&other, sizeof(int));
  cudaMallocHost(&pinned, 64 * sizeof(int));
  cudaMalloc(&device, 64 * sizeof(int));
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreate(&t);
  cudaEventCreate(&event);
  cudaMemset(device, 0, 64 * sizeof(int));
  m[2] = 5;
  *other = 0;
  int value = 0;
  if (is("READ")) {
    fill<<<1, 32>>>(m, 64);  // mark: launch
    value = m[2];  // mark: read
  } else if (is("WRITE_READ_ONLY")) {
    sum<<<1, 1>>>(m + 2, device);
    m[2] = 6;  // mark: write
    value = m[2];
  } else if (is("THREAD")) {
    fill<<<1, 32>>>(m, 64);
    std::thread([&] { value = m[2]; }).join();  // mark: thread
  } else if (is("WRONG_STREAM")) {
    fill<<<1, 32, 0, s>>>(m, 64);
    cudaStreamSynchronize(t);
    value = m[2];  // mark: wrong stream
  } else if (is("PINNED")) {
    fill<<<1, 32>>>(device, 64);
    cudaDeviceSynchronize();
    pinned[2] = 5;
    cudaMemcpyAsync(pinned, device, 64 * sizeof(int), cudaMemcpyDeviceToHost, s);  // mark: copy
    value = pinned[2];  // mark: pinned
  } else if (is("SECOND_LAUNCH")) {
    fill<<<1, 32>>>(m, 64);
    sum<<<1, 1>>>(device, other);
    value = m[2];  // mark: second launch
  } else if (is("read_what_is_only_read")) {
    sum<<<1, 1>>>(m + 2, device);
    value = m[2];
  } else if (is("other_half")) {
    fill<<<1, 32>>>(m, 32);
    m[40] = 9;  // mark: other half
    value = m[40];
  } else if (is("other_pages")) {
    int* pages;
    cudaMallocHost(&pages, 4 * 4096);
    cudaMemcpyAsync(pages, device, 256, cudaMemcpyDeviceToHost);
    cudaMemcpyAsync(device, pages + 2048, 256, cudaMemcpyHostToDevice);
    value = pages[1024] = 8;
    cudaFreeHost(pages);
  } else if (is("threads")) {  // each waits for its own stream, while the others' kernels run
    const auto work = [] {
      int* x;
      cudaStream_t own;
      cudaMallocManaged(&x, 64 * sizeof(int));
      cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
      for (int i = 0; i < 3000; ++i) {
        fill<<<1, 32, 0, own>>>(x, 64);
        cudaStreamSynchronize(own);
        if (x[2] == 42) x[2] = 0;
      }
      cudaStreamDestroy(own);
      cudaFree(x);
    };
    std::thread threads[8];
    for (std::thread& thread : threads) thread = std::thread(work);
    for (std::thread& thread : threads) thread.join();
    value = 42;
  } else if (is("untouched")) {
    fill<<<1, 32>>>(m, 64);
    *other = 3;
    value = *other;
  } else {
    fill<<<1, 32, 0, is("stream") ? s : is("blocking") || is("legacy") ? t : nullptr>>>(m, 64);
    if (is("device")) cudaDeviceSynchronize();
    if (is("stream")) cudaStreamSynchronize(s);
    if (is("blocking")) cudaStreamSynchronize(t);
    if (is("legacy")) cudaStreamSynchronize(nullptr);
    if (is("behind_default")) cudaStreamSynchronize(t);
    if (is("query")) cudaStreamQuery(nullptr);
    if (is("event")) { cudaEventRecord(event); cudaEventSynchronize(event); }
    if (is("copy")) cudaMemcpy(&host, device, 4, cudaMemcpyDeviceToHost);
    if (is("free")) cudaFree(other);
    if (is("callback")) {
      const auto read = [](void* data) { static_cast<int*>(data)[0] = static_cast<int*>(data)[2]; };
      cudaLaunchHostFunc(nullptr, read, m);
      cudaDeviceSynchronize();
    }
    value = m[2];
  }
  cudaDeviceSynchronize();
  std::printf("%d\n", value);
  cudaFree(m); cudaFree(other); cudaFree(device); cudaFreeHost(pinned);
  if (is("AFTER_FREE")) return m[2];  // mark: after free
}
)";

TEST(HostRaces, AreSaidWithBothLinesAndChangeNothing) {
  const Program program(RACES);
  const auto expect = [&](const char* name, const char* printed, const std::string& message) {
    const Outcome ran = program(name);
    EXPECT_EQ(ran.exit_code, 0) << name;
    EXPECT_EQ(ran.out, printed) << name;
    EXPECT_NE(ran.err.find(message), std::string::npos) << name << "\n" << ran.err;
    EXPECT_EQ(count_of(ran.err, "simulated GPU: "), 1u) << name << "\n" << ran.err;
    const Outcome silent = program.with("SIMULATOR_HAZARDS=0", name);
    EXPECT_EQ(silent.out, printed);
    EXPECT_EQ(silent.err, "");
    EXPECT_EQ(program.with("SIMULATOR_HAZARDS=error", name).exit_code, 1) << name;
  };
  expect(
      "READ", "42\n",
      "simulated GPU: host code uses buffer 1 while fill may still write it: nobody has waited for "
      "the kernel\n  at " +
          program.place_of("read") + ": byte 8 of buffer 1, after fill at " +
          program.place_of("launch") + "\n  try: cudaDeviceSynchronize() between lines " +
          std::to_string(program.line_of("launch")) + " and " +
          std::to_string(program.line_of("read")) + "\n");
  expect("WRITE_READ_ONLY", "6\n",
         "host code writes buffer 1 while sum may still read it: nobody has waited for the "
         "kernel\n  at " +
             program.place_of("write"));
  expect("THREAD", "42\n", ":" + std::to_string(program.line_of("thread")) + " in ");
  expect("WRONG_STREAM", "5\n", program.place_of("wrong stream"));
  expect(
      "PINNED", "5\n",
      "host code uses buffer 3 while cudaMemcpyAsync may still write it: nobody has waited for the "
      "copy\n  at " +
          program.place_of("pinned") + ": byte 8 of buffer 3, after cudaMemcpyAsync at " +
          program.place_of("copy"));
  expect("SECOND_LAUNCH", "42\n", program.place_of("second launch"));
}

TEST(HostRaces, AreNoneBehindWhatWaits) {
  const Program program(RACES);
  for (const auto& [name, printed] :
       std::vector<std::pair<const char*, const char*>>{{"read_what_is_only_read", "5\n"},
                                                        {"threads", "42\n"},
                                                        {"untouched", "3\n"},
                                                        {"other_half", "9\n"},
                                                        {"other_pages", "8\n"},
                                                        {"device", "42\n"},
                                                        {"stream", "42\n"},
                                                        {"blocking", "42\n"},
                                                        {"legacy", "42\n"},
                                                        {"behind_default", "42\n"},
                                                        {"query", "42\n"},
                                                        {"event", "42\n"},
                                                        {"copy", "42\n"},
                                                        {"callback", "42\n"}}) {
    const Outcome ran = program.with("SIMULATOR_HAZARDS=error", name);
    EXPECT_EQ(ran.out, printed) << name;
    EXPECT_EQ(ran.err, "") << name;
    EXPECT_EQ(ran.exit_code, 0) << name;
  }
}

TEST(HostRaces, LeaveOtherSegmentationFaultsAsTheyAre) {
  const Program races(RACES);
  const Outcome freed = races("AFTER_FREE");
  EXPECT_EQ(freed.exit_code, 128 + 11) << "no handler of the program's";
  EXPECT_NE(freed.err.find("host code uses memory that was freed before: 8 bytes into buffer 1"),
            std::string::npos)
      << freed.err;
  EXPECT_NE(freed.err.find("\n  at " + races.place_of("after free") + "\n"), std::string::npos)
      << freed.err;

  const Program program(R"(
#include <csignal>
#include <cstdio>
#include <cstring>
#include <unistd.h>
__global__ void fill(int* x) { x[threadIdx.x] = 40 + threadIdx.x; }
static void ended(int) {
  const char text[] = "the program's own handler\n";
  if (write(1, text, sizeof text - 1) > 0) _exit(5);
}
int main(int, char** words) {
  const bool early = std::strcmp(words[1], "early") == 0;
  int *m, *device;
  cudaMallocManaged(&m, 128);
  cudaMalloc(&device, 128);
  if (early) std::signal(SIGSEGV, ended);
  fill<<<1, 32>>>(m);
  int value = m[2];
  if (!early) std::signal(SIGSEGV, ended);
  fill<<<1, 32>>>(m);
  value += m[3];
  std::printf("%d\n", value);
  std::fflush(stdout);
  return *device;  // the device's memory is not the host's
}
)");
  for (const char* const when : {"early", "late"}) {
    const Outcome ran = program(when);
    EXPECT_EQ(ran.out, "85\nthe program's own handler\n") << when;
    EXPECT_EQ(ran.exit_code, 5) << when;
  }
}

TEST(HostAccess, ToTheDevicesMemoryIsNamedBeforeItEndsTheProgram) {
  const Program program(R"(
#include <cstring>
int main(int, char** words) {
  int* device;
  cudaMalloc(&device, 64);
  const int i = words[1][0] - '0';
  if (i < 9) return device[i];  // mark: read
  int host[16];
  std::memcpy(host, device + 4, 16);  // mark: copy
  return host[i - 9] + *static_cast<volatile int*>(nullptr);
}
)");
  const Outcome read = program("2");
  EXPECT_EQ(read.exit_code, 128 + 11) << "as without a word";
  EXPECT_NE(read.err.find("simulated GPU: host code uses a pointer to the device's memory: "),
            std::string::npos)
      << read.err;
  EXPECT_NE(read.err.find("buffer 1 (64 bytes at "), std::string::npos) << read.err;
  EXPECT_NE(read.err.find("\n  at " + program.place_of("read") + "\n  try: cudaMemcpy the data"),
            std::string::npos)
      << read.err;
  const Outcome copied = program("9");
  EXPECT_EQ(copied.exit_code, 128 + 11);
  EXPECT_NE(copied.err.find("\n  at " + program.place_of("copy") + "\n"), std::string::npos)
      << copied.err;
  const Outcome silent = program.with("SIMULATOR_HAZARDS=0", "2");
  EXPECT_EQ(silent.exit_code, 128 + 11);
  EXPECT_EQ(silent.err.find("simulated GPU"), std::string::npos) << silent.err;

  // The simulator does not handle other crashes: they end the program as usual.
  const Program crash(
      "int main() { int* d; cudaMalloc(&d, 4); cudaFree(d); return *static_cast<volatile "
      "int*>(nullptr); }");
  EXPECT_EQ(crash().exit_code, 128 + 11);
  EXPECT_EQ(crash().err.find("simulated GPU"), std::string::npos) << crash().err;
}

}  // namespace
}  // namespace simulator::test
