// Copies of boxes of a tensor between global and shared memory (compute capability 9.0 and later).
//
// A tensor map, made on the host by cuTensorMapEncodeTiled, says where a tensor of one to five dimensions lies in global memory
// and how large a box of it is copied. The kernel takes it as `const __grid_constant__ CUtensorMap`. One thread requests a box
// by the coordinates of its first element, the innermost dimension first. Elements outside the tensor arrive as zeros, or as NaN,
// and are not stored. A box begins in shared memory at a multiple of 128 bytes (with a swizzle of 64, 128 bytes: 512, 1024).
// (PTX manual, "Tensor copies" and "cp.async.bulk.tensor".)
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "device/mbarrier.cuh"
#include "device/older_device.cuh"
#include "device/shared_address.cuh"

namespace device {

/// Copies a box to shared memory. `mbarrier` counts its bytes when they have arrived, those outside the tensor too.
template <int RANK>
__device__ void load_tensor(void* shared, const CUtensorMap& map, const int (&at)[RANK],
                            Mbarrier& mbarrier) {
  end_below<BULK_COPY_NEEDS>();
#define SGEMM_LOAD(DIMENSIONS, COORDINATES, ...)                                               \
  asm volatile("cp.async.bulk.tensor." DIMENSIONS                                              \
               ".shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {" COORDINATES \
               "}], [%2];" ::"r"(shared_address(shared)),                                      \
               "l"(&map), "r"(shared_address(&mbarrier)), __VA_ARGS__                          \
               : "memory")
  if constexpr (RANK == 1) {
    SGEMM_LOAD("1d", "%3", "r"(at[0]));
  } else if constexpr (RANK == 2) {
    SGEMM_LOAD("2d", "%3, %4", "r"(at[0]), "r"(at[1]));
  } else if constexpr (RANK == 3) {
    SGEMM_LOAD("3d", "%3, %4, %5", "r"(at[0]), "r"(at[1]), "r"(at[2]));
  } else if constexpr (RANK == 4) {
    SGEMM_LOAD("4d", "%3, %4, %5, %6", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]));
  } else {
    static_assert(RANK == 5, "a tensor has one to five dimensions");
    SGEMM_LOAD("5d", "%3, %4, %5, %6, %7", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]),
               "r"(at[4]));
  }
#undef SGEMM_LOAD
}

/// Copies a box to the shared memory of each block of the cluster whose rank is a bit of `ranks`. The data arrive at the same
/// place of each block, and the mbarrier at the same place of each block counts them.
template <int RANK>
__device__ void load_tensor_multicast(void* shared, const CUtensorMap& map, const int (&at)[RANK],
                                      Mbarrier& mbarrier, uint16_t ranks) {
  end_below<BULK_COPY_NEEDS>();
#define SGEMM_LOAD(DIMENSIONS, COORDINATES, ...)                                                \
  asm volatile("cp.async.bulk.tensor." DIMENSIONS                                               \
               ".shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], " \
               "[%1, {" COORDINATES "}], [%2], %3;" ::"r"(shared_address(shared)),              \
               "l"(&map), "r"(shared_address(&mbarrier)), "h"(ranks), __VA_ARGS__               \
               : "memory")
  if constexpr (RANK == 1) {
    SGEMM_LOAD("1d", "%4", "r"(at[0]));
  } else if constexpr (RANK == 2) {
    SGEMM_LOAD("2d", "%4, %5", "r"(at[0]), "r"(at[1]));
  } else if constexpr (RANK == 3) {
    SGEMM_LOAD("3d", "%4, %5, %6", "r"(at[0]), "r"(at[1]), "r"(at[2]));
  } else if constexpr (RANK == 4) {
    SGEMM_LOAD("4d", "%4, %5, %6, %7", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]));
  } else {
    static_assert(RANK == 5, "a tensor has one to five dimensions");
    SGEMM_LOAD("5d", "%4, %5, %6, %7, %8", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]),
               "r"(at[4]));
  }
#undef SGEMM_LOAD
}

/// Copies a box from shared memory. commit_bulk() and wait_bulk() wait for it. Stores of threads to this shared memory come
/// before fence_for_copies().
template <int RANK>
__device__ void store_tensor(const CUtensorMap& map, const int (&at)[RANK], const void* shared) {
  end_below<BULK_COPY_NEEDS>();
#define SGEMM_STORE(DIMENSIONS, COORDINATES, ...)                                           \
  asm volatile("cp.async.bulk.tensor." DIMENSIONS                                           \
               ".global.shared::cta.bulk_group [%0, {" COORDINATES "}], [%1];" ::"l"(&map), \
               "r"(shared_address(shared)), __VA_ARGS__                                     \
               : "memory")
  if constexpr (RANK == 1) {
    SGEMM_STORE("1d", "%2", "r"(at[0]));
  } else if constexpr (RANK == 2) {
    SGEMM_STORE("2d", "%2, %3", "r"(at[0]), "r"(at[1]));
  } else if constexpr (RANK == 3) {
    SGEMM_STORE("3d", "%2, %3, %4", "r"(at[0]), "r"(at[1]), "r"(at[2]));
  } else if constexpr (RANK == 4) {
    SGEMM_STORE("4d", "%2, %3, %4, %5", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]));
  } else {
    static_assert(RANK == 5, "a tensor has one to five dimensions");
    SGEMM_STORE("5d", "%2, %3, %4, %5, %6", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]),
                "r"(at[4]));
  }
#undef SGEMM_STORE
}

}  // namespace device
