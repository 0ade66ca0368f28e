// Tensor maps and tensor copies: whole programs in every order, mistakes that are hazards, and errors as a device has them. What
// the copies bring, byte for byte, is compared with an H200's answers: test/device/tensor_copies.cu.
#include <cuda.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "device/mbarrier.cuh"
#include "device/tensor_copy.cuh"
#include "test/simulator/hazards/hazard_test.hpp"
#include "test/support/managed.hpp"

namespace {

using device::Mbarrier;
using simulator::FaultKind;
using simulator::HazardKind;
using simulator::test::expect_fault;
using simulator::test::Managed;

constexpr int ROWS = 40, COLS = 72, PITCH = 96;  // of the matrix, in floats
constexpr int BOX_ROWS = 16, BOX_COLS = 32;      // rows of 128 bytes
constexpr uint64_t SEEDS = 20;

class TensorCopies : public simulator::test::HazardTest {
 protected:
  TensorCopies()
      : HazardTest(__FILE__, {HazardKind::race, HazardKind::unwritten_read, HazardKind::early_use,
                              HazardKind::unawaited_copy, HazardKind::misused_mbarrier,
                              HazardKind::refused_call}) {}

  // Returns the map of a matrix of ROWS x COLS floats.
  static CUtensorMap map_of(float* matrix, CUtensorMapSwizzle swizzle) {
    CUtensorMap map{};
    const cuuint64_t sizes[] = {COLS, ROWS}, strides[] = {PITCH * sizeof(float)};
    const cuuint32_t box[] = {BOX_COLS, BOX_ROWS}, steps[] = {1, 1};
    EXPECT_EQ(
        cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, matrix, sizes, strides,
                               box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
        CUDA_SUCCESS);
    return map;
  }
};

enum class Mistake {
  none,
  no_wait,             // the threads read the tile at once
  overwrites_source,   // the tile is written anew while the store reads it
  never_waits_at_end,  // the block ends while the store reads the tile
};

// Doubles a tile of the matrix. Each block takes one box, which may reach beyond the matrix. `pieces`: of 16 bytes in a row, that
// the swizzle mixes.
template <Mistake MISTAKE>
__global__ void twice(const __grid_constant__ CUtensorMap from,
                      const __grid_constant__ CUtensorMap to, int pieces) {
  __shared__ alignas(1024) float tile[BOX_ROWS][BOX_COLS];
  __shared__ Mbarrier full;
  const int at[2] = {static_cast<int>(blockIdx.x) * BOX_COLS,
                     static_cast<int>(blockIdx.y) * BOX_ROWS};
  if (threadIdx.x == 0) {
    device::init_mbarrier(full, 1);
    device::fence_mbarriers();
    device::expect(full, sizeof tile);
    device::load_tensor(tile, from, at, full);
  }
  __syncthreads();
  if (MISTAKE != Mistake::no_wait) device::wait(full, 0);
  // Each element is reached once, wherever the swizzle has put it.
  for (int i = threadIdx.x; i < BOX_ROWS * BOX_COLS; i += blockDim.x) {
    const int row = i / BOX_COLS, piece = i % BOX_COLS / 4 ^ row % pieces;
    tile[row][piece * 4 + i % 4] *= 2;
  }
  device::fence_for_copies();
  __syncthreads();
  if (threadIdx.x == 0) {
    device::store_tensor(to, at, tile);
    device::commit_bulk();
  }
  if (MISTAKE == Mistake::overwrites_source) {
    __syncthreads();
    tile[threadIdx.x % BOX_ROWS][threadIdx.x / BOX_ROWS] = 0;
  }
  if (threadIdx.x == 0 && MISTAKE != Mistake::never_waits_at_end) device::wait_bulk<0>();
}

template <Mistake MISTAKE>
std::vector<float> run(CUtensorMap (*map_of)(float*, CUtensorMapSwizzle),
                       CUtensorMapSwizzle swizzle) {
  const Managed<float> a(ROWS * PITCH), b(ROWS * PITCH);
  std::iota(a.get(), a.get() + ROWS * PITCH, 1.0F);
  const int pieces = swizzle == CU_TENSOR_MAP_SWIZZLE_128B ? 8 : 1;
  const dim3 grid((COLS + BOX_COLS - 1) / BOX_COLS, (ROWS + BOX_ROWS - 1) / BOX_ROWS);
  twice<MISTAKE><<<grid, 64>>>(map_of(a.get(), swizzle), map_of(b.get(), swizzle), pieces);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  return {b.get(), b.get() + ROWS * PITCH};
}

TEST_F(TensorCopies, MoveBoxesInEveryOrder) {
  for (const CUtensorMapSwizzle swizzle :
       {CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_128B}) {
    for (uint64_t seed = 0; seed <= SEEDS; ++seed) {
      simulator::set_schedule(seed);
      const std::vector<float> out = run<Mistake::none>(map_of, swizzle);
      for (int row = 0; row < ROWS; ++row) {
        for (int col = 0; col < PITCH; ++col) {
          const auto i = static_cast<size_t>(row * PITCH + col);
          ASSERT_EQ(out[i], col < COLS ? 2 * static_cast<float>(i + 1) : 0.0F)
              << row << ", " << col << ", seed " << seed;
        }
      }
      ASSERT_TRUE(found().empty());
    }
  }
}

TEST_F(TensorCopies, BeforeTheirWaitAreFoundInEveryOrder) {
  for (uint64_t seed = 0; seed <= SEEDS; ++seed) {
    simulator::set_schedule(seed);
    run<Mistake::no_wait>(map_of, CU_TENSOR_MAP_SWIZZLE_128B);
    const auto hazards = found();
    ASSERT_FALSE(hazards.empty()) << "seed " << seed;
    EXPECT_NE(hazards[0].message.text().find("cp.async.bulk"), std::string::npos)
        << hazards[0].message.text();
  }
}

TEST_F(TensorCopies, WhoseSourceIsOverwrittenAreFoundInEveryOrder) {
  for (uint64_t seed = 0; seed <= SEEDS; ++seed) {
    simulator::set_schedule(seed);
    run<Mistake::overwrites_source>(map_of, CU_TENSOR_MAP_SWIZZLE_128B);
    ASSERT_FALSE(found().empty()) << "seed " << seed;
  }
}

TEST_F(TensorCopies, ThatNobodyAwaitsAreFound) {
  run<Mistake::never_waits_at_end>(map_of, CU_TENSOR_MAP_SWIZZLE_NONE);
  const auto hazards = found();
  ASSERT_FALSE(hazards.empty());
  EXPECT_EQ(hazards[0].kind, HazardKind::unawaited_copy);
}

// --- the place of the map

__device__ CUtensorMap in_global_memory;

__global__ void load_with(const __grid_constant__ CUtensorMap map, int place, float* out) {
  __shared__ alignas(128) float tile[BOX_ROWS][BOX_COLS];
  __shared__ Mbarrier full;
  if (threadIdx.x != 0) return;
  device::init_mbarrier(full, 1);
  device::fence_mbarriers();
  const int at[2] = {0, 0};
  device::expect(full, sizeof tile);
  if (place == 0) {
    device::load_tensor(tile, map, at, full);
  } else if (place == 1) {
    device::load_tensor(tile, in_global_memory, at, full);
  } else {
    alignas(64) volatile CUtensorMap copy;
    for (int i = 0; i < CU_TENSOR_MAP_NUM_QWORDS; ++i) copy.opaque[i] = map.opaque[i];
    device::load_tensor(tile, const_cast<const CUtensorMap&>(copy), at, full);
  }
  device::wait(full, 0);
  *out = tile[1][1];
}

TEST_F(TensorCopies, TakeTheirMapFromParametersAndFromGlobalMemory) {
  const Managed<float> a(ROWS * PITCH), out(1);
  std::iota(a.get(), a.get() + ROWS * PITCH, 0.0F);
  const CUtensorMap map = map_of(a.get(), CU_TENSOR_MAP_SWIZZLE_NONE);
  ASSERT_EQ(cudaMemcpyToSymbol(in_global_memory, &map, sizeof map), cudaSuccess);
  for (const int place : {0, 1}) {
    out[0] = 0;
    load_with<<<1, 32>>>(map, place, out.get());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(out[0], PITCH + 1) << place;
  }
}

TEST_F(TensorCopies, TakeNoMapFromLocalMemory) {
  const Managed<float> a(ROWS * PITCH), out(1);
  load_with<<<1, 32>>>(map_of(a.get(), CU_TENSOR_MAP_SWIZZLE_NONE), 2, out.get());
  const std::string said = expect_fault(cudaErrorIllegalAddress, FaultKind::out_of_bounds).text();
  EXPECT_NE(said.find("local memory"), std::string::npos) << said;
}

TEST_F(TensorCopies, NeedAMapThatWasEncoded) {
  const Managed<float> out(1);
  load_with<<<1, 32>>>(CUtensorMap{}, 0, out.get());
  const std::string said =
      expect_fault(cudaErrorIllegalInstruction, FaultKind::bad_tensor_copy).text();
  EXPECT_NE(said.find("never encoded"), std::string::npos) << said;
}

// --- the host's side

TEST_F(TensorCopies, AreEncodedByTheFunctionThatTheDriverNames) {
  for (const bool by_version : {false, true}) {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult status{};
    ASSERT_EQ(by_version ? cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000,
                                                            cudaEnableDefault, &status)
                         : cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &found,
                                                   cudaEnableDefault, &status),
              cudaSuccess);
    EXPECT_EQ(status, cudaDriverEntryPointSuccess);
    EXPECT_EQ(found, reinterpret_cast<void*>(&cuTensorMapEncodeTiled));
  }
  void* none = &none;
  cudaDriverEntryPointQueryResult status{};
  EXPECT_EQ(cudaGetDriverEntryPoint("cuNoSuchThing", &none, cudaEnableDefault, &status),
            cudaErrorNotSupported);
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(status, cudaDriverEntryPointSymbolNotFound);
  EXPECT_EQ(found().size(), 1u);
}

// Answered so by an H100's driver: a tensor of one dimension has no strides, but their pointer may not be null.
TEST_F(TensorCopies, NeedAPointerToStridesInOneDimensionToo) {
  const Managed<float> a(64);
  const cuuint64_t size = 64, unread = 1;
  const cuuint32_t box = 32, step = 1;
  CUtensorMap map{};
  const auto encode = [&](const cuuint64_t* strides) {
    return cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 1, a.get(), &size, strides,
                                  &box, &step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                  CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  };
  EXPECT_EQ(encode(nullptr), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(found().size(), 1u);
  EXPECT_EQ(encode(&unread), CUDA_SUCCESS);
}

TEST_F(TensorCopies, RefuseAMapAndNameTheArgument) {
  const Managed<float> a(ROWS * PITCH);
  cuuint64_t sizes[] = {COLS, ROWS}, strides[] = {PITCH * sizeof(float)};
  cuuint32_t box[] = {BOX_COLS, BOX_ROWS}, steps[] = {1, 1};
  CUtensorMap map{};
  const auto encode = [&](void* address, const cuuint64_t* of_sizes) {
    return cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, address, of_sizes,
                                  strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                  CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  };
  const auto expect_refusal = [&](const std::string& argument, void* address,
                                  const cuuint64_t* of_sizes) {
    EXPECT_EQ(encode(address, of_sizes), CUDA_ERROR_INVALID_VALUE) << argument;
    const auto hazards = found();
    ASSERT_EQ(hazards.size(), 1u) << argument;
    EXPECT_NE(hazards[0].message.what.find(argument), std::string::npos) << hazards[0].message.what;
  };
  expect_refusal("globalDim is a null pointer", a.get(), nullptr);
  expect_refusal("globalAddress", a.get() + 1, sizes);
  strides[0] = 4;
  expect_refusal("globalStrides[0] is 4", a.get(), sizes);
  strides[0] = PITCH * sizeof(float);
  box[0] = 64;
  expect_refusal("boxDim[0] makes rows of 256 bytes", a.get(), sizes);
  box[0] = BOX_COLS;
  EXPECT_EQ(encode(a.get(), sizes), CUDA_SUCCESS);
  const char* name = nullptr;
  EXPECT_EQ(cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &name), CUDA_SUCCESS);
  EXPECT_STREQ(name, "CUDA_ERROR_INVALID_VALUE");
}

}  // namespace
