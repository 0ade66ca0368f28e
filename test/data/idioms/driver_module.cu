// flags: -lcuda
// The driver API: a module of PTX, its functions and variables, and a launch with pointers to the arguments or with a buffer of them.
// Easily got wrong: in the buffer each argument lies at a multiple of its alignment, and a name that a module does not have is no null
// pointer but an error.
#include <cuda.h>
#include <cstddef>
#include <cstdio>
#include <vector>

// y = factor * (a * x + y); calls counts the threads that have an element.
static const char* const PTX = R"(
.version 7.0
.target sm_70
.address_size 64

.visible .global .align 4 .u32 calls = 7;
.visible .const .align 4 .f32 factor = 0f40000000;

.visible .entry axpy(
  .param .u64 axpy_x,
  .param .f32 axpy_a,
  .param .u64 axpy_y,
  .param .u32 axpy_n
)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .f32 %f<8>;
  .reg .b64 %rd<8>;

  ld.param.u64 %rd1, [axpy_x];
  ld.param.f32 %f1, [axpy_a];
  ld.param.u64 %rd2, [axpy_y];
  ld.param.u32 %r1, [axpy_n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p1, %r5, %r1;
  @%p1 bra DONE;
  cvta.to.global.u64 %rd3, %rd1;
  cvta.to.global.u64 %rd4, %rd2;
  mul.wide.s32 %rd5, %r5, 4;
  add.s64 %rd6, %rd3, %rd5;
  add.s64 %rd7, %rd4, %rd5;
  ld.global.f32 %f2, [%rd6];
  ld.global.f32 %f3, [%rd7];
  fma.rn.f32 %f4, %f1, %f2, %f3;
  ld.const.f32 %f5, [factor];
  mul.f32 %f6, %f4, %f5;
  st.global.f32 [%rd7], %f6;
  atom.global.add.u32 %r6, [calls], 1;
DONE:
  ret;
}

.visible .entry reverse(
  .param .u64 reverse_data
)
.maxntid 64, 1, 1
{
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  .shared .align 4 .b8 tile[256];

  ld.param.u64 %rd1, [reverse_data];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.u32 %r2, [%rd4];
  mov.u32 %r3, tile;
  shl.b32 %r4, %r1, 2;
  add.s32 %r5, %r3, %r4;
  st.shared.u32 [%r5], %r2;
  bar.sync 0;
  add.s32 %r6, %r3, 252;
  sub.s32 %r6, %r6, %r4;
  ld.shared.u32 %r7, [%r6];
  st.global.u32 [%rd4], %r7;
  ret;
}
)";

static int wrong = 0;

static void check(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  const char* name = nullptr;
  cuGetErrorName(result, &name);
  printf("%s: %s\n", call, name == nullptr ? "?" : name);
  ++wrong;
}
#define CHECK(call) check(call, #call)

static const char* name_of(CUresult result) {
  const char* name = nullptr;
  cuGetErrorName(result, &name);
  return name;
}

int main() {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction axpy, reverse;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuModuleLoadData(&module, PTX));
  CHECK(cuModuleGetFunction(&axpy, module, "axpy"));
  CHECK(cuModuleGetFunction(&reverse, module, "reverse"));

  int n = 300;
  const size_t bytes = n * sizeof(float);
  std::vector<float> x(n), y(n, 1);
  for (int i = 0; i < n; ++i) x[i] = i;
  CUdeviceptr d_x, d_y;
  CHECK(cuMemAlloc(&d_x, bytes));
  CHECK(cuMemAlloc(&d_y, bytes));
  CHECK(cuMemcpyHtoD(d_x, x.data(), bytes));
  CHECK(cuMemcpyHtoD(d_y, y.data(), bytes));

  float a = 3;
  void* arguments[] = {&d_x, &a, &d_y, &n};
  CHECK(cuLaunchKernel(axpy, 3, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr));

  // Now with a buffer, in a stream, between two events.
  struct { CUdeviceptr x; float a; CUdeviceptr y; int n; } buffer = {d_x, -1, d_y, 100};
  size_t size = offsetof(decltype(buffer), n) + sizeof buffer.n;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  CUstream stream;
  CUevent start, stop;
  CHECK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
  CHECK(cuEventCreate(&start, CU_EVENT_DEFAULT));
  CHECK(cuEventCreate(&stop, CU_EVENT_DEFAULT));
  CHECK(cuEventRecord(start, stream));
  CHECK(cuLaunchKernel(axpy, 1, 1, 1, 128, 1, 1, 0, stream, nullptr, extra));
  CHECK(cuEventRecord(stop, stream));
  CHECK(cuEventSynchronize(stop));
  float milliseconds = -1;
  CHECK(cuEventElapsedTime(&milliseconds, start, stop));
  CHECK(cuMemcpyDtoH(y.data(), d_y, bytes));
  for (int i = 0; i < n; ++i) {
    const float first = 2 * (3 * i + 1.0f);
    wrong += y[i] != (i < 100 ? 2 * (first - i) : first);
  }
  printf("y: %g %g %g, time %s\n", y[0], y[99], y[299], milliseconds >= 0 ? "known" : "unknown");

  // Variables.
  CUdeviceptr calls, factor;
  size_t calls_bytes = 0, factor_bytes = 0;
  unsigned int count = 0;
  CHECK(cuModuleGetGlobal(&calls, &calls_bytes, module, "calls"));
  CHECK(cuModuleGetGlobal(&factor, &factor_bytes, module, "factor"));
  CHECK(cuMemcpyDtoH(&count, calls, sizeof count));
  printf("calls: %zu bytes, %u; factor: %zu bytes\n", calls_bytes, count, factor_bytes);
  const float half = 0.5f;
  CHECK(cuMemcpyHtoD(factor, &half, sizeof half));
  CHECK(cuMemsetD32(d_y, 0x40800000, n));  // 4.0
  CHECK(cuLaunchKernel(axpy, 3, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK(cuMemcpyDtoH(y.data(), d_y, bytes));
  for (int i = 0; i < n; ++i) wrong += y[i] != 0.5f * (3 * i + 4);
  printf("y: %g %g\n", y[0], y[299]);

  // Functions.
  int threads = 0, shared = 0;
  CHECK(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, reverse));
  CHECK(cuFuncGetAttribute(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, reverse));
  printf("reverse: %d threads, %d bytes\n", threads, shared);
  std::vector<int> numbers(64);
  for (int i = 0; i < 64; ++i) numbers[i] = i * i;
  CHECK(cuMemcpyHtoD(d_x, numbers.data(), 64 * sizeof(int)));
  void* only[] = {&d_x};
  CHECK(cuLaunchKernel(reverse, 1, 1, 1, 64, 1, 1, 0, nullptr, only, nullptr));
  CHECK(cuMemcpyDtoH(numbers.data(), d_x, 64 * sizeof(int)));
  for (int i = 0; i < 64; ++i) wrong += numbers[i] != (63 - i) * (63 - i);
  printf("reversed: %d %d\n", numbers[0], numbers[63]);

  // What cannot be.
  CUfunction none;
  CUdeviceptr nothing;
  size_t no_bytes;
  CUmodule second;
  printf("%s\n", name_of(cuModuleGetFunction(&none, module, "axpby")));
  printf("%s\n", name_of(cuModuleGetGlobal(&nothing, &no_bytes, module, "sum")));
  printf("%s\n", name_of(cuModuleLoad(&second, "/no/such/folder/kernel.ptx")));
  printf("%s\n", name_of(cuMemAlloc(&nothing, 0)));
  printf("%s\n", name_of(cuDeviceGet(&device, -1)));

  CHECK(cuModuleUnload(module));
  CHECK(cuEventDestroy(start));
  CHECK(cuEventDestroy(stop));
  CHECK(cuStreamDestroy(stream));
  CHECK(cuMemFree(d_x));
  CHECK(cuMemFree(d_y));
  CHECK(cuDevicePrimaryCtxRelease(device));
  printf("%s\n", wrong ? "FAILED" : "PASSED");
}
