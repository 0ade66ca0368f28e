// include/simulated_cuda.h: a program's questions to the simulated GPU.
#include <cuda_runtime_api.h>
#include <simulated_cuda.h>

#include "simulator/runtime/api/diagnostics.hpp"
#include "simulator/runtime/api/simulated_device.hpp"

namespace simulated_cuda {
namespace {

using simulator::Access;
using simulator::AccessCounters;

void add(const AccessCounters& row, Counts& counts) {
  if (simulator::is_shared(row.access)) {
    counts.shared_wavefronts += row.wavefronts;
    counts.shared_bank_conflicts += row.bank_conflicts;
  } else if (simulator::is_local(row.access)) {
    counts.local_bytes += row.bytes_asked;
  } else if (simulator::is_global(row.access)) {
    const bool is_atomic = row.access == Access::global_atomic;
    const bool is_store = row.access == Access::global_store || row.access == Access::bulk_store;
    (is_atomic  ? counts.global_atomic_requests
     : is_store ? counts.global_store_requests
                : counts.global_load_requests) += row.requests;
    (is_atomic  ? counts.global_atomic_sectors
     : is_store ? counts.global_store_sectors
                : counts.global_load_sectors) += row.sectors;
    counts.global_bytes_fetched += row.bytes_fetched();
    counts.global_bytes_used += row.bytes_used;
  }
}

}  // namespace

const char* version() { return SIMULATOR_VERSION; }

Counts counts() {
  cudaDeviceSynchronize();
  const simulator::Counters all = simulator::counters();
  Counts counts;
  counts.launches = all.launches;
  counts.blocks = all.blocks;
  counts.warp_instructions = all.warp_instructions;
  counts.lane_instructions = all.lane_instructions;
  counts.flops = all.flops;
  counts.tensor_flops = all.tensor_flops;
  counts.barriers = all.barriers;
  for (const AccessCounters& row : all.accesses) add(row, counts);
  return counts;
}

void reset_counts() {
  cudaDeviceSynchronize();
  simulator::reset_counters();
}

std::vector<Hazard> take_hazards() {
  cudaDeviceSynchronize();
  simulator::HazardStore& store = simulator::current_device().hazards;
  std::vector<Hazard> hazards;
  for (const simulator::Hazard& found : store.found())
    hazards.push_back(
        {simulator::name_of(found.kind), found.kernel, found.message.text(), found.times});
  store.clear();
  return hazards;
}

}  // namespace simulated_cuda
