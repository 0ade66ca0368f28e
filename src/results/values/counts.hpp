// The names of a launch's counts. A machine fills the counts in; metrics.cpp makes figures of them.
//
// Nsight Compute's words: a request is a warp's memory instruction, a sector 32 bytes, a line 128 bytes, a wavefront
// a pass over the banks of shared memory.
#pragma once

namespace results::counts {

// Counts of each buffer in global memory. cp.async counts as a load.
inline constexpr const char* LOAD_REQUESTS = "load_requests";
inline constexpr const char* LOAD_SECTORS = "load_sectors";
inline constexpr const char* LOAD_LINES = "load_lines";
inline constexpr const char* LOAD_LANES = "load_lanes";
inline constexpr const char* LOAD_BYTES = "load_bytes";
inline constexpr const char* ASYNC_COPY_BYTES =
    "async_copy_bytes";  // the part of LOAD_BYTES that cp.async loads
inline constexpr const char* STORE_REQUESTS = "store_requests";
inline constexpr const char* STORE_SECTORS = "store_sectors";
inline constexpr const char* STORE_LINES = "store_lines";
inline constexpr const char* STORE_LANES = "store_lanes";
inline constexpr const char* STORE_BYTES = "store_bytes";
inline constexpr const char* ATOMIC_REQUESTS = "atomic_requests";
inline constexpr const char* ATOMIC_SECTORS = "atomic_sectors";

// Counts of the whole launch.
inline constexpr const char* GLOBAL_BYTES_FETCHED =
    "global_bytes_fetched";  // fetched or written, in whole sectors
inline constexpr const char* GLOBAL_BYTES_USED = "global_bytes_used";
inline constexpr const char* SHARED_LOADS = "shared_loads";  // requests
inline constexpr const char* SHARED_LOAD_WAVEFRONTS = "shared_load_wavefronts";
inline constexpr const char* SHARED_LOAD_CONFLICTS = "shared_load_conflicts";
inline constexpr const char* SHARED_STORES = "shared_stores";  // requests, without cp.async
inline constexpr const char* SHARED_STORE_WAVEFRONTS = "shared_store_wavefronts";
inline constexpr const char* SHARED_STORE_CONFLICTS = "shared_store_conflicts";
inline constexpr const char* SHARED_LOAD_LANES = "shared_load_lanes";
inline constexpr const char* SHARED_WAVEFRONTS =
    "shared_wavefronts";  // loads, stores, atomics, cp.async
inline constexpr const char* SHARED_BANK_CONFLICTS = "shared_bank_conflicts";
inline constexpr const char* LOCAL_BYTES = "local_bytes";
inline constexpr const char* WARP_INSTRUCTIONS = "warp_instructions";
inline constexpr const char* LANE_INSTRUCTIONS = "lane_instructions";
inline constexpr const char* FFMA = "ffma";
inline constexpr const char* FLOPS = "flops";
inline constexpr const char* BARRIERS = "barriers";
inline constexpr const char* LAUNCHES = "launches";
// Present only if there are any: cp.async of lanes, and the number pending while their warp loaded from shared memory.
inline constexpr const char* ASYNC_COPY_LANES = "async_copy_lanes";
inline constexpr const char* ASYNC_COPY_LANES_DURING_LOADS = "async_copy_lanes_during_loads";

// Present only if there are any: operations of the products on tensor cores.
inline constexpr const char* TENSOR_FLOPS = "tensor_flops";

// Counts of the whole launch that only a device's profiler has.
inline constexpr const char* ASYNC_COPIES = "async_copies";  // requests
inline constexpr const char* ASYNC_COPY_WAVEFRONTS = "async_copy_wavefronts";
inline constexpr const char* ASYNC_COPY_CONFLICTS = "async_copy_conflicts";
inline constexpr const char* FADD = "fadd";
inline constexpr const char* FMUL = "fmul";

}  // namespace results::counts
