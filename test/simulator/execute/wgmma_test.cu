// wgmma: a product fed by tensor copies in every order, and mistakes with its shared memory. The bits of products and the places
// of their elements are compared with an H200's: test/device/wgmma_bits.cu, matrix_descriptors.cu.
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "device/mbarrier.cuh"
#include "device/tensor_copy.cuh"
#include "device/wgmma.cuh"
#include "test/simulator/hazards/hazard_test.hpp"
#include "test/support/managed.hpp"

namespace {

using device::Factor;
using device::Mbarrier;
using device::Swizzle;
using simulator::FaultKind;
using simulator::HazardKind;
using simulator::test::expect_fault;
using simulator::test::Managed;

constexpr int BM = 64, BN = 64, BK = 64, MK = 16;  // a row of a tile has 128 bytes
constexpr int STAGES = 2, CONSUMERS = 128;
constexpr uint64_t SEEDS = 20;

class Wgmma : public simulator::test::HazardTest {
 protected:
  Wgmma()
      : HazardTest(__FILE__, {HazardKind::race, HazardKind::unwritten_read, HazardKind::early_use,
                              HazardKind::unawaited_copy, HazardKind::misused_mbarrier,
                              HazardKind::missing_fence, HazardKind::split_warpgroup}) {}
};

enum class Mistake {
  none,
  releases_early,     // a stage is given back before the products that read it are waited for
  overwrites_a_tile,  // a thread writes into a tile before the products are waited for
};

// C = A B^T: A is M x K, B is N x K, both contiguous in k. A block computes a tile of C. The last warp produces.
template <Mistake MISTAKE>
__global__ void product(const __grid_constant__ CUtensorMap a,
                        const __grid_constant__ CUtensorMap b, float* c, int N, int K) {
  __shared__ alignas(1024) __half tile_a[STAGES][BM][BK], tile_b[STAGES][BN][BK];
  __shared__ Mbarrier full[STAGES], empty[STAGES];
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) {
    for (Mbarrier& m : full) device::init_mbarrier(m, 1);
    for (Mbarrier& m : empty) device::init_mbarrier(m, CONSUMERS);
    device::fence_mbarriers();
  }
  __syncthreads();
  const int row = static_cast<int>(blockIdx.y) * BM, col = static_cast<int>(blockIdx.x) * BN;
  if (thread >= CONSUMERS) {
    if (thread > CONSUMERS) return;
    for (int step = 0; step < K / BK; ++step) {
      const int stage = step % STAGES, round = step / STAGES;
      if (round > 0) device::wait(empty[stage], (round - 1) % 2);
      device::expect(full[stage], sizeof tile_a[0] + sizeof tile_b[0]);
      const int at_a[2] = {step * BK, row}, at_b[2] = {step * BK, col};
      device::load_tensor(tile_a[stage], a, at_a, full[stage]);
      device::load_tensor(tile_b[stage], b, at_b, full[stage]);
    }
    return;
  }
  float sum[BN / 2] = {};
  const auto tile = [](const __half* first, int k) {
    return device::describe_matrix(device::shared_address(first) + k * 2, 0, 1024,
                                   Swizzle::bytes_128);
  };
  for (int step = 0; step < K / BK; ++step) {
    const int stage = step % STAGES;
    device::wait(full[stage], step / STAGES % 2);
    device::fence_wgmma();
    for (int k = 0; k < BK; k += MK) {
      device::multiply_async<Factor::f16, BN>(sum, tile(tile_a[stage][0], k),
                                              tile(tile_b[stage][0], k), true);
    }
    device::commit_wgmma();
    if (MISTAKE == Mistake::overwrites_a_tile) tile_a[stage][0][0] = 0;
    if (MISTAKE != Mistake::releases_early) device::wait_wgmma<0>();
    device::arrive(empty[stage]);
  }
  device::wait_wgmma<0>();
  const int g = thread % 32 / 4, t = thread % 4;
  for (int i = 0; i < BN / 2; ++i) {
    const int m = row + thread / 32 * 16 + g + i / 2 % 2 * 8, n = col + i / 4 * 8 + 2 * t + i % 2;
    c[m * N + n] = sum[i];
  }
}

CUtensorMap map_of(__half* matrix, int rows, int depth, int box_rows) {
  CUtensorMap map{};
  const cuuint64_t sizes[] = {static_cast<cuuint64_t>(depth), static_cast<cuuint64_t>(rows)};
  const cuuint64_t strides[] = {static_cast<cuuint64_t>(depth) * sizeof(__half)};
  const cuuint32_t box[] = {BK, static_cast<cuuint32_t>(box_rows)}, steps[] = {1, 1};
  EXPECT_EQ(
      cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, matrix, sizes, strides, box,
                             steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
      CUDA_SUCCESS);
  return map;
}

// Multiplies small integers, exactly. Returns the number of wrong elements.
template <Mistake MISTAKE>
int wrong_elements() {
  constexpr int M = 128, N = 64, K = 320;
  const Managed<__half> a(M * K), b(N * K);
  const Managed<float> c(M * N);
  for (int i = 0; i < M * K; ++i)
    a[static_cast<size_t>(i)] = __float2half(static_cast<float>(i * 7 % 11 - 5));
  for (int i = 0; i < N * K; ++i)
    b[static_cast<size_t>(i)] = __float2half(static_cast<float>(i * 5 % 13 - 6));
  product<MISTAKE><<<dim3(N / BN, M / BM), CONSUMERS + 32>>>(
      map_of(a.get(), M, K, BM), map_of(b.get(), N, K, BN), c.get(), N, K);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  int wrong = 0;
  for (int m = 0; m < M; ++m) {
    for (int n = 0; n < N; ++n) {
      float want = 0;
      for (int k = 0; k < K; ++k)
        want += static_cast<float>((m * K + k) * 7 % 11 - 5) *
                static_cast<float>((n * K + k) * 5 % 13 - 6);
      wrong += c[static_cast<size_t>(m * N + n)] == want ? 0 : 1;
    }
  }
  return wrong;
}

TEST_F(Wgmma, FedByTensorCopiesIsRightInEveryOrder) {
  for (uint64_t seed = 0; seed <= SEEDS; ++seed) {
    simulator::set_schedule(seed);
    ASSERT_EQ(wrong_elements<Mistake::none>(), 0) << "seed " << seed;
    const auto hazards = found();
    ASSERT_TRUE(hazards.empty()) << hazards[0].message.text();
  }
}

TEST_F(Wgmma, WhoseTileIsOverwrittenByACopyIsFoundInEveryOrder) {
  for (uint64_t seed = 0; seed <= SEEDS; ++seed) {
    simulator::set_schedule(seed);
    wrong_elements<Mistake::releases_early>();
    const auto hazards = found();
    ASSERT_FALSE(hazards.empty()) << "seed " << seed;
    EXPECT_NE(hazards[0].message.text().find("wgmma"), std::string::npos)
        << hazards[0].message.text();
  }
}

TEST_F(Wgmma, WhoseTileIsOverwrittenByAThreadIsFoundInEveryOrder) {
  for (uint64_t seed = 0; seed <= SEEDS; ++seed) {
    simulator::set_schedule(seed);
    wrong_elements<Mistake::overwrites_a_tile>();
    const auto hazards = found();
    ASSERT_FALSE(hazards.empty()) << "seed " << seed;
    EXPECT_NE(hazards[0].message.text().find("wgmma"), std::string::npos)
        << hazards[0].message.text();
  }
}

// The picture of fragments is one of mma.sync.
TEST_F(Wgmma, IsCountedAndHasNoFragments) {
  simulator::reset_counters();
  wrong_elements<Mistake::none>();
  const simulator::Counters counters = simulator::counters();
  EXPECT_EQ(counters.tensor.size(), 1u);
  EXPECT_TRUE(simulator::matrix_products(counters).empty());
}

// --- errors as a device has them

__global__ void multiply(uint64_t a, uint64_t b, int lanes, float* out) {
  float d[4] = {};
  if (static_cast<int>(threadIdx.x) % 32 >= lanes) return;
  device::fence_wgmma();
  device::multiply_async<Factor::f16, 8>(d, a, b, false);
  device::commit_wgmma();
  device::wait_wgmma<0>();
  out[threadIdx.x] = d[0];
}

TEST_F(Wgmma, BeyondSharedMemoryIsAnError) {
  const Managed<float> out(128);
  const uint64_t beyond = 1024 / 16;
  multiply<<<1, 128, 1024>>>(beyond, 0, 32, out.get());
  expect_fault(cudaErrorIllegalAddress, FaultKind::out_of_bounds);
}

TEST_F(Wgmma, OfAPartOfAWarpIsAnError) {
  const Managed<float> out(128);
  multiply<<<1, 128, 4096>>>(0, 0, 31, out.get());
  expect_fault(cudaErrorIllegalInstruction, FaultKind::incomplete_warp);
}

}  // namespace
