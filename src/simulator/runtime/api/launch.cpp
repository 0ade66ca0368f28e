// Launches of kernels, and queries about kernels.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <memory>
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

// True if the device has what the attribute asks for. Most attributes make no difference: launches here run one after the
// other, and blocks have no multiprocessor.
bool is_supported(const cudaLaunchAttribute& attribute) {
  switch (attribute.id) {
    case cudaLaunchAttributeIgnore:
    case cudaLaunchAttributeCooperative:
    case cudaLaunchAttributeAccessPolicyWindow:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributeProgrammaticStreamSerialization:
    case cudaLaunchAttributeClusterDimension:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
      return true;
  }
  return false;
}

bool is_policy(int value) {
  return value >= cudaClusterSchedulingPolicyDefault &&
         value <= cudaClusterSchedulingPolicyLoadBalancing;
}
bool has_unknown_policy(const cudaLaunchAttribute& attribute) {
  return attribute.id == cudaLaunchAttributeClusterSchedulingPolicyPreference &&
         !is_policy(attribute.val.clusterSchedulingPolicyPreference);
}

// True if a size of clusters is given. A size with one or two zeros is a mistake.
bool is_given(const Dim3& cluster) { return cluster != Dim3{0, 0, 0}; }

// Returns the size of the clusters that a launch asks for; zeros if it asks for none.
Dim3 asked_cluster(const cudaLaunchConfig_t& config) {
  Dim3 cluster{0, 0, 0};
  for (unsigned int i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config.attrs[i];
    if (attribute.id != cudaLaunchAttributeClusterDimension) continue;
    const auto& [x, y, z] = attribute.val.clusterDim;
    cluster = {x, y, z};
  }
  return cluster;
}

bool is_cooperative(const cudaLaunchConfig_t& config) {
  return std::any_of(config.attrs, config.attrs + config.numAttrs, [](const auto& attribute) {
    return attribute.id == cudaLaunchAttributeCooperative && attribute.val.cooperative != 0;
  });
}

// Returns the size that the kernel's clusters must have, or zeros.
Dim3 required_cluster(const Kernel& kernel) {
  return is_given(kernel.cluster()) ? kernel.cluster() : settings_of(kernel).cluster;
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

// Returns the error for clusters that the device cannot run.
cudaError_t check_cluster(const Kernel& kernel, const LaunchShape& shape) {
  const Dim3& cluster = shape.cluster;
  const Dim3 required = required_cluster(kernel);
  const DeviceLimits& limits = device_limits();
  const auto refuse_size = [&](const std::string& what, const std::string& advice) {
    return refuse(cudaErrorInvalidClusterSize, [&] { return of_launch(kernel, what, advice); });
  };
  if (cluster.count() == 0) {
    return refuse_size("has clusters of " + triple(cluster) + " blocks",
                       "at least 1 block in each direction");
  }
  if (is_given(required) && cluster != required) {
    return refuse_size("asks for clusters of " + triple(cluster) + " blocks; the kernel requires " +
                           triple(required),
                       "the size in __cluster_dims__ for the launch too, or no attribute");
  }
  if (const uint64_t bound = kernel.most_in_cluster(); bound != 0 && cluster.count() > bound) {
    return refuse_size("has " + std::to_string(cluster.count()) + " blocks in a cluster, " +
                           triple(cluster) + "; its __launch_bounds__ allow " +
                           std::to_string(bound),
                       "a larger third number in __launch_bounds__, or smaller clusters");
  }
  const bool has_large = settings_of(kernel).large_clusters != 0;
  const uint32_t most = has_large ? limits.largest_cluster : limits.portable_cluster;
  if (cluster.count() > most) {
    const bool opt_in_helps = !has_large && cluster.count() <= limits.largest_cluster;
    return refuse_size(
        "has " + std::to_string(cluster.count()) + " blocks in a cluster, " + triple(cluster) +
            "; " + std::to_string(most) + " are the most",
        opt_in_helps ? "cudaFuncSetAttribute(" + kernel.demangled() +
                           ", cudaFuncAttributeNonPortableClusterSizeAllowed, 1) before the launch"
                     : "smaller clusters");
  }
  const Dim3& grid = shape.grid;
  if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0) {
    return refuse_size("has a grid of " + triple(grid) + " blocks, which clusters of " +
                           triple(cluster) + " do not divide",
                       "a grid that is a multiple of the cluster in each direction; blocks "
                       "without work can return after the last cluster.sync()");
  }
  return cudaSuccess;
}

// The multiprocessors come in groups, and a cluster runs within one group. The groups differ from one device to the next. These
// explain all 586 numbers that one H100 of 132 multiprocessors gave: one of its groups is split, and its halves take only small
// clusters.
struct Group {
  int multiprocessors;
  uint64_t largest_cluster;
};
constexpr std::array<Group, 9> GROUPS{
    {{18, 16}, {18, 16}, {16, 16}, {16, 16}, {16, 16}, {16, 16}, {16, 16}, {8, 8}, {8, 2}}};
constexpr int MOST_CLUSTERED_BLOCKS = 8;  // on a multiprocessor, in clusters; likewise seen there

// Returns the clusters of this size that the device holds at once, with so many blocks on each multiprocessor.
int resident_clusters(int blocks_per_multiprocessor, uint64_t cluster) {
  const int blocks = std::min(blocks_per_multiprocessor, MOST_CLUSTERED_BLOCKS);
  int clusters = 0;
  for (const auto& [multiprocessors, largest] : GROUPS)
    if (cluster <= largest) clusters += multiprocessors * blocks / static_cast<int>(cluster);
  return clusters;
}

// Returns the blocks of a launch that fit on a multiprocessor.
int blocks_on_multiprocessor(const Kernel& kernel, int block_size, size_t dynamic_shared) {
  if (dynamic_shared > dynamic_shared_limit(kernel)) return 0;
  return resident_blocks(device_limits(),
                         {.threads = block_size,
                          .registers_per_thread = kernel.registers_per_thread(),
                          .shared_bytes = kernel.static_shared_bytes() + dynamic_shared});
}

// Returns the error for a cooperative launch of more blocks than run at once.
cudaError_t check_cooperative(const Kernel& kernel, const LaunchShape& shape) {
  const DeviceLimits& limits = device_limits();
  const int blocks =
      blocks_on_multiprocessor(kernel, static_cast<int>(shape.block.count()), shape.dynamic_shared);
  const uint64_t cluster = shape.cluster.count();
  const uint64_t most =
      is_given(shape.cluster)
          ? cluster * static_cast<uint64_t>(resident_clusters(blocks, cluster))
          : static_cast<uint64_t>(blocks) * static_cast<uint64_t>(limits.multiprocessors);
  if (shape.grid.count() <= most) return cudaSuccess;
  return refuse(cudaErrorCooperativeLaunchTooLarge, [&] {
    return of_launch(kernel,
                     "is cooperative and has " + std::to_string(shape.grid.count()) +
                         " blocks; the device holds " + std::to_string(most) + " of them at once",
                     "at most the blocks of cudaOccupancyMaxActiveBlocksPerMultiprocessor for each "
                     "of the " +
                         std::to_string(limits.multiprocessors) +
                         " multiprocessors, and a loop over the rest in the kernel");
  });
}

// Returns the error that a device returns at the launch for a shape that it cannot run.
cudaError_t check(const Kernel& kernel, const LaunchShape& shape) {
  const DeviceLimits& limits = device_limits();
  const auto thread_limit = static_cast<uint64_t>(limits.threads_per_block);
  if (!within(shape.grid, limits.grid) || !within(shape.block, limits.block) ||
      shape.block.count() > thread_limit) {
    return refuse(cudaErrorInvalidConfiguration, [&] { return outside_limits(kernel, shape); });
  }
  if (is_given(shape.cluster)) {
    if (const cudaError_t error = check_cluster(kernel, shape); error != cudaSuccess) return error;
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
  return shape.is_cooperative ? check_cooperative(kernel, shape) : cudaSuccess;
}

cudaError_t launch(const void* function, const LaunchShape& shape, void** arguments,
                   const std::shared_ptr<KnownStream>& stream) {
  KernelWork work;
  cudaError_t error = prepare(function, shape, arguments, &work);
  if (error == cudaSuccess) error = hand_over(stream, work);
  if (error != cudaSuccess) return error;
  // The host's lack of memory is known at once; any other fault at a call that waits.
  return fault_of(current_device()) == cudaErrorMemoryAllocation ? surface_fault() : cudaSuccess;
}

cudaError_t fail_to_load(const void* function) {
  kernel_failed(
      current_device(),
      {.kind = FaultKind::host_memory, .kernel = kernel_name(function), .host = host_memory()});
  return surface_fault();
}

// Makes the stream's device the current one during its lifetime. CUDA's guide forbids a launch in a stream of another device, but an
// H200 runs it on the stream's device (CUDA 13.0).
class OnDeviceOf {
 public:
  explicit OnDeviceOf(const KnownStream& stream) : before_(current_device()) {
    if (stream.queue->device == &before_) return;
    tell_of_call(HazardKind::refused_call, [] {
      return Refusal{"a launch was given a stream of another device than the current one",
                     "cudaSetDevice to the stream's device before the launch", ""};
    });
    set_current_device(*stream.queue->device);
  }
  ~OnDeviceOf() { set_current_device(before_); }
  OnDeviceOf(const OnDeviceOf&) = delete;
  OnDeviceOf& operator=(const OnDeviceOf&) = delete;

 private:
  SimulatedDevice& before_;
};

cudaError_t launch_in(cudaStream_t stream, const void* function, const LaunchShape& shape,
                      void** arguments) {
  return with_stream(stream, [&](const std::shared_ptr<KnownStream>& in) {
    const OnDeviceOf there(*in);
    try {
      return launch(function, shape, arguments, in);
    } catch (const std::bad_alloc&) {
      return fail_to_load(function);
    }
  });
}

// The answers to a question about the clusters that fit.
struct ClusterFit {
  const Kernel* kernel = nullptr;
  Dim3 cluster{0, 0, 0};  // zeros: the launch has none
  int blocks_per_multiprocessor = 0;
};

// Returns the error for a launch that a device does not count.
cudaError_t find_fit(const void* function, const cudaLaunchConfig_t& config, ClusterFit& fit) {
  const cudaError_t unknown = find_kernel(function, &fit.kernel);
  if (unknown != cudaSuccess) return unknown;
  LaunchShape shape{to_dim3(config.gridDim), to_dim3(config.blockDim), config.dynamicSmemBytes,
                    asked_cluster(config)};
  if (shape.grid.count() == 0 || shape.block.count() == 0) return cudaErrorInvalidValue;
  if (!is_given(shape.cluster)) shape.cluster = required_cluster(*fit.kernel);
  if (is_given(shape.cluster)) {
    const cudaError_t refused = check_cluster(*fit.kernel, shape);
    if (refused != cudaSuccess) return refused;
  }
  fit.cluster = shape.cluster;
  fit.blocks_per_multiprocessor = blocks_on_multiprocessor(
      *fit.kernel, static_cast<int>(shape.block.count()), shape.dynamic_shared);
  return cudaSuccess;
}

}  // namespace

cudaError_t prepare(const void* function, const LaunchShape& shape, void* const* arguments,
                    KernelWork* work) {
  const Kernel* kernel = nullptr;
  const cudaError_t unknown = find_kernel(function, &kernel);
  if (unknown == cudaErrorInvalidDeviceFunction) {
    return refuse(unknown, [] {
      return Refusal{"a launch names a function that is no kernel of this program",
                     "the name of a __global__ function, in a program that simcc compiled", ""};
    });
  }
  if (unknown != cudaSuccess) return unknown;
  *work = {function, kernel, shape, {}};
  if (!is_given(work->shape.cluster)) work->shape.cluster = required_cluster(*kernel);
  const cudaError_t refused = check(*kernel, work->shape);
  if (refused == cudaSuccess) work->arguments = Arguments(*kernel, arguments);
  return refused;
}

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
    return launch_in(stream, function, {to_dim3(grid), to_dim3(block), dynamic_shared}, arguments);
  });
  if (is_unseen && error != cudaSuccess && !device_failed(current_device()))
    publish(&Watcher::failed, kernel_name(function), error, true);
  return error;
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                        void** arguments, size_t dynamic_shared,
                                        cudaStream_t stream) {
  return asynchronous([&] {
    return launch_in(stream, function,
                     {.grid = to_dim3(grid),
                      .block = to_dim3(block),
                      .dynamic_shared = dynamic_shared,
                      .is_cooperative = true},
                     arguments);
  });
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                void** arguments) {
  return asynchronous([&] {
    if (config == nullptr || (config->numAttrs != 0 && config->attrs == nullptr))
      return cudaErrorInvalidValue;
    const cudaLaunchAttribute* const first = config->attrs;
    if (!std::all_of(first, first + config->numAttrs, is_supported)) return cudaErrorNotSupported;
    if (std::any_of(first, first + config->numAttrs, has_unknown_policy))
      return cudaErrorInvalidValue;
    return launch_in(config->stream, function,
                     {to_dim3(config->gridDim), to_dim3(config->blockDim), config->dynamicSmemBytes,
                      asked_cluster(*config), is_cooperative(*config)},
                     arguments);
  });
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
    // A driver translates older PTX for the device. (An H100 with nvcc 13 answers so.)
    attributes->ptxVersion = kernel->architecture();
    attributes->binaryVersion = limits.compute_major * 10 + limits.compute_minor;
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(dynamic_shared_limit(*kernel));
    const FunctionSettings set = settings_of(*kernel);
    attributes->preferredShmemCarveout = set.carveout;
    const Dim3 cluster = required_cluster(*kernel);
    attributes->clusterDimMustBeSet = is_given(kernel->cluster()) ? 1 : 0;
    attributes->requiredClusterWidth = static_cast<int>(cluster.x);
    attributes->requiredClusterHeight = static_cast<int>(cluster.y);
    attributes->requiredClusterDepth = static_cast<int>(cluster.z);
    attributes->clusterSchedulingPolicyPreference = set.cluster_policy;
    attributes->nonPortableClusterSizeAllowed = set.large_clusters;
    return cudaSuccess;
  });
}

// If it succeeds, it forgets an earlier error, as an H200's does under CUDA 13.
cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  const cudaError_t error = asynchronous([&] {
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
      case cudaFuncAttributeRequiredClusterWidth:
      case cudaFuncAttributeRequiredClusterHeight:
      case cudaFuncAttributeRequiredClusterDepth:
        if (is_given(kernel->cluster()) || value < 0) return cudaErrorInvalidValue;
        (attribute == cudaFuncAttributeRequiredClusterWidth    ? of_kernel.cluster.x
         : attribute == cudaFuncAttributeRequiredClusterHeight ? of_kernel.cluster.y
                                                               : of_kernel.cluster.z) =
            static_cast<uint32_t>(value);
        return cudaSuccess;
      case cudaFuncAttributeNonPortableClusterSizeAllowed:
        of_kernel.large_clusters = value;  // a device takes every number
        return cudaSuccess;
      case cudaFuncAttributeClusterSchedulingPolicyPreference:
        if (!is_policy(value)) return cudaErrorInvalidValue;
        of_kernel.cluster_policy = value;
        return cudaSuccess;
      case cudaFuncAttributeClusterDimMustBeSet:  // can only be read
        return cudaErrorInvalidValue;
    }
    return cudaErrorInvalidValue;
  });
  if (error == cudaSuccess) forget_error();
  return error;
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
    *blocks = blocks_on_multiprocessor(*kernel, block_size, dynamic_shared);
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                          int block_size, size_t dynamic_shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      blocks, function, block_size, dynamic_shared, cudaOccupancyDefault);
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* cluster_size, const void* function,
                                                 const cudaLaunchConfig_t* config) {
  return asynchronous([&] {
    if (cluster_size == nullptr || config == nullptr) return cudaErrorInvalidValue;
    ClusterFit fit;
    const cudaError_t refused = find_fit(function, *config, fit);
    if (refused != cudaSuccess) return refused;
    const DeviceLimits& limits = device_limits();
    const bool has_large = settings_of(*fit.kernel).large_clusters != 0;
    *cluster_size =
        fit.blocks_per_multiprocessor == 0
            ? 0
            : static_cast<int>(has_large ? limits.largest_cluster : limits.portable_cluster);
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* function,
                                           const cudaLaunchConfig_t* config) {
  return asynchronous([&] {
    if (clusters == nullptr || config == nullptr) return cudaErrorInvalidValue;
    ClusterFit fit;
    const cudaError_t refused = find_fit(function, *config, fit);
    if (refused != cudaSuccess) return refused;
    *clusters = is_given(fit.cluster)
                    ? resident_clusters(fit.blocks_per_multiprocessor, fit.cluster.count())
                    : 0;
    return cudaSuccess;
  });
}

}  // extern "C"
