// Launches of kernels, and queries about kernels.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simulator/execute/launch/module.hpp"
#include "simulator/execute/launch/occupancy.hpp"
#include "simulator/memory/host_limits.hpp"
#include "simulator/runtime/api/calls.hpp"
#include "simulator/runtime/api/refusal.hpp"
#include "simulator/runtime/api/registry.hpp"
#include "simulator/runtime/api/simulated_device.hpp"
#include "simulator/runtime/api/streams.hpp"

namespace simulator::runtime {
namespace {

// The values between <<< and >>>, on their way from the launch to the kernel's stub. A stack, because the
// kernel's arguments are evaluated in between and may launch another kernel.
struct CallConfiguration {
  dim3 grid;
  dim3 block;
  size_t dynamic_shared = 0;
  cudaStream_t stream = nullptr;
};
thread_local std::vector<CallConfiguration> configurations;

// True if this launch was written with `<<<>>>`, so its return code is discarded.
thread_local bool is_written_with_brackets = false;

KernelSettings& settings() { return current_device().kernels; }

FunctionSettings settings_of(const Kernel& kernel) {
  const std::lock_guard lock(settings().mutex);
  return settings().of_kernel[&kernel];
}

// Returns the most dynamic shared memory for a launch of the kernel: the size opted in to, or the rest of the 48
// KiB that every kernel may have.
size_t dynamic_shared_limit(const Kernel& kernel) {
  const std::optional<int> opted_in = settings_of(kernel).max_dynamic_shared;
  if (opted_in) return static_cast<size_t>(*opted_in);
  const size_t without_opt_in = device_limits().static_shared_per_block;
  return without_opt_in - std::min(without_opt_in, kernel.static_shared_bytes());
}

Dim3 to_dim3(dim3 d) { return {d.x, d.y, d.z}; }

bool within(const Dim3& shape, const Dim3& limit) {
  return shape.x >= 1 && shape.y >= 1 && shape.z >= 1 && shape.x <= limit.x && shape.y <= limit.y &&
         shape.z <= limit.z;
}

// True if the attribute makes no difference to a kernel: launches here run one after the other, and a cluster of
// one block is none.
bool changes_nothing(const cudaLaunchAttribute& attribute) {
  const cudaLaunchAttributeValue& value = attribute.val;
  switch (attribute.id) {
    case cudaLaunchAttributeIgnore:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributeProgrammaticStreamSerialization:
      return true;
    case cudaLaunchAttributeClusterDimension:
      return value.clusterDim.x == 1 && value.clusterDim.y == 1 && value.clusterDim.z == 1;
    case cudaLaunchAttributeCooperative:
      return value.cooperative == 0;
  }
  return false;
}

Refusal of_launch(const Kernel& kernel, const std::string& what, const std::string& advice) {
  return {"the launch of " + kernel.demangled() + " " + what, advice, kernel.demangled()};
}

Refusal outside_limits(const Kernel& kernel, const LaunchShape& shape) {
  const DeviceLimits& limits = device_limits();
  if (shape.grid.count() == 0 || !within(shape.grid, limits.grid)) {
    return of_launch(kernel,
                     "has a grid of " + triple(shape.grid) + " blocks; from (1, 1, 1) to " +
                         triple(limits.grid) + " are possible",
                     shape.grid.count() == 0
                         ? "(n + threads - 1) / threads blocks, and no launch where n is 0"
                         : "the many blocks in x, the first number; or a loop in the kernel");
  }
  const std::string asked = triple(shape.block);
  if (shape.block.count() == 0) {
    return of_launch(kernel,
                     "has a block of " + asked + " threads; at least 1 is needed in each direction",
                     "<<<blocks, threads>>>: is the number of threads 0?");
  }
  const std::string most = std::to_string(limits.threads_per_block);
  if (shape.block.count() > static_cast<uint64_t>(limits.threads_per_block)) {
    return of_launch(
        kernel,
        "has " + std::to_string(shape.block.count()) + " threads in a block, " + asked + "; " +
            most + " are the most",
        "smaller blocks and more of them: <<<(n + 255) / 256, 256>>>; in two dimensions "
        "at most 32 x 32 threads");
  }
  return of_launch(
      kernel,
      "has a block of " + asked + " threads; at most " + triple(limits.block) + " are possible",
      "the many threads in x, the first number");
}

Refusal too_much_shared(const Kernel& kernel, size_t asked) {
  const size_t fixed = kernel.static_shared_bytes();
  const size_t most = device_limits().shared_per_block_optin - fixed;
  const std::string bytes = std::to_string(asked);
  return of_launch(
      kernel,
      "asks for " + bytes + " bytes of dynamic shared memory; it may have " +
          std::to_string(dynamic_shared_limit(kernel)) +
          (fixed == 0 ? "" : " beside its own " + std::to_string(fixed)),
      asked > most
          ? "at most " + std::to_string(most) + " bytes; the third value in <<< >>> is in bytes"
          : "cudaFuncSetAttribute(" + kernel.demangled() +
                ", cudaFuncAttributeMaxDynamicSharedMemorySize, " + bytes + ") before the launch");
}

// Returns the error that a device returns at the launch for a shape that it cannot run.
cudaError_t check(const Kernel& kernel, const LaunchShape& shape) {
  const DeviceLimits& limits = device_limits();
  const auto thread_limit = static_cast<uint64_t>(limits.threads_per_block);
  if (!within(shape.grid, limits.grid) || !within(shape.block, limits.block) ||
      shape.block.count() > thread_limit) {
    return refuse(cudaErrorInvalidConfiguration, [&] { return outside_limits(kernel, shape); });
  }
  const int threads = static_cast<int>(shape.block.count());
  if (threads > kernel.max_threads_per_block()) {
    return refuse(cudaErrorInvalidValue, [&] {
      const std::string most = std::to_string(kernel.max_threads_per_block());
      return of_launch(kernel,
                       "has " + std::to_string(threads) +
                           " threads in a block; its __launch_bounds__ allow " + most,
                       "blocks of at most " + most + " threads, or __launch_bounds__(" +
                           std::to_string(threads) + ") at the kernel");
    });
  }
  if (shape.dynamic_shared > dynamic_shared_limit(kernel)) {
    return refuse(cudaErrorInvalidValue,
                  [&] { return too_much_shared(kernel, shape.dynamic_shared); });
  }
  const int registers = kernel.registers_per_thread();
  if (resident_blocks(limits,
                      {.threads = threads, .registers_per_thread = registers, .shared_bytes = 0}) ==
      0) {
    return refuse(cudaErrorLaunchOutOfResources, [&] {
      return of_launch(kernel,
                       "has " + std::to_string(threads) + " threads in a block of " +
                           std::to_string(registers) + " registers each; a multiprocessor has " +
                           std::to_string(limits.registers_per_multiprocessor),
                       "fewer threads in a block, or __launch_bounds__(" + std::to_string(threads) +
                           ") at the kernel");
    });
  }
  return cudaSuccess;
}

cudaError_t launch(const void* function, const LaunchShape& shape, void** arguments,
                   cudaStream_t stream) {
  const Kernel* kernel = nullptr;
  const cudaError_t unknown = find_kernel(function, &kernel);
  if (unknown == cudaErrorInvalidDeviceFunction) {
    return refuse(unknown, [] {
      return Refusal{"a launch names a function that is no kernel of this program",
                     "the name of a __global__ function, in a program that simcc compiled", ""};
    });
  }
  if (unknown != cudaSuccess) return unknown;
  const cudaError_t refused = check(*kernel, shape);
  if (refused != cudaSuccess) return refused;
  // The launch is queued behind a failed kernel: a device accepts it and never runs it.
  if (device_failed()) return cudaSuccess;
  std::optional<Fault> fault;
  {
    const DeviceAtWork at_work;
    fault = kernel->run(shape, arguments);
  }
  if (!fault) {
    publish(&Watcher::launched, kernel->demangled(), stream);
    return cudaSuccess;
  }
  const bool known_at_once = fault->kind == FaultKind::host_memory;
  kernel_failed(std::move(*fault));
  return known_at_once ? surface_fault() : cudaSuccess;
}

cudaError_t fail_to_load(const void* function) {
  kernel_failed(
      {.kind = FaultKind::host_memory, .kernel = kernel_name(function), .host = host_memory()});
  return surface_fault();
}

}  // namespace
}  // namespace simulator::runtime

using namespace simulator;
using namespace simulator::runtime;

extern "C" {

// NOLINTBEGIN(bugprone-reserved-identifier): the names are clang's

unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t dynamic_shared,
                                         cudaStream_t stream) {
  const cudaError_t error = guarded([&] {
    configurations.push_back({grid, block, dynamic_shared, stream});
    return cudaSuccess;
  });
  return error == cudaSuccess ? 0 : 1;  // 1: clang's code skips the launch
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* dynamic_shared,
                                       cudaStream_t* stream) {
  if (configurations.empty()) return remember(cudaErrorMissingConfiguration);
  const CallConfiguration& top = configurations.back();
  *grid = top.grid;
  *block = top.block;
  *dynamic_shared = top.dynamic_shared;
  *stream = top.stream;
  configurations.pop_back();
  is_written_with_brackets = true;
  return cudaSuccess;
}

// NOLINTEND(bugprone-reserved-identifier)

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             size_t dynamic_shared, cudaStream_t stream) {
  const bool is_unseen = std::exchange(is_written_with_brackets, false);
  const cudaError_t error = asynchronous([&] {
    if (!stream_exists(stream)) return refuse_stream();
    try {
      return launch(function, {to_dim3(grid), to_dim3(block), dynamic_shared}, arguments, stream);
    } catch (const std::bad_alloc&) {
      return fail_to_load(function);
    }
  });
  if (is_unseen && error != cudaSuccess && !device_failed())
    publish(&Watcher::failed, kernel_name(function), error, true);
  return error;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                void** arguments) {
  const cudaError_t refused = asynchronous([&] {
    if (config == nullptr || (config->numAttrs != 0 && config->attrs == nullptr))
      return cudaErrorInvalidValue;
    const cudaLaunchAttribute* const first = config->attrs;
    return std::all_of(first, first + config->numAttrs, changes_nothing) ? cudaSuccess
                                                                         : cudaErrorNotSupported;
  });
  if (refused != cudaSuccess) return refused;
  return cudaLaunchKernel(function, config->gridDim, config->blockDim, arguments,
                          config->dynamicSmemBytes, config->stream);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return asynchronous([&] {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    const Kernel* kernel = nullptr;
    const cudaError_t unknown = find_kernel(function, &kernel);
    if (unknown != cudaSuccess) return unknown;
    const DeviceLimits& limits = device_limits();
    *attributes = {};
    attributes->sharedSizeBytes = kernel->static_shared_bytes();
    attributes->localSizeBytes = kernel->local_bytes_per_thread();
    attributes->maxThreadsPerBlock = kernel->max_threads_per_block();
    attributes->numRegs = kernel->registers_per_thread();
    attributes->ptxVersion = limits.compute_major * 10 + limits.compute_minor;
    attributes->binaryVersion = attributes->ptxVersion;
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(dynamic_shared_limit(*kernel));
    attributes->preferredShmemCarveout = settings_of(*kernel).carveout;
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return asynchronous([&] {
    const Kernel* kernel = nullptr;
    const cudaError_t unknown = find_kernel(function, &kernel);
    if (unknown != cudaSuccess) return unknown;
    const std::lock_guard lock(settings().mutex);
    FunctionSettings& of_kernel = settings().of_kernel[kernel];
    switch (attribute) {
      case cudaFuncAttributeMaxDynamicSharedMemorySize: {
        const size_t most = device_limits().shared_per_block_optin;
        if (value < 0 || static_cast<size_t>(value) + kernel->static_shared_bytes() > most) {
          return cudaErrorInvalidValue;
        }
        of_kernel.max_dynamic_shared = value;
        return cudaSuccess;
      }
      case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < cudaSharedmemCarveoutDefault || value > cudaSharedmemCarveoutMaxShared) {
          return cudaErrorInvalidValue;
        }
        of_kernel.carveout = value;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
  });
}

cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache /*config*/) {
  return asynchronous([&] {
    const Kernel* kernel = nullptr;
    return find_kernel(function, &kernel);
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void* function, int block_size, size_t dynamic_shared, unsigned int flags) {
  return asynchronous([&] {
    if (blocks == nullptr || block_size <= 0) return cudaErrorInvalidValue;
    if (flags > cudaOccupancyDisableCachingOverride) return cudaErrorInvalidValue;
    const Kernel* kernel = nullptr;
    const cudaError_t unknown = find_kernel(function, &kernel);
    if (unknown != cudaSuccess) return unknown;
    *blocks =
        dynamic_shared > dynamic_shared_limit(*kernel)
            ? 0
            : resident_blocks(device_limits(),
                              {.threads = block_size,
                               .registers_per_thread = kernel->registers_per_thread(),
                               .shared_bytes = kernel->static_shared_bytes() + dynamic_shared});
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                          int block_size, size_t dynamic_shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      blocks, function, block_size, dynamic_shared, cudaOccupancyDefault);
}

}  // extern "C"
