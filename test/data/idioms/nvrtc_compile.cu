// flags: -lnvrtc -lcuda
// Compiles kernels while the program runs: headers in memory, options, names of templates, messages.
#include <cuda.h>
#include <nvrtc.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

static const char* const SOURCE = R"(
#include "scale.h"
namespace n { __device__ int offset = 3; }
__constant__ float bias[4];
template <typename T, int N> __global__ void map(const T* from, T* to) {
  const int i = threadIdx.x;
  to[i] = scale(from[i]) * N + static_cast<T>(n::offset) + static_cast<T>(bias[i % 4]);
}
extern "C" __global__ void plain(float* to) { to[threadIdx.x] = FACTOR * threadIdx.x; }
)";
static const char* const HEADER = "template <typename T> __device__ T scale(T x) { return x * T(2); }\n";

static void say(const char* what, nvrtcResult result) { printf("%s: %s\n", what, nvrtcGetErrorString(result)); }

int main() {
  nvrtcProgram program;
  const char* const header_name = "scale.h";
  say("create", nvrtcCreateProgram(&program, SOURCE, "kernels.cu", 1, &HEADER, &header_name));
  const char* const names[] = {"map<float, 5>", "&map<int, 7>", "&n::offset", "bias", "plain"};
  for (const char* name : names) say(name, nvrtcAddNameExpression(program, name));
  const char* lowered = nullptr;
  say("name before", nvrtcGetLoweredName(program, names[0], &lowered));
  size_t size = 0;
  say("size before", nvrtcGetPTXSize(program, &size));
  const char* const options[] = {"--gpu-architecture=compute_80", "-DFACTOR=4", "--std=c++17", "-lineinfo"};
  say("compile", nvrtcCompileProgram(program, 4, options));
  say("expression after", nvrtcAddNameExpression(program, "plain"));
  say("size", nvrtcGetPTXSize(program, &size));
  std::string ptx(size, '?');
  say("ptx", nvrtcGetPTX(program, ptx.data()));
  printf("ends with zero: %d, right length: %d\n", ptx.back() == 0, strlen(ptx.c_str()) + 1 == size);
  say("cubin size", nvrtcGetCUBINSize(program, &size));
  printf("%zu bytes for a virtual architecture\n", size);

  cuInit(0);
  CUdevice device;
  cuDeviceGet(&device, 0);
  CUcontext context;
  cuDevicePrimaryCtxRetain(&context, device);
  cuCtxSetCurrent(context);
  CUmodule module;
  printf("load %d\n", cuModuleLoadData(&module, ptx.c_str()));
  std::string found[5];
  for (int i = 0; i < 5; ++i) {
    say(names[i], nvrtcGetLoweredName(program, names[i], &lowered));
    found[i] = lowered;
  }
  say("unknown", nvrtcGetLoweredName(program, "map<float, 6>", &lowered));
  printf("%s %s\n", found[0].c_str(), found[4].c_str());
  say("destroy", nvrtcDestroyProgram(&program));
  say("destroy again", nvrtcDestroyProgram(&program));

  CUdeviceptr offset, bias, from, to;
  size_t bytes;
  printf("offset %d", cuModuleGetGlobal(&offset, &bytes, module, found[2].c_str()));
  printf(" %zu bytes, bias", bytes);
  printf(" %d", cuModuleGetGlobal(&bias, &bytes, module, found[3].c_str()));
  printf(" %zu bytes\n", bytes);
  const int eleven = 11;
  cuMemcpyHtoD(offset, &eleven, sizeof eleven);
  const float biases[4] = {0, 0.5f, 1, 1.5f};
  cuMemcpyHtoD(bias, biases, sizeof biases);
  cuMemAlloc(&from, 32);
  cuMemAlloc(&to, 32);
  const float input[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  const int whole[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  for (int i : {0, 1, 4}) {
    CUfunction kernel;
    printf("function %d:", cuModuleGetFunction(&kernel, module, found[i].c_str()));
    cuMemcpyHtoD(from, i == 1 ? (const void*)whole : input, 32);
    void* two[] = {&from, &to};
    void* one[] = {&to};
    cuLaunchKernel(kernel, 1, 1, 1, 8, 1, 1, 0, nullptr, i == 4 ? one : two, nullptr);
    float results[8];
    int whole_results[8];
    cuMemcpyDtoH(results, to, 32);
    cuMemcpyDtoH(whole_results, to, 32);
    for (int j = 0; j < 8; ++j) i == 1 ? printf(" %d", whole_results[j]) : printf(" %g", results[j]);
    printf("\n");
  }

  // Mistakes.
  nvrtcCreateProgram(&program, "__global__ void broken() { undeclared = 1; }", nullptr, 0, nullptr, nullptr);
  say("broken", nvrtcCompileProgram(program, 0, nullptr));
  nvrtcGetProgramLogSize(program, &size);
  std::string log(size, '?');
  nvrtcGetProgramLog(program, log.data());
  printf("the log names it: %d\n", log.find("undeclared") != std::string::npos);
  printf("the log names the place: %d\n", log.find("default_program") != std::string::npos);
  say("ptx of it", nvrtcGetPTXSize(program, &size));
  nvrtcDestroyProgram(&program);
  nvrtcCreateProgram(&program, "__global__ void fine() {}", "fine.cu", 0, nullptr, nullptr);
  const char* const unknown[] = {"--no-such-option"};
  say("unknown option", nvrtcCompileProgram(program, 1, unknown));
  nvrtcDestroyProgram(&program);
  nvrtcCreateProgram(&program, "__global__ void fine() {}", "fine.cu", 0, nullptr, nullptr);
  nvrtcAddNameExpression(program, "absent<int>");
  say("absent name", nvrtcCompileProgram(program, 0, nullptr));
  nvrtcDestroyProgram(&program);
  nvrtcCreateProgram(&program, "int twice(int x) { return 2 * x; }\n__global__ void use(int* x) { *x = twice(*x); }", "d.cu", 0,
                     nullptr, nullptr);
  say("host function", nvrtcCompileProgram(program, 0, nullptr));
  nvrtcDestroyProgram(&program);
  nvrtcCreateProgram(&program, "int twice(int x) { return 2 * x; }\n__global__ void use(int* x) { *x = twice(*x); }", "d.cu", 0,
                     nullptr, nullptr);
  const char* const device_default[] = {"-default-device", "-arch=sm_90"};
  say("of the device", nvrtcCompileProgram(program, 2, device_default));
  say("again", nvrtcCompileProgram(program, 2, device_default));
  nvrtcGetCUBINSize(program, &size);
  std::vector<char> machine_code(size);
  say("cubin", nvrtcGetCUBIN(program, machine_code.data()));
  printf("load %d\n", cuModuleLoadData(&module, machine_code.data()));
  nvrtcDestroyProgram(&program);
  say("no source", nvrtcCreateProgram(&program, nullptr, "x", 0, nullptr, nullptr));
  cuMemFree(from);
  cuMemFree(to);
}
