// Launches of the driver's functions, and queries about them. A function's handle is the address by which the runtime knows the kernel.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "simulator/execute/launch/module.hpp"
#include "simulator/runtime/api/refusal.hpp"
#include "simulator/runtime/api/registry.hpp"
#include "simulator/runtime/driver/calls.hpp"

namespace simulator::runtime {
namespace {

// A launch's arguments: one pointer per parameter, or a buffer with all of them, each at the multiple of its alignment.
class DriverArguments {
 public:
  /// Returns the error of arguments that make no sense for the kernel.
  cudaError_t read(CUfunction function, void** arguments, void** extra) {
    const Kernel* kernel = nullptr;
    if (const cudaError_t error = find_kernel(function, &kernel); error != cudaSuccess)
      return error;
    if (extra == nullptr) {
      if (arguments == nullptr && !kernel->parameter_bytes().empty()) return refuse_none(*kernel);
      pointers_ = arguments;
      return cudaSuccess;
    }
    if (arguments != nullptr) return cudaErrorInvalidValue;
    return read_buffer(*kernel, extra);
  }

  void** pointers() { return pointers_; }

 private:
  static cudaError_t refuse_none(const Kernel& kernel) {
    return refuse(cudaErrorInvalidValue, [&] {
      return Refusal{"the launch of " + kernel.demangled() + " has no arguments",
                     "kernelParams with a pointer to each argument, or `extra` with a buffer",
                     kernel.demangled()};
    });
  }

  cudaError_t read_buffer(const Kernel& kernel, void** extra) {
    auto* buffer = static_cast<std::byte*>(nullptr);
    const size_t* bytes = nullptr;
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
      if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER) {
        buffer = static_cast<std::byte*>(extra[1]);
      } else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE) {
        bytes = static_cast<const size_t*>(extra[1]);
      } else {
        return cudaErrorInvalidValue;
      }
    }
    const std::vector<size_t> offsets = kernel.parameter_offsets();
    const std::vector<size_t> sizes = kernel.parameter_bytes();
    if (offsets.empty()) return cudaSuccess;
    if (buffer == nullptr || bytes == nullptr) return cudaErrorInvalidValue;
    if (const size_t needed = offsets.back() + sizes.back(); *bytes < needed)
      return refuse_short(kernel, *bytes, needed);
    for (const size_t offset : offsets) in_buffer_.push_back(buffer + offset);
    pointers_ = in_buffer_.data();
    return cudaSuccess;
  }

  static cudaError_t refuse_short(const Kernel& kernel, size_t bytes, size_t needed) {
    return refuse(cudaErrorInvalidValue, [&] {
      return Refusal{
          "the launch of " + kernel.demangled() + " has a buffer of " + std::to_string(bytes) +
              " bytes for its arguments; they take " + std::to_string(needed),
          "each argument at a multiple of its alignment, as in a struct; the size in a size_t",
          kernel.demangled()};
    });
  }

  void** pointers_ = nullptr;
  std::vector<void*> in_buffer_;
};

dim3 dim(unsigned int x, unsigned int y, unsigned int z) { return {x, y, z}; }

// A launch's description as the runtime has it.
class Config {
 public:
  explicit Config(const CUlaunchConfig& from) {
    for (unsigned int i = 0; i < from.numAttrs; ++i) {
      cudaLaunchAttribute& attribute = attributes_.emplace_back();
      attribute.id = static_cast<cudaLaunchAttributeID>(from.attrs[i].id);
      static_assert(sizeof attribute.val == sizeof from.attrs[i].value);
      std::memcpy(&attribute.val, &from.attrs[i].value, sizeof attribute.val);
    }
    config_.gridDim = dim(from.gridDimX, from.gridDimY, from.gridDimZ);
    config_.blockDim = dim(from.blockDimX, from.blockDimY, from.blockDimZ);
    config_.dynamicSmemBytes = from.sharedMemBytes;
    config_.stream = from.hStream;
    config_.attrs = attributes_.data();
    config_.numAttrs = from.numAttrs;
  }
  Config(const Config&) = delete;
  Config& operator=(const Config&) = delete;

  const cudaLaunchConfig_t* get() const { return &config_; }

 private:
  std::vector<cudaLaunchAttribute> attributes_;
  cudaLaunchConfig_t config_{};
};

bool is_complete(const CUlaunchConfig* config) {
  return config != nullptr && (config->numAttrs == 0 || config->attrs != nullptr);
}

cudaError_t attribute_of(const cudaFuncAttributes& of, CUfunction_attribute attribute, int* value) {
  const auto give = [&](auto known) {
    *value = static_cast<int>(known);
    return cudaSuccess;
  };
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return give(of.maxThreadsPerBlock);
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      return give(of.sharedSizeBytes);
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
      return give(of.constSizeBytes);
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      return give(of.localSizeBytes);
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      return give(of.numRegs);
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
      return give(of.ptxVersion);
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      return give(of.binaryVersion);
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
      return give(of.cacheModeCA);
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      return give(of.maxDynamicSharedSizeBytes);
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      return give(of.preferredShmemCarveout);
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
      return give(of.clusterDimMustBeSet);
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
      return give(of.requiredClusterWidth);
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
      return give(of.requiredClusterHeight);
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
      return give(of.requiredClusterDepth);
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      return give(of.nonPortableClusterSizeAllowed);
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      return give(of.clusterSchedulingPolicyPreference);
  }
  return cudaErrorInvalidValue;
}

}  // namespace
}  // namespace simulator::runtime

using namespace simulator::runtime;

extern "C" {

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                        unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                        unsigned int block_z, unsigned int dynamic_shared, CUstream stream,
                        void** arguments, void** extra) {
  return in_context([&] {
    DriverArguments read;
    if (const cudaError_t error = read.read(function, arguments, extra); error != cudaSuccess)
      return error;
    return cudaLaunchKernel(function, dim(grid_x, grid_y, grid_z), dim(block_x, block_y, block_z),
                            read.pointers(), dynamic_shared, stream);
  });
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** arguments,
                          void** extra) {
  return in_context([&] {
    DriverArguments read;
    if (!is_complete(config)) return cudaErrorInvalidValue;
    if (const cudaError_t error = read.read(function, arguments, extra); error != cudaSuccess)
      return error;
    return cudaLaunchKernelExC(Config(*config).get(), function, read.pointers());
  });
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                                   unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                                   unsigned int block_z, unsigned int dynamic_shared,
                                   CUstream stream, void** arguments) {
  return in_context([&] {
    DriverArguments read;
    if (const cudaError_t error = read.read(function, arguments, nullptr); error != cudaSuccess)
      return error;
    return cudaLaunchCooperativeKernel(function, dim(grid_x, grid_y, grid_z),
                                       dim(block_x, block_y, block_z), read.pointers(),
                                       dynamic_shared, stream);
  });
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* user_data) {
  return in_context([&] { return cudaLaunchHostFunc(stream, function, user_data); });
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  return in_context([&] {
    cudaFuncAttributes attributes;
    if (value == nullptr) return cudaErrorInvalidValue;
    const cudaError_t error = cudaFuncGetAttributes(&attributes, function);
    return error != cudaSuccess ? error : attribute_of(attributes, attribute, value);
  });
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return in_context([&] {
    return cudaFuncSetAttribute(static_cast<const void*>(function),
                                static_cast<cudaFuncAttribute>(attribute), value);
  });
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config) {
  return in_context([&] {
    return cudaFuncSetCacheConfig(static_cast<const void*>(function),
                                  static_cast<cudaFuncCache>(config));
  });
}

// Banks have 4 bytes on every device since compute capability 5.0.
CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig /*config*/) {
  return cuFuncSetCacheConfig(function, CU_FUNC_CACHE_PREFER_NONE);
}

CUresult cuFuncGetModule(CUmodule* module, CUfunction function) {
  return in_context([&] {
    if (module == nullptr) return cudaErrorInvalidValue;
    DriverModule* const known = module_of(function);
    if (known == nullptr || !is_loaded(known)) return cudaErrorInvalidResourceHandle;
    *module = reinterpret_cast<CUmodule>(known);
    return cudaSuccess;
  });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction function,
                                                              int block_size, size_t dynamic_shared,
                                                              unsigned int flags) {
  return in_context([&] {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks, static_cast<const void*>(function), block_size, dynamic_shared, flags);
  });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function,
                                                     int block_size, size_t dynamic_shared) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_size,
                                                              dynamic_shared, CU_OCCUPANCY_DEFAULT);
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid_size, int* block_size,
                                                   CUfunction function,
                                                   CUoccupancyB2DSize shared_of,
                                                   size_t dynamic_shared, int block_size_limit,
                                                   unsigned int flags) {
  return in_context([&] {
    if (grid_size == nullptr || block_size == nullptr ||
        flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
      return cudaErrorInvalidValue;
    const auto shared = [&](int size) {
      return shared_of == nullptr ? dynamic_shared : shared_of(size);
    };
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        grid_size, block_size, static_cast<const void*>(function), shared, block_size_limit);
  });
}

CUresult cuOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size, CUfunction function,
                                          CUoccupancyB2DSize shared_of, size_t dynamic_shared,
                                          int block_size_limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(grid_size, block_size, function, shared_of,
                                                   dynamic_shared, block_size_limit,
                                                   CU_OCCUPANCY_DEFAULT);
}

CUresult cuOccupancyMaxPotentialClusterSize(int* cluster_size, CUfunction function,
                                            const CUlaunchConfig* config) {
  return in_context([&] {
    if (!is_complete(config)) return cudaErrorInvalidValue;
    return cudaOccupancyMaxPotentialClusterSize(cluster_size, static_cast<const void*>(function),
                                                Config(*config).get());
  });
}

CUresult cuOccupancyMaxActiveClusters(int* clusters, CUfunction function,
                                      const CUlaunchConfig* config) {
  return in_context([&] {
    if (!is_complete(config)) return cudaErrorInvalidValue;
    return cudaOccupancyMaxActiveClusters(clusters, static_cast<const void*>(function),
                                          Config(*config).get());
  });
}

}  // extern "C"
