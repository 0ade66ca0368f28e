#include "simulator/runtime/driver/contexts.hpp"

#include <cuda_runtime_api.h>

#include <array>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "simulator/memory/memory.hpp"
#include "simulator/runtime/api/simulated_device.hpp"
#include "simulator/runtime/driver/calls.hpp"

namespace simulator::runtime {
namespace {

struct Primary {
  CUctx_st context;
  unsigned int retained = 0;
};

struct Contexts {
  Contexts() {
    for (size_t i = 0; i < devices().size(); ++i) {
      primaries[i].context.device = devices()[i];
      all.insert(&primaries[i].context);
    }
  }

  std::mutex mutex;
  std::array<Primary, DeviceMemory::MOST_DEVICES> primaries;
  std::set<CUcontext> all;  // destroyed ones too
};

Contexts& contexts() {
  static Contexts* const instance = new Contexts;  // static destructors may still make calls
  return *instance;
}

Primary& primary_of(const SimulatedDevice& device) {
  return contexts().primaries.at(device.number);
}

// The contexts that a thread has pushed, each with what the runtime had before.
struct Pushed {
  CUcontext context;
  SimulatedDevice* device;
  bool had_primary;
};
thread_local std::vector<Pushed> stack;

void push(CUcontext context) {
  stack.push_back({context, &current_device(), has_primary_context()});
  set_current_device(*context->device);
}

void pop() {
  if (stack.empty()) {
    set_primary_context(false);
    return;
  }
  set_current_device(*stack.back().device);
  set_primary_context(stack.back().had_primary);
  stack.pop_back();
}

cudaError_t check_device(CUdevice device) {
  return is_device(device) ? cudaSuccess : cudaErrorInvalidDevice;
}

SimulatedDevice& device_of(CUdevice number) { return *devices()[static_cast<size_t>(number)]; }

constexpr unsigned int KNOWN_FLAGS = CU_CTX_FLAGS_MASK;

cudaError_t create(CUcontext* context, unsigned int flags, CUdevice device) {
  if (context == nullptr || (flags & ~KNOWN_FLAGS) != 0) return cudaErrorInvalidValue;
  if (const cudaError_t error = check_device(device); error != cudaSuccess) return error;
  auto* const made = new CUctx_st;
  made->device = &device_of(device);
  made->flags = flags;
  {
    const std::lock_guard lock(contexts().mutex);
    contexts().all.insert(made);
  }
  push(made);
  *context = made;
  return cudaSuccess;
}

// Runs `work` while another device is the calling thread's.
template <typename Work>
cudaError_t on_device(SimulatedDevice& device, Work work) {
  SimulatedDevice& before = current_device();
  set_current_device(device);
  const cudaError_t error = work();
  set_current_device(before);
  return error;
}

// Waits for the device's work. A failed kernel's device becomes usable again: the failure was the context's.
cudaError_t leave_device(SimulatedDevice& device) {
  return on_device(device, [&] {
    cudaDeviceSynchronize();
    return device_failed(device) ? cudaDeviceReset() : cudaSuccess;
  });
}

}  // namespace

CUcontext primary_context(const SimulatedDevice& device) { return &primary_of(device).context; }

// cudaSetDevice makes a primary context current, in the place of a pushed one.
CUcontext current_context() {
  if (!stack.empty() && stack.back().context->device == &current_device())
    return stack.back().context;
  return !stack.empty() || has_primary_context() ? primary_context(current_device()) : nullptr;
}

bool is_context(CUcontext context) {
  const std::lock_guard lock(contexts().mutex);
  return contexts().all.contains(context) && context->is_alive;
}

cudaError_t check_context() {
  const CUctx_st* const context = current_context();
  if (context == nullptr) return cudaErrorDeviceUninitialized;
  return context->is_alive ? cudaSuccess : cudaErrorContextIsDestroyed;
}

}  // namespace simulator::runtime

using namespace simulator;
using namespace simulator::runtime;

extern "C" {

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  return driver_call([&] {
    if (context == nullptr) return cudaErrorInvalidValue;
    if (const cudaError_t error = check_device(device); error != cudaSuccess) return error;
    const std::lock_guard lock(contexts().mutex);
    ++primary_of(device_of(device)).retained;
    *context = primary_context(device_of(device));
    return cudaSuccess;
  });
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  return driver_call([&] {
    if (const cudaError_t error = check_device(device); error != cudaSuccess) return error;
    const std::lock_guard lock(contexts().mutex);
    unsigned int& retained = primary_of(device_of(device)).retained;
    if (retained == 0) return cudaErrorDeviceUninitialized;
    --retained;
    return cudaSuccess;
  });
}

CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  return driver_call([&] {
    const cudaError_t error = check_device(device);
    return error != cudaSuccess ? error : on_device(device_of(device), cudaDeviceReset);
  });
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int* flags, int* active) {
  return driver_call([&] {
    if (flags == nullptr || active == nullptr) return cudaErrorInvalidValue;
    if (const cudaError_t error = check_device(device); error != cudaSuccess) return error;
    const std::lock_guard lock(contexts().mutex);
    const Primary& primary = primary_of(device_of(device));
    const bool is_of_runtime = has_primary_context() && &current_device() == primary.context.device;
    *flags = primary.context.flags;
    *active = primary.retained > 0 || is_of_runtime ? 1 : 0;
    return cudaSuccess;
  });
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags) {
  return driver_call([&] {
    if ((flags & ~KNOWN_FLAGS) != 0) return cudaErrorInvalidValue;
    if (const cudaError_t error = check_device(device); error != cudaSuccess) return error;
    primary_context(device_of(device))->flags = flags;
    return cudaSuccess;
  });
}

CUresult cuCtxCreate(CUcontext* context, unsigned int flags, CUdevice device) {
  return driver_call([&] { return create(context, flags, device); });
}

CUresult cuCtxCreate_v3(CUcontext* context, CUexecAffinityParam* affinities, int count,
                        unsigned int flags, CUdevice device) {
  return driver_call([&] {
    const bool is_plain = affinities == nullptr && count == 0;
    return is_plain ? create(context, flags, device) : cudaErrorUnsupportedExecAffinity;
  });
}

CUresult cuCtxCreate_v4(CUcontext* context, CUctxCreateParams* parameters, unsigned int flags,
                        CUdevice device) {
  return driver_call([&] {
    if (parameters != nullptr && parameters->numExecAffinityParams != 0)
      return cudaErrorUnsupportedExecAffinity;
    if (parameters != nullptr && parameters->cigParams != nullptr) return cudaErrorNotSupported;
    return create(context, flags, device);
  });
}

CUresult cuCtxDestroy(CUcontext context) {
  return driver_call([&] {
    if (!is_context(context)) return cudaErrorDeviceUninitialized;
    if (context == primary_context(*context->device)) return cudaErrorDeviceUninitialized;
    const cudaError_t error = leave_device(*context->device);
    if (current_context() == context) pop();
    context->is_alive = false;
    return error;
  });
}

CUresult cuCtxSetCurrent(CUcontext context) {
  return driver_call([&] {
    if (context != nullptr && !is_context(context)) return cudaErrorDeviceUninitialized;
    if (current_context() != nullptr) pop();
    if (context != nullptr) push(context);
    return cudaSuccess;
  });
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  return driver_call([&] {
    if (context == nullptr) return cudaErrorInvalidValue;
    *context = current_context();
    return cudaSuccess;
  });
}

CUresult cuCtxPushCurrent(CUcontext context) {
  return driver_call([&] {
    if (!is_context(context)) return cudaErrorDeviceUninitialized;
    push(context);
    return cudaSuccess;
  });
}

CUresult cuCtxPopCurrent(CUcontext* context) {
  return driver_call([&] {
    CUcontext const current = current_context();
    if (current == nullptr) return cudaErrorDeviceUninitialized;
    pop();
    if (context != nullptr) *context = current;
    return cudaSuccess;
  });
}

CUresult cuCtxSynchronize() { return in_context(cudaDeviceSynchronize); }

CUresult cuCtxGetDevice(CUdevice* device) {
  return in_context([&] { return cudaGetDevice(device); });
}

CUresult cuCtxGetFlags(unsigned int* flags) {
  return in_context([&] {
    if (flags == nullptr) return cudaErrorInvalidValue;
    *flags = current_context()->flags;
    return cudaSuccess;
  });
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned int* version) {
  return driver_call([&] {
    if (version == nullptr) return cudaErrorInvalidValue;
    const bool is_known = context == nullptr ? current_context() != nullptr : is_context(context);
    if (!is_known) return cudaErrorDeviceUninitialized;
    constexpr unsigned int VERSION = 3020;  // of all contexts since CUDA 3.2
    *version = VERSION;
    return cudaSuccess;
  });
}

CUresult cuCtxGetLimit(size_t* value, CUlimit limit) {
  return in_context([&] { return cudaDeviceGetLimit(value, static_cast<cudaLimit>(limit)); });
}
CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return in_context([&] { return cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value); });
}

CUresult cuCtxGetCacheConfig(CUfunc_cache* config) {
  return in_context([&] {
    cudaFuncCache known = cudaFuncCachePreferNone;
    const cudaError_t error =
        config == nullptr ? cudaErrorInvalidValue : cudaDeviceGetCacheConfig(&known);
    if (error == cudaSuccess) *config = static_cast<CUfunc_cache>(known);
    return error;
  });
}
CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  return in_context([&] { return cudaDeviceSetCacheConfig(static_cast<cudaFuncCache>(config)); });
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig* config) {
  return in_context([&] {
    if (config == nullptr) return cudaErrorInvalidValue;
    *config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
    return cudaSuccess;
  });
}
CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
  return in_context(
      [&] { return cudaDeviceSetSharedMemConfig(static_cast<cudaSharedMemConfig>(config)); });
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return in_context([&] { return cudaDeviceGetStreamPriorityRange(least, greatest); });
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags) {
  return in_context([&] {
    if (!is_context(peer)) return cudaErrorDeviceUninitialized;
    return cudaDeviceEnablePeerAccess(static_cast<int>(peer->device->number), flags);
  });
}
CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  return in_context([&] {
    if (!is_context(peer)) return cudaErrorDeviceUninitialized;
    return cudaDeviceDisablePeerAccess(static_cast<int>(peer->device->number));
  });
}

}  // extern "C"
