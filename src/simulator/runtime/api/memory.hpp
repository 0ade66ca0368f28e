// The program's allocations.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "simulator/memory/memory.hpp"
#include "simulator/runtime/api/pools.hpp"
#include "simulator/runtime/api/streams.hpp"
#include "simulator/runtime/api/work.hpp"

namespace simulator::runtime {

/// The function family that made an allocation. It decides how the allocation may be freed.
enum class Origin { device, pinned, managed };

struct Made {
  Origin origin = Origin::device;
  uint64_t bytes = 0;
  SimulatedDevice* device = nullptr;  // the current device of the call
  std::shared_ptr<Pool> pool{};       // that it was taken from, if any
  bool is_ending = false;             // True if cudaFreeAsync is queued
};

/// Frees the allocations of the current device that are still live, those of graphs too.
void free_everything();

/// Ends an allocation of cudaFreeAsync, when its stream comes to it.
void end_allocation(void* pointer);

/// True if the allocation is from cudaMallocManaged, or a __managed__ variable.
bool is_managed(const Allocation& allocation);

/// Returns the error of a copy or fill that a device refuses, and reports the reason.
cudaError_t check(const CopyWork& work);
cudaError_t check(const FillWork& work);
/// Hands checked work to a stream.
cudaError_t start(const std::shared_ptr<KnownStream>& stream, const CopyWork& work);
cudaError_t start(const std::shared_ptr<KnownStream>& stream, const FillWork& work);
/// Does checked work now, in the legacy default stream. The program has waited for it when the call returns.
cudaError_t finish(const CopyWork& work);
cudaError_t finish(const FillWork& work);
/// Returns the copy that CUDA's parameters describe; nothing if it concerns an array.
std::optional<CopyWork> copy_of(const cudaMemcpy3DParms& copy);

}  // namespace simulator::runtime
