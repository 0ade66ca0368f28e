// The kinds of device work, as values: a stream queues them, and a graph keeps them as its nodes.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "simulator/execute/launch/module.hpp"
#include "simulator/runtime/api/graph_memory.hpp"
#include "simulator/runtime/queue/queue.hpp"

namespace simulator::runtime {

/// A kernel's arguments, copied at the call.
class Arguments {
 public:
  Arguments() = default;
  /// `from` holds one pointer per parameter, as cudaLaunchKernel has them.
  Arguments(const Kernel& kernel, void* const* from);

  /// Returns one pointer per parameter. They are valid as long as this object is.
  std::vector<void*> pointers() const;
  /// Returns the allocations that host code may use too and that a pointer among the arguments points into.
  std::vector<uint64_t> shared_with_host() const;

 private:
  std::vector<std::byte> bytes_;
  std::vector<size_t> offsets_;
};

struct KernelWork {
  const void* function = nullptr;  // as the host knows it
  const Kernel* kernel = nullptr;
  LaunchShape shape;
  Arguments arguments;
};

/// Rows of bytes in planes.
struct Region {
  void* pointer = nullptr;
  size_t pitch = 0;  // bytes from row to row
  size_t slice = 0;  // bytes from plane to plane
};
struct Box {
  size_t width = 0;  // bytes
  size_t height = 1, depth = 1;

  bool is_empty() const { return width == 0 || height == 0 || depth == 0; }
  /// Computes the bytes from the first to past the last one. Returns false if they exceed a size_t.
  bool span(const Region& region, size_t* bytes) const;
};

struct CopyWork {
  Region to, from;
  Box box;
  cudaMemcpyKind kind = cudaMemcpyDefault;
};

struct FillWork {
  Region to;
  uint32_t value = 0;
  uint32_t element = 1;  // bytes of `value` that are used: 1, 2 or 4
  Box box;
};

struct HostWork {
  cudaHostFn_t function = nullptr;
  void* data = nullptr;
};

/// Begins an allocation of a graph.
struct AllocateWork {
  std::shared_ptr<GraphMemory> memory;
};

/// Ends an allocation of cudaMallocAsync, or of a graph.
struct FreeWork {
  void* pointer = nullptr;
  std::shared_ptr<GraphMemory> memory = nullptr;  // of a graph; nullptr for any other
};

/// A function of a library that the host computes.
struct LibraryWork {
  struct Range {
    void* pointer = nullptr;
    size_t bytes = 0;
    bool is_written = false;
  };
  std::string name;               // "cublasSgemm"
  std::vector<Range> ranges;      // the memory that it uses
  std::function<void()> compute;  // may throw OutsideMemory and std::bad_alloc
};

/// Thrown by a computation for a pointer that it read and that leads to no memory of the device.
struct OutsideMemory {
  const void* pointer = nullptr;
};

struct EmptyWork {};

using Work = std::variant<EmptyWork, KernelWork, CopyWork, FillWork, HostWork, AllocateWork,
                          FreeWork, LibraryWork>;

/// Finds a kernel, checks its launch as a device does, and copies its arguments.
cudaError_t prepare(const void* function, const LaunchShape& shape, void* const* arguments,
                    KernelWork* work);

/// Calls a function of the program in a stream's order.
void run_host_function(const std::function<void()>& function, const Issue& issue);

/// Does the work now. Does nothing on a device on which a kernel has failed.
void perform(const Work& work, const Issue& issue);

}  // namespace simulator::runtime
