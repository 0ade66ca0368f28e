// The driver API: its errors, contexts, modules, launches and memory. SIMULATOR_DEVICES is 2 here. Programs of both APIs are in
// test/data/idioms/driver_*.cu.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "simulator/runtime/api/simulated_device.hpp"
#include "simulator/runtime/driver/calls.hpp"
#include "test/support/shell.hpp"

namespace simulator::test {
namespace {

// Before the program's devices are made.
__attribute__((constructor(101))) void ask_for_two() { setenv("SIMULATOR_DEVICES", "2", 1); }

// Runs a test in a thread of its own, which has no contexts yet.
void in_new_thread(const std::function<void()>& test) { std::thread(test).join(); }

const char* name_of(CUresult result) {
  const char* name = nullptr;
  return cuGetErrorName(result, &name) == CUDA_SUCCESS ? name : "unknown";
}
#define EXPECT_RESULT(call, result) EXPECT_STREQ(name_of(call), #result)
#define ASSERT_DONE(call) ASSERT_STREQ(name_of(call), "CUDA_SUCCESS")

std::string ptx_of(const std::string& code) {
  return ".version 8.0\n.target sm_90\n.address_size 64\n" + code;
}

// add(out, a, b): *out = a + b for a byte, a word of 8 bytes and a float; `sum` has their sum too.
const std::string ADD = ptx_of(R"(
.visible .global .align 4 .f32 sum;
.visible .entry add(.param .u8 add_a, .param .u64 add_b, .param .f32 add_c, .param .u64 add_out)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<4>;
  .reg .f32 %f<5>;
  ld.param.u8 %r1, [add_a];
  ld.param.u64 %rd1, [add_b];
  ld.param.f32 %f1, [add_c];
  ld.param.u64 %rd2, [add_out];
  cvt.rn.f32.u32 %f2, %r1;
  cvt.rn.f32.u64 %f3, %rd1;
  add.f32 %f4, %f1, %f2;
  add.f32 %f4, %f4, %f3;
  cvta.to.global.u64 %rd3, %rd2;
  st.global.f32 [%rd3], %f4;
  st.global.f32 [sum], %f4;
  ret;
}
.visible .entry nothing()
{
  ret;
}
)");

class Driver : public ::testing::Test {
 protected:
  void SetUp() override {
    for (SimulatedDevice* const device : devices()) device->hazards.set_output(false);
    ASSERT_DONE(cuInit(0));
    ASSERT_DONE(cuCtxCreate(&context_, 0, 0));
  }
  void TearDown() override { EXPECT_RESULT(cuCtxDestroy(context_), CUDA_SUCCESS); }

  static CUfunction function_of(CUmodule module, const char* name) {
    CUfunction function = nullptr;
    EXPECT_RESULT(cuModuleGetFunction(&function, module, name), CUDA_SUCCESS);
    return function;
  }
  static CUmodule load(const std::string& ptx) {
    CUmodule module = nullptr;
    EXPECT_RESULT(cuModuleLoadData(&module, ptx.c_str()), CUDA_SUCCESS);
    return module;
  }
  static float float_at(CUdeviceptr pointer) {
    float value = 0;
    EXPECT_RESULT(cuMemcpyDtoH(&value, pointer, sizeof value), CUDA_SUCCESS);
    return value;
  }

  CUcontext context_ = nullptr;
};

// Errors.

TEST_F(Driver, NamesAndExplainsItsErrors) {
  const char* text = nullptr;
  const char* name = nullptr;
#define CU_ERROR(error, code)                                             \
  EXPECT_RESULT(static_cast<CUresult>(code), error);                      \
  EXPECT_EQ(cuGetErrorString(error, &text), CUDA_SUCCESS);                \
  EXPECT_STREQ(text, cudaGetErrorString(static_cast<cudaError_t>(code))); \
  EXPECT_STRNE(text, "unrecognized error code") << #error;
#include <simulated/driver_error_list.h>
#undef CU_ERROR
  const auto none = static_cast<CUresult>(12345);
  EXPECT_RESULT(cuGetErrorName(none, &name), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(name, nullptr);
  EXPECT_RESULT(cuGetErrorString(none, &text), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(text, nullptr);
  EXPECT_RESULT(cuGetErrorName(CUDA_SUCCESS, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Driver, GivesOnlyErrorsThatItHas) {
#define CUDA_ERROR(error, code, text) \
  EXPECT_STRNE(name_of(runtime::result_of(error)), "unknown") << #error;
#include <simulated/cuda_error_list.h>
#undef CUDA_ERROR
  EXPECT_RESULT(runtime::result_of(cudaErrorInvalidConfiguration), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(runtime::result_of(cudaErrorInvalidDeviceFunction), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_RESULT(runtime::result_of(cudaErrorInvalidResourceHandle), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Driver, FindsItsFunctionsByTheirNames) {
  void* function = nullptr;
  CUdriverProcAddressQueryResult status{};
  ASSERT_DONE(cuGetProcAddress("cuMemGetInfo", &function, CUDA_VERSION, CU_GET_PROC_ADDRESS_DEFAULT,
                               &status));
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SUCCESS);
  size_t free = 0;
  size_t total = 0;
  ASSERT_DONE(reinterpret_cast<CUresult (*)(size_t*, size_t*)>(function)(&free, &total));
  EXPECT_GT(total, 0u);
  EXPECT_RESULT(cuGetProcAddress("cuFrobnicate", &function, CUDA_VERSION, 0, &status),
                CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  EXPECT_EQ(function, nullptr);
  cudaDriverEntryPointQueryResult found{};
  ASSERT_EQ(cudaGetDriverEntryPoint("cuCtxCreate", &function, cudaEnableDefault, &found),
            cudaSuccess);
  EXPECT_EQ(found, cudaDriverEntryPointSuccess);
}

TEST_F(Driver, LeavesTheRuntimesLastErrorAlone) {
  cudaGetLastError();
  CUdeviceptr pointer = 0;
  EXPECT_RESULT(cuMemAlloc(&pointer, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cuEventQuery(reinterpret_cast<CUevent>(0x77)), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  ASSERT_EQ(cudaEventQuery(reinterpret_cast<cudaEvent_t>(0x77)), cudaErrorInvalidResourceHandle);
  ASSERT_DONE(cuCtxSynchronize());
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
}

// Devices.

TEST_F(Driver, AnswersForItsDevices) {
  int count = 0;
  ASSERT_DONE(cuDeviceGetCount(&count));
  EXPECT_EQ(count, 2);
  CUdevice device = -1;
  EXPECT_RESULT(cuDeviceGet(&device, count), CUDA_ERROR_INVALID_DEVICE);
  ASSERT_DONE(cuDeviceGet(&device, 0));
  std::array<char, 6> name{};
  ASSERT_DONE(cuDeviceGetName(name.data(), name.size(), device));
  EXPECT_STREQ(name.data(), "simul");
  EXPECT_RESULT(cuDeviceGetName(name.data(), 0, device), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cuDeviceGetName(name.data(), 6, count), CUDA_ERROR_INVALID_DEVICE);
  int major = 0;
  int minor = -1;
  ASSERT_DONE(cuDeviceComputeCapability(&major, &minor, device));
  EXPECT_EQ(major * 10 + minor, 90);
  size_t bytes = 0;
  cudaDeviceProp properties;
  ASSERT_DONE(cuDeviceTotalMem(&bytes, device));
  ASSERT_EQ(cudaGetDeviceProperties(&properties, device), cudaSuccess);
  EXPECT_EQ(bytes, properties.totalGlobalMem);
}

TEST_F(Driver, AnswersForEveryAttribute) {
  int value = -1;
  for (int attribute = 1; attribute <= CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID; ++attribute)
    EXPECT_RESULT(cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(attribute), 0),
                  CUDA_SUCCESS)
        << attribute;
  ASSERT_DONE(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
  EXPECT_EQ(value, 32);
  ASSERT_DONE(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED, 0));
  EXPECT_EQ(value, 1);
  ASSERT_DONE(
      cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
  EXPECT_EQ(value, 0);
  EXPECT_RESULT(cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(0), 0),
                CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(9999), 0),
                CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cuDeviceGetAttribute(nullptr, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0),
                CUDA_ERROR_INVALID_VALUE);
}

// Contexts.

TEST(DriverContexts, AreAStackForEachThread) {
  ASSERT_DONE(cuInit(0));
  in_new_thread([] {
    CUcontext current = nullptr;
    size_t bytes = 0;
    ASSERT_DONE(cuCtxGetCurrent(&current));
    EXPECT_EQ(current, nullptr);
    EXPECT_RESULT(cuMemGetInfo(&bytes, &bytes), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_RESULT(cuCtxPopCurrent(nullptr), CUDA_ERROR_INVALID_CONTEXT);

    CUctxCreateParams parameters{};
    CUcontext first = nullptr;
    CUcontext second = nullptr;
    ASSERT_DONE(cuCtxCreate(&first, &parameters, CU_CTX_SCHED_SPIN, 0));
    ASSERT_DONE(cuCtxCreate(&second, CU_CTX_SCHED_AUTO, 0));
    ASSERT_DONE(cuCtxPopCurrent(&current));
    EXPECT_EQ(current, second);
    unsigned int flags = 0;
    ASSERT_DONE(cuCtxGetFlags(&flags));
    EXPECT_EQ(flags, unsigned{CU_CTX_SCHED_SPIN});
    ASSERT_DONE(cuCtxSetCurrent(second));  // in the place of the first
    ASSERT_DONE(cuCtxSetCurrent(nullptr));
    ASSERT_DONE(cuCtxGetCurrent(&current));
    EXPECT_EQ(current, nullptr);
    EXPECT_RESULT(cuCtxDestroy(first), CUDA_SUCCESS);
    EXPECT_RESULT(cuCtxDestroy(second), CUDA_SUCCESS);
  });
}

TEST(DriverContexts, ThatDoNotExistAreRefused) {
  ASSERT_DONE(cuInit(0));
  in_new_thread([] {
    CUcontext context = nullptr;
    auto* const wrong = reinterpret_cast<CUcontext>(0x1234);
    EXPECT_RESULT(cuCtxDestroy(nullptr), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_RESULT(cuCtxDestroy(wrong), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_RESULT(cuCtxSetCurrent(wrong), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_RESULT(cuCtxPushCurrent(wrong), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_RESULT(cuCtxCreate(&context, 0, 100), CUDA_ERROR_INVALID_DEVICE);
    EXPECT_RESULT(cuCtxCreate(nullptr, 0, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_RESULT(cuCtxCreate(&context, 0x1000, 0), CUDA_ERROR_INVALID_VALUE);
    CUctxCreateParams parameters{
        .execAffinityParams = nullptr, .numExecAffinityParams = 1, .cigParams = nullptr};
    EXPECT_RESULT(cuCtxCreate(&context, &parameters, 0, 0), CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);

    ASSERT_DONE(cuCtxCreate(&context, 0, 0));
    in_new_thread([&] {
      ASSERT_DONE(cuCtxSetCurrent(context));
      in_new_thread([&] { ASSERT_DONE(cuCtxDestroy(context)); });
      EXPECT_RESULT(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
      EXPECT_RESULT(cuCtxDestroy(context), CUDA_ERROR_INVALID_CONTEXT);
    });
    EXPECT_RESULT(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  });
}

TEST(DriverContexts, OfTheRuntimeArePrimary) {
  ASSERT_DONE(cuInit(0));
  in_new_thread([] {
    CUcontext primary = nullptr;
    CUcontext current = nullptr;
    unsigned int flags = 0;
    int is_active = -1;
    ASSERT_DONE(cuDevicePrimaryCtxGetState(0, &flags, &is_active));
    EXPECT_EQ(is_active, 0);
    EXPECT_RESULT(cuDevicePrimaryCtxRelease(0), CUDA_ERROR_INVALID_CONTEXT);
    ASSERT_DONE(cuDevicePrimaryCtxRetain(&primary, 0));
    ASSERT_DONE(cuCtxGetCurrent(&current));
    EXPECT_EQ(current, nullptr);  // retained, not pushed
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    ASSERT_DONE(cuCtxGetCurrent(&current));
    EXPECT_EQ(current, primary);
    EXPECT_RESULT(cuCtxDestroy(primary), CUDA_ERROR_INVALID_CONTEXT);
    ASSERT_DONE(cuDevicePrimaryCtxRelease(0));

    ASSERT_DONE(cuCtxCreate(&current, 0, 0));
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    CUcontext popped = nullptr;
    ASSERT_DONE(cuCtxPopCurrent(&popped));
    EXPECT_EQ(popped, current);
    ASSERT_DONE(cuCtxPopCurrent(&popped));
    EXPECT_EQ(popped, primary);
    EXPECT_RESULT(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
    ASSERT_DONE(cuCtxDestroy(current));
  });
}

// Modules.

TEST_F(Driver, RefusesImagesThatAreNoPtx) {
  struct Case {
    const char* image;
    const char* result;
    const char* said;
  };
  const std::string broken = ptx_of(".visible .entry k() { frobnicate the thing\n");
  const std::string unknown = ptx_of(
      ".visible .entry k() {\n .reg .b32 %r<2>;\n mov.u32 %r1, 5;\n frobnicate.b32 %r1, %r1;\n "
      "ret;\n}\n");
  for (const auto& [image, result, said] : {
           Case{"\177ELF\2\1\1\63", "CUDA_ERROR_NO_BINARY_FOR_GPU", "was given a cubin"},
           Case{"\x50\xed\x55\xba\1", "CUDA_ERROR_NO_BINARY_FOR_GPU",
                "was given a fat binary of nvcc"},
           Case{"", "CUDA_ERROR_INVALID_IMAGE", "without PTX's .version"},
           Case{"__global__ void k() {}", "CUDA_ERROR_INVALID_IMAGE", "cuModuleLoadData was given"},
           Case{broken.c_str(), "CUDA_ERROR_INVALID_PTX", "simulated GPU: "},
           Case{unknown.c_str(), "CUDA_ERROR_INVALID_PTX",
                "k has an instruction outside the subset: frobnicate.b32"},
       }) {
    CUmodule module = nullptr;
    ::testing::internal::CaptureStderr();
    EXPECT_STREQ(name_of(cuModuleLoadData(&module, image)), result) << said;
    const std::string err = ::testing::internal::GetCapturedStderr();
    EXPECT_NE(err.find(said), std::string::npos) << err;
    EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << err;
    EXPECT_EQ(module, nullptr);
  }
  CUmodule module = nullptr;
  EXPECT_RESULT(cuModuleLoadData(&module, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cuModuleLoadData(nullptr, ADD.c_str()), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cuModuleLoad(&module, "/no/such/file.ptx"), CUDA_ERROR_FILE_NOT_FOUND);
}

TEST_F(Driver, LoadsModulesFromFiles) {
  const TemporaryFolder folder;
  const std::string path = (folder / "add.ptx").string();
  std::ofstream(path) << ADD;
  CUmodule module = nullptr;
  ASSERT_DONE(cuModuleLoad(&module, path.c_str()));
  CUfunction const add = function_of(module, "add");
  EXPECT_EQ(function_of(module, "add"), add);
  CUmodule of_add = nullptr;
  ASSERT_DONE(cuFuncGetModule(&of_add, add));
  EXPECT_EQ(of_add, module);
  ASSERT_DONE(cuModuleUnload(module));
}

TEST_F(Driver, UnloadsModules) {
  CUmodule const module = load(ADD);
  CUmodule const other = load(ADD);
  CUfunction const nothing = function_of(module, "nothing");
  CUfunction const others = function_of(other, "nothing");
  ASSERT_DONE(cuModuleUnload(module));
  CUfunction function = nullptr;
  CUdeviceptr variable = 0;
  EXPECT_RESULT(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_RESULT(cuModuleGetFunction(&function, module, "add"), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_RESULT(cuModuleGetGlobal(&variable, nullptr, module, "sum"), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_RESULT(cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
                CUDA_ERROR_INVALID_HANDLE);
  EXPECT_RESULT(cuLaunchKernel(others, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
                CUDA_SUCCESS);
  EXPECT_RESULT(cuModuleUnload(reinterpret_cast<CUmodule>(0x1234)), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_RESULT(cuModuleUnload(nullptr), CUDA_ERROR_INVALID_HANDLE);
  ASSERT_DONE(cuModuleUnload(other));
}

TEST_F(Driver, KeepsAKernelThatAGraphHolds) {
  CUmodule const module = load(ADD);
  CUfunction const add = function_of(module, "add");
  CUdeviceptr out = 0;
  ASSERT_DONE(cuMemAlloc(&out, sizeof(float)));
  CUstream stream = nullptr;
  ASSERT_DONE(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  unsigned char a = 1;
  uint64_t b = 2;
  float c = 3;
  void* arguments[] = {&a, &b, &c, &out};
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  ASSERT_DONE(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr));
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  ASSERT_DONE(cuModuleUnload(module));
  ASSERT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
  ASSERT_DONE(cuStreamSynchronize(stream));
  EXPECT_EQ(float_at(out), 6);
  ASSERT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
  ASSERT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  ASSERT_DONE(cuStreamDestroy(stream));
  ASSERT_DONE(cuMemFree(out));
}

TEST_F(Driver, LinksOnePieceOfPtx) {
  std::array<char, 16> log{'x'};
  float time = -1;
  CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_WALL_TIME};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size()), &time};
  CUlinkState state = nullptr;
  ASSERT_DONE(cuLinkCreate(3, options, values, &state));
  EXPECT_STREQ(log.data(), "");
  EXPECT_EQ(values[1], nullptr);  // the log has 0 bytes
  void* image = nullptr;
  size_t bytes = 0;
  EXPECT_RESULT(cuLinkComplete(state, &image, &bytes), CUDA_ERROR_INVALID_PTX);
  std::string copy = ADD;
  ASSERT_DONE(cuLinkAddData(state, CU_JIT_INPUT_PTX, copy.data(), copy.size() + 1, "add", 0,
                            nullptr, nullptr));
  ::testing::internal::CaptureStderr();
  EXPECT_RESULT(cuLinkAddData(state, CU_JIT_INPUT_PTX, copy.data(), copy.size() + 1, "again", 0,
                              nullptr, nullptr),
                CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_RESULT(
      cuLinkAddData(state, CU_JIT_INPUT_CUBIN, copy.data(), copy.size(), "no", 0, nullptr, nullptr),
      CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("a second input for the linker"),
            std::string::npos);
  ASSERT_DONE(cuLinkComplete(state, &image, &bytes));
  EXPECT_EQ(bytes, ADD.size() + 1);
  CUmodule module = nullptr;
  ASSERT_DONE(cuModuleLoadDataEx(&module, image, 0, nullptr, nullptr));
  ASSERT_DONE(cuLinkDestroy(state));
  EXPECT_RESULT(cuLinkDestroy(state), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_NE(function_of(module, "add"), nullptr);
  ASSERT_DONE(cuModuleUnload(module));
}

// Launches.

class DriverLaunch : public Driver {
 protected:
  void SetUp() override {
    Driver::SetUp();
    module_ = load(ADD);
    add_ = function_of(module_, "add");
    nothing_ = function_of(module_, "nothing");
    ASSERT_DONE(cuMemAlloc(&out_, sizeof(float)));
  }
  void TearDown() override {
    EXPECT_RESULT(cuMemFree(out_), CUDA_SUCCESS);
    EXPECT_RESULT(cuModuleUnload(module_), CUDA_SUCCESS);
    Driver::TearDown();
  }
  CUresult launch(CUfunction function, void** arguments, void** extra, CUstream stream = nullptr) {
    return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, extra);
  }

  CUmodule module_ = nullptr;
  CUfunction add_ = nullptr, nothing_ = nullptr;
  CUdeviceptr out_ = 0;
};

TEST_F(DriverLaunch, TakesItsArgumentsFromABuffer) {
  struct Buffer {
    unsigned char a;
    uint64_t b;
    float c;
    CUdeviceptr out;
  } buffer{200, 1000, 0.5f, out_};
  size_t bytes = sizeof buffer;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer,
                   CU_LAUNCH_PARAM_END};
  ASSERT_DONE(launch(add_, nullptr, extra));
  EXPECT_EQ(float_at(out_), 1200.5f);
  CUdeviceptr sum = 0;
  ASSERT_DONE(cuModuleGetGlobal(&sum, &bytes, module_, "sum"));
  EXPECT_EQ(bytes, 4u);
  EXPECT_EQ(float_at(sum), 1200.5f);
}

TEST_F(DriverLaunch, WithWrongArgumentsIsRefused) {
  std::array<std::byte, 64> buffer{};
  size_t bytes = 31;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer.data(), CU_LAUNCH_PARAM_BUFFER_SIZE,
                   &bytes, CU_LAUNCH_PARAM_END};
  void* no_size[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer.data(), CU_LAUNCH_PARAM_END};
  void* unknown[] = {reinterpret_cast<void*>(7), buffer.data(), CU_LAUNCH_PARAM_END};
  void* arguments[] = {buffer.data()};
  EXPECT_RESULT(launch(add_, nullptr, extra), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(launch(add_, nullptr, no_size), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(launch(add_, nullptr, unknown), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(launch(add_, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(launch(add_, arguments, extra), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(launch(nothing_, nullptr, nullptr), CUDA_SUCCESS);
}

TEST_F(DriverLaunch, OfWrongHandlesIsRefused) {
  auto* const wrong = reinterpret_cast<CUfunction>(0x1234);
  int value = 0;
  EXPECT_RESULT(launch(wrong, nullptr, nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_RESULT(launch(nullptr, nullptr, nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_RESULT(launch(nothing_, nullptr, nullptr, reinterpret_cast<CUstream>(0x77)),
                CUDA_ERROR_INVALID_HANDLE);
  EXPECT_RESULT(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, wrong),
                CUDA_ERROR_INVALID_HANDLE);
  EXPECT_RESULT(cuFuncSetAttribute(wrong, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 0),
                CUDA_ERROR_INVALID_HANDLE);
  EXPECT_RESULT(cuFuncSetCacheConfig(wrong, CU_FUNC_CACHE_PREFER_L1), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_RESULT(cuLaunchKernel(nothing_, 1, 1, 1, 2000, 1, 1, 0, nullptr, nullptr, nullptr),
                CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cuLaunchKernelEx(nullptr, nothing_, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverLaunch, TakesAttributes) {
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim = {2, 1, 1};
  CUlaunchConfig config{};
  config.gridDimX = 4;
  config.gridDimY = config.gridDimZ = config.blockDimX = config.blockDimY = config.blockDimZ = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  EXPECT_RESULT(cuLaunchKernelEx(&config, nothing_, nullptr, nullptr), CUDA_SUCCESS);
  config.gridDimX = 3;
  EXPECT_RESULT(cuLaunchKernelEx(&config, nothing_, nullptr, nullptr),
                CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_RESULT(cuLaunchCooperativeKernel(nothing_, 2, 1, 1, 32, 1, 1, 0, nullptr, nullptr),
                CUDA_SUCCESS);
  EXPECT_RESULT(cuLaunchCooperativeKernel(nothing_, 100000, 1, 1, 32, 1, 1, 0, nullptr, nullptr),
                CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
}

TEST_F(DriverLaunch, AnswersForFunctions) {
  int value = -1;
  ASSERT_DONE(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, add_));
  EXPECT_EQ(value, 1024);
  ASSERT_DONE(cuFuncSetAttribute(add_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100'000));
  ASSERT_DONE(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, add_));
  EXPECT_EQ(value, 100'000);
  EXPECT_RESULT(cuFuncSetAttribute(add_, CU_FUNC_ATTRIBUTE_NUM_REGS, 8), CUDA_ERROR_INVALID_VALUE);
  int grid = 0;
  int block = 0;
  ASSERT_DONE(cuOccupancyMaxPotentialBlockSize(&grid, &block, add_, nullptr, 0, 0));
  EXPECT_EQ(block, 1024);
  // 100 bytes a thread: 1000 threads have all that a block may have.
  const auto shared_of = [](int threads) { return static_cast<size_t>(threads) * 100; };
  ASSERT_DONE(cuOccupancyMaxPotentialBlockSize(&grid, &block, add_, shared_of, 0, 0));
  EXPECT_LE(block, 1000);
  ASSERT_DONE(cuOccupancyMaxPotentialBlockSize(&grid, &block, add_, nullptr, 0, 64));
  EXPECT_EQ(block, 64);
  int blocks = 0;
  ASSERT_DONE(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add_, 1024, 0));
  EXPECT_EQ(blocks, 2);
}

TEST_F(DriverLaunch, ThatFailsIsToldByItsContext) {
  unsigned char a = 1;
  uint64_t b = 2;
  float c = 3;
  CUdeviceptr nowhere = 0;
  void* arguments[] = {&a, &b, &c, &nowhere};
  ::testing::internal::CaptureStderr();
  ASSERT_DONE(launch(add_, arguments, nullptr));
  EXPECT_RESULT(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_RESULT(cuMemFree(out_), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("add writes"), std::string::npos);
  // Another context has a working device.
  ASSERT_DONE(cuCtxDestroy(context_));
  ASSERT_DONE(cuCtxCreate(&context_, 0, 0));
  ASSERT_DONE(cuMemAlloc(&out_, sizeof(float)));
}

// Memory.

TEST_F(Driver, FillsWithElements) {
  CUdeviceptr memory = 0;
  ASSERT_DONE(cuMemAlloc(&memory, 32));
  std::array<unsigned char, 32> bytes{};
  ASSERT_DONE(cuMemsetD8(memory, 0x11, 32));
  ASSERT_DONE(cuMemsetD16(memory + 2, 0x2233, 2));
  ASSERT_DONE(cuMemsetD32Async(memory + 8, 0x44556677, 1, nullptr));
  ASSERT_DONE(cuMemsetD2D8(memory + 16, 8, 0x99, 2, 2));
  ASSERT_DONE(cuMemcpyDtoH(bytes.data(), memory, 32));
  const std::array<unsigned char, 32> want = {0x11, 0x11, 0x33, 0x22, 0x33, 0x22, 0x11, 0x11,
                                              0x77, 0x66, 0x55, 0x44, 0x11, 0x11, 0x11, 0x11,
                                              0x99, 0x99, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11,
                                              0x99, 0x99, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11};
  EXPECT_EQ(bytes, want);
  EXPECT_RESULT(cuMemsetD16(memory + 1, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cuMemsetD32(memory + 2, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cuMemsetD2D32(memory, 6, 0, 1, 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cuMemsetD32(memory, 0, 9), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cuMemsetD32(memory, 0, SIZE_MAX / 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cuMemsetD8Async(memory, 0, 1, reinterpret_cast<CUstream>(0x77)),
                CUDA_ERROR_INVALID_HANDLE);
  ASSERT_DONE(cuMemFree(memory));
}

TEST_F(Driver, CopiesRowsAndVolumes) {
  std::array<unsigned char, 24> host{};
  std::iota(host.begin(), host.end(), static_cast<unsigned char>(1));
  CUdeviceptr memory = 0;
  ASSERT_DONE(cuMemAlloc(&memory, 24));
  CUDA_MEMCPY3D copy{};  // 3 x 2 x 2 bytes from the middle of 4 x 3 x 2
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = host.data();
  copy.srcPitch = 4;
  copy.srcHeight = 3;
  copy.srcXInBytes = copy.srcY = 1;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = memory;
  copy.WidthInBytes = 3;
  copy.Height = copy.Depth = 2;
  ASSERT_DONE(cuMemcpy3D(&copy));
  std::array<unsigned char, 12> back{};
  ASSERT_DONE(cuMemcpyDtoH(back.data(), memory, 12));
  EXPECT_EQ(back, (std::array<unsigned char, 12>{6, 7, 8, 10, 11, 12, 18, 19, 20, 22, 23, 24}));
  copy.srcPitch = 2;
  EXPECT_RESULT(cuMemcpy3D(&copy), CUDA_ERROR_INVALID_VALUE);
  copy.srcPitch = 4;
  copy.dstMemoryType = static_cast<CUmemorytype>(9);
  EXPECT_RESULT(cuMemcpy3D(&copy), CUDA_ERROR_INVALID_VALUE);
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = reinterpret_cast<CUarray>(0x1234);
  EXPECT_RESULT(cuMemcpy3D(&copy), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cuMemcpy2D(nullptr), CUDA_ERROR_INVALID_VALUE);
  ASSERT_DONE(cuMemFree(memory));
}

TEST_F(Driver, KnowsItsPointers) {
  CUdeviceptr memory = 0;
  CUdeviceptr managed = 0;
  ASSERT_DONE(cuMemAlloc(&memory, 100));
  ASSERT_DONE(cuMemAllocManaged(&managed, 100, CU_MEM_ATTACH_GLOBAL));
  CUcontext context = nullptr;
  ASSERT_DONE(cuPointerGetAttribute(&context, CU_POINTER_ATTRIBUTE_CONTEXT, memory));
  EXPECT_EQ(context, context_);
  CUdeviceptr start = 0;
  ASSERT_DONE(cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, memory + 50));
  EXPECT_EQ(start, memory);
  void* host = nullptr;
  EXPECT_RESULT(cuPointerGetAttribute(&host, CU_POINTER_ATTRIBUTE_HOST_POINTER, memory),
                CUDA_ERROR_INVALID_VALUE);
  unsigned int type = 0;
  unsigned int is_managed = 0;
  CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                      CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                      CU_POINTER_ATTRIBUTE_HOST_POINTER};
  void* values[] = {&type, &is_managed, &host};
  ASSERT_DONE(cuPointerGetAttributes(3, attributes, values, managed));
  EXPECT_EQ(type, unsigned{CU_MEMORYTYPE_DEVICE});
  EXPECT_EQ(is_managed, 1u);
  EXPECT_EQ(host, runtime::pointer_of(managed));
  ASSERT_DONE(cuPointerGetAttributes(3, attributes, values, reinterpret_cast<CUdeviceptr>(&type)));
  EXPECT_EQ(type, 0u);
  EXPECT_EQ(host, nullptr);
  ASSERT_DONE(cuMemFree(memory));
  ASSERT_DONE(cuMemFree(managed));
  EXPECT_RESULT(cuMemGetAddressRange(nullptr, nullptr, memory), CUDA_ERROR_NOT_FOUND);
  EXPECT_RESULT(cuMemAllocPitch(&memory, nullptr, 10, 10, 4), CUDA_ERROR_INVALID_VALUE);
  size_t pitch = 0;
  EXPECT_RESULT(cuMemAllocPitch(&memory, &pitch, 10, 10, 3), CUDA_ERROR_INVALID_VALUE);
}

// Streams.

TEST_F(Driver, CallsBackInAStream) {
  struct Seen {
    CUresult status = CUDA_ERROR_UNKNOWN;
    int calls = 0;
  } seen;
  CUstream stream = nullptr;
  ASSERT_DONE(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, 0));
  const auto callback = [](CUstream, CUresult status, void* data) {
    static_cast<Seen*>(data)->status = status;
    ++static_cast<Seen*>(data)->calls;
  };
  ASSERT_DONE(cuStreamAddCallback(stream, callback, &seen, 0));
  ASSERT_DONE(
      cuLaunchHostFunc(stream, [](void* data) { ++static_cast<Seen*>(data)->calls; }, &seen));
  ASSERT_DONE(cuStreamSynchronize(stream));
  EXPECT_EQ(seen.status, CUDA_SUCCESS);
  EXPECT_EQ(seen.calls, 2);
  EXPECT_RESULT(cuStreamAddCallback(stream, nullptr, &seen, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cuStreamAddCallback(stream, callback, &seen, 1), CUDA_ERROR_INVALID_VALUE);
  ASSERT_DONE(cuStreamDestroy(stream));
  EXPECT_RESULT(cuStreamDestroy(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_RESULT(cuEventDestroy(reinterpret_cast<CUevent>(0x77)), CUDA_ERROR_INVALID_HANDLE);
}

// Arrays and texture objects.

TEST_F(Driver, ReadsTexturesOfArrays) {
  CUmodule const module = load(ptx_of(R"(
.visible .entry fetch(.param .u64 fetch_texture, .param .u64 fetch_out)
{
  .reg .b64 %rd<4>;
  .reg .f32 %f<7>;
  ld.param.u64 %rd1, [fetch_texture];
  ld.param.u64 %rd2, [fetch_out];
  cvta.to.global.u64 %rd3, %rd2;
  mov.f32 %f1, 0f3FC00000;
  mov.f32 %f2, 0f3F000000;
  tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd1, {%f1, %f2}];
  st.global.f32 [%rd3], %f3;
  ret;
}
)"));
  CUDA_ARRAY_DESCRIPTOR description{
      .Width = 2, .Height = 2, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 1};
  CUarray array = nullptr;
  ASSERT_DONE(cuArrayCreate(&array, &description));
  const std::array<unsigned char, 4> texels = {0, 51, 102, 255};
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = texels.data();
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.WidthInBytes = copy.Height = 2;
  ASSERT_DONE(cuMemcpy2D(&copy));
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  CUDA_TEXTURE_DESC texture{};
  CUtexObject object = 0;
  CUdeviceptr out = 0;
  ASSERT_DONE(cuTexObjectCreate(&object, &resource, &texture, nullptr));
  ASSERT_DONE(cuMemAlloc(&out, sizeof(float)));
  void* arguments[] = {&object, &out};
  ASSERT_DONE(cuLaunchKernel(function_of(module, "fetch"), 1, 1, 1, 1, 1, 1, 0, nullptr, arguments,
                             nullptr));
  EXPECT_EQ(float_at(out), 51 / 255.0f);  // a byte is a fraction, if no flag says otherwise

  ASSERT_DONE(cuTexObjectDestroy(object));
  EXPECT_RESULT(cuTexObjectCreate(&object, nullptr, &texture, nullptr), CUDA_ERROR_INVALID_VALUE);
  resource.res.array.hArray = nullptr;
  EXPECT_RESULT(cuTexObjectCreate(&object, &resource, &texture, nullptr),
                CUDA_ERROR_INVALID_HANDLE);
  description.NumChannels = 3;
  CUarray none = nullptr;
  EXPECT_RESULT(cuArrayCreate(&none, &description), CUDA_ERROR_INVALID_VALUE);
  ASSERT_DONE(cuArrayDestroy(array));
  EXPECT_RESULT(cuArrayDestroy(array), CUDA_ERROR_INVALID_HANDLE);
  ASSERT_DONE(cuMemFree(out));
  ASSERT_DONE(cuModuleUnload(module));
}

// Several devices.

TEST_F(Driver, KeepsModulesToTheirDevice) {
  CUmodule const module = load(ADD);
  CUfunction const nothing = function_of(module, "nothing");
  CUcontext second = nullptr;
  CUdevice device = -1;
  ASSERT_DONE(cuCtxCreate(&second, 0, 1));
  ASSERT_DONE(cuCtxGetDevice(&device));
  EXPECT_EQ(device, 1);
  int of_runtime = -1;
  ASSERT_EQ(cudaGetDevice(&of_runtime), cudaSuccess);
  EXPECT_EQ(of_runtime, 1);
  EXPECT_RESULT(cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
                CUDA_ERROR_INVALID_HANDLE);
  EXPECT_RESULT(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);

  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);  // makes a primary context the current one
  CUcontext primary = nullptr;
  CUcontext current = nullptr;
  ASSERT_DONE(cuDevicePrimaryCtxRetain(&primary, 0));
  ASSERT_DONE(cuCtxGetCurrent(&current));
  EXPECT_EQ(current, primary);
  ASSERT_DONE(cuDevicePrimaryCtxRelease(0));
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  ASSERT_DONE(cuCtxDestroy(second));
  ASSERT_DONE(cuCtxGetDevice(&device));
  EXPECT_EQ(device, 0);
  ASSERT_DONE(cuModuleUnload(module));
}

TEST_F(Driver, ReachesOtherDevices) {
  CUcontext second = nullptr;
  ASSERT_DONE(cuCtxCreate(&second, 0, 1));
  CUdeviceptr there = 0;
  ASSERT_DONE(cuMemAlloc(&there, 4));
  ASSERT_DONE(cuMemsetD32(there, 77, 1));
  ASSERT_DONE(cuCtxPopCurrent(nullptr));
  int can = 0;
  ASSERT_DONE(cuDeviceCanAccessPeer(&can, 0, 1));
  EXPECT_EQ(can, 1);
  EXPECT_RESULT(cuCtxEnablePeerAccess(second, 0), CUDA_SUCCESS);
  EXPECT_RESULT(cuCtxEnablePeerAccess(second, 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  EXPECT_RESULT(cuCtxDisablePeerAccess(second), CUDA_SUCCESS);
  CUdeviceptr here = 0;
  ASSERT_DONE(cuMemAlloc(&here, 4));
  ASSERT_DONE(cuMemcpyPeer(here, context_, there, second, 4));
  int value = 0;
  ASSERT_DONE(cuMemcpyDtoH(&value, here, 4));
  EXPECT_EQ(value, 77);
  EXPECT_RESULT(cuMemcpyPeer(here, context_, there, nullptr, 4), CUDA_ERROR_INVALID_CONTEXT);
  ASSERT_DONE(cuMemFree(here));
  ASSERT_DONE(cuMemFree(there));
  ASSERT_DONE(cuCtxDestroy(second));
}

}  // namespace
}  // namespace simulator::test
