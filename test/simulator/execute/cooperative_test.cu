// Cooperative launches and the barrier of the grid, tiles of several warps, and copies of groups.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "simulator/execute/launch/module.hpp"
#include "test/simulator/hazards/hazard_test.hpp"
#include "test/support/managed.hpp"

namespace {

namespace cg = cooperative_groups;
using simulator::Fault;
using simulator::FaultKind;
using simulator::HazardKind;
using simulator::test::expect_fault;
using simulator::test::Managed;

constexpr uint64_t SEEDS = 10;

class Cooperative : public simulator::test::HazardTest {
 protected:
  Cooperative()
      : HazardTest(__FILE__, {HazardKind::race, HazardKind::unwritten_read, HazardKind::early_use,
                              HazardKind::forbidden_barrier, HazardKind::beyond_array}) {}
};

template <typename T>
struct Same {
  using type = T;
};

template <typename... Parameters>
cudaError_t launch_cooperative(void (*kernel)(Parameters...), int blocks, int threads,
                               typename Same<Parameters>::type... arguments) {
  std::array<void*, sizeof...(Parameters)> pointers{&arguments...};
  return cudaLaunchCooperativeKernel(kernel, dim3(static_cast<unsigned>(blocks)),
                                     dim3(static_cast<unsigned>(threads)), pointers.data());
}

// --- the grid's barrier -------------------------------------------------------------------------------

// Each phase reads what the threads of other blocks wrote in the phase before.
__global__ void pass_round(int* a, int* b, int phases) {
  const cg::grid_group grid = cg::this_grid();
  const auto n = static_cast<int>(grid.size());
  const auto i = static_cast<int>(grid.thread_rank());
  a[i] = i;
  for (int phase = 0; phase < phases; ++phase) {
    grid.sync();
    b[i] = a[(i + 1) % n];
    grid.sync();
    a[i] = b[i];
  }
}

TEST_F(Cooperative, TheGridMeetsAndItsAccessesAreOrdered) {
  constexpr int BLOCKS = 12, THREADS = 96, PHASES = 5, N = BLOCKS * THREADS;
  for (uint64_t seed = 0; seed <= SEEDS; ++seed) {
    simulator::set_schedule(seed);
    const Managed<int> a(N), b(N);
    ASSERT_EQ(launch_cooperative(pass_round, BLOCKS, THREADS, a.get(), b.get(), PHASES),
              cudaSuccess);
    expect_none();
    for (int i = 0; i < N; ++i) ASSERT_EQ(a[static_cast<size_t>(i)], (i + PHASES) % N);
  }
}

__global__ void forget_to_meet(int* a, int* b) {
  const cg::grid_group grid = cg::this_grid();
  const auto n = static_cast<int>(grid.size());
  const auto i = static_cast<int>(grid.thread_rank());
  a[i] = i;
  grid.sync();
  b[i] = a[(i + 33) % n];
  a[i] = 0;  // mark: too early
}

TEST_F(Cooperative, AnAccessAfterTheBarrierIsNoneBeforeTheNext) {
  for (uint64_t seed = 0; seed <= SEEDS; ++seed) {
    simulator::set_schedule(seed);
    const Managed<int> a(256), b(256);
    ASSERT_EQ(launch_cooperative(forget_to_meet, 4, 64, a.get(), b.get()), cudaSuccess);
    const auto hazards = found();
    ASSERT_FALSE(hazards.empty()) << "seed " << seed;
    EXPECT_EQ(hazards.front().kind, HazardKind::race);
  }
}

__global__ void arrive_and_wait(int* a, int* sum) {
  const cg::grid_group grid = cg::this_grid();
  a[grid.block_rank() * blockDim.x + threadIdx.x] = 1;
  cg::grid_group::arrival_token token = grid.barrier_arrive();
  int own = 0;
  for (int i = 0; i < 10; ++i) own += i;
  grid.barrier_wait(std::move(token));
  if (threadIdx.x != 0) return;
  for (unsigned i = 0; i < grid.num_blocks() * blockDim.x; ++i) own += a[i];
  sum[blockIdx.x] = own;
}

TEST_F(Cooperative, AnArrivalAndAWaitAreABarrier) {
  const Managed<int> a(256), sum(4);
  ASSERT_EQ(launch_cooperative(arrive_and_wait, 4, 64, a.get(), sum.get()), cudaSuccess);
  expect_none();
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(sum[i], 45 + 256);
}

__global__ void leave_block_out(int* out) {
  if (blockIdx.x == 2) return;
  cg::this_grid().sync();  // mark: never complete
  *out = 1;
}

TEST_F(Cooperative, ABarrierThatABlockNeverReachesIsAFault) {
  const Managed<int> out(1);
  ASSERT_EQ(launch_cooperative(leave_block_out, 5, 64, out.get()), cudaSuccess);
  const Fault fault = expect_fault(cudaErrorLaunchTimeout, FaultKind::endless_wait);
  EXPECT_EQ(fault.where.line, line_of("never complete"));
  EXPECT_EQ(fault.grid_blocks.arrived, 4u);
  EXPECT_EQ(fault.grid_blocks.expected, 5u);
  EXPECT_NE(fault.text().find("4 of the grid's 5 blocks have arrived"), std::string::npos)
      << fault.text();
}

__global__ void sync_grid(int* valid) {
  *valid = cg::this_grid().is_valid();
  cg::this_grid().sync();
}

TEST_F(Cooperative, AnyOtherLaunchHasNoSuchBarrier) {
  const Managed<int> valid(1);
  sync_grid<<<2, 32>>>(valid.get());
  const Fault fault = expect_fault(cudaErrorLaunchFailure, FaultKind::no_cooperative_launch);
  EXPECT_NE(fault.text().find("cudaLaunchCooperativeKernel"), std::string::npos) << fault.text();
  EXPECT_EQ(valid[0], 0);
  ASSERT_EQ(launch_cooperative(sync_grid, 2, 32, valid.get()), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(valid[0], 1);
}

TEST_F(Cooperative, TheAttributeMakesTheSameLaunch) {
  const Managed<int> valid(1);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(3);
  config.blockDim = dim3(64);
  config.attrs = &attribute;
  config.numAttrs = 1;
  ASSERT_EQ(cudaLaunchKernelEx(&config, sync_grid, valid.get()), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(valid[0], 1);
}

// With clusters, all blocks of all clusters meet.
TEST_F(Cooperative, ClustersMeetToo) {
  constexpr int BLOCKS = 8, THREADS = 64, N = BLOCKS * THREADS;
  std::array<cudaLaunchAttribute, 2> attributes{};
  attributes[0].id = cudaLaunchAttributeCooperative;
  attributes[0].val.cooperative = 1;
  attributes[1].id = cudaLaunchAttributeClusterDimension;
  attributes[1].val.clusterDim = {2, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(BLOCKS);
  config.blockDim = dim3(THREADS);
  config.attrs = attributes.data();
  config.numAttrs = 2;
  const Managed<int> a(N), b(N);
  ASSERT_EQ(cudaLaunchKernelEx(&config, pass_round, a.get(), b.get(), 3), cudaSuccess);
  expect_none();
  for (int i = 0; i < N; ++i) ASSERT_EQ(a[static_cast<size_t>(i)], (i + 3) % N);
}

TEST_F(Cooperative, TheWholeGridMustFit) {
  int blocks = 0, multiprocessors = 0, has = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sync_grid, 1024, 0);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  cudaDeviceGetAttribute(&has, cudaDevAttrCooperativeLaunch, 0);
  EXPECT_EQ(has, 1);
  const Managed<int> valid(1);
  const int most = blocks * multiprocessors;
  EXPECT_EQ(launch_cooperative(sync_grid, most + 1, 1024, valid.get()),
            cudaErrorCooperativeLaunchTooLarge);
  EXPECT_EQ(cudaGetLastError(), cudaErrorCooperativeLaunchTooLarge);
  EXPECT_EQ(launch_cooperative(sync_grid, most, 1024, valid.get()), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

// --- tiles of several warps ---------------------------------------------------------------------------

template <unsigned SIZE>
__global__ void reduce_tiles(int* sums, int* firsts, int* any) {
  __shared__ cg::block_tile_memory<512> memory;
  __shared__ int values[512];
  const cg::thread_block block = cg::this_thread_block(memory);
  const auto tile = cg::tiled_partition<SIZE>(block);
  values[block.thread_rank()] = static_cast<int>(block.thread_rank());
  tile.sync();
  // Each thread reads what a thread in another warp of the tile wrote.
  const unsigned other = block.thread_rank() / SIZE * SIZE + (tile.thread_rank() + 32) % SIZE;
  const int sum = cg::reduce(tile, values[other], cg::plus<int>());
  const int has_100 = tile.any(block.thread_rank() == 100);
  if (tile.thread_rank() != 0) return;
  sums[tile.meta_group_rank()] = sum;
  firsts[tile.meta_group_rank()] = static_cast<int>(tile.meta_group_size());
  any[tile.meta_group_rank()] = has_100;
}

template <unsigned SIZE>
void expect_reduced() {
  const Managed<int> sums(8), firsts(8), any(8);
  reduce_tiles<SIZE><<<1, 512>>>(sums.get(), firsts.get(), any.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (int tile = 0; tile < 512 / static_cast<int>(SIZE); ++tile) {
    const int size = SIZE;
    const auto at = static_cast<size_t>(tile);
    EXPECT_EQ(sums[at], size * (tile * size) + size * (size - 1) / 2);
    EXPECT_EQ(firsts[at], 512 / size);
    EXPECT_EQ(any[at], tile == 100 / size);
  }
}

TEST_F(Cooperative, TilesOfSeveralWarpsMeetAndReduce) {
  for (uint64_t seed = 0; seed <= SEEDS; ++seed) {
    simulator::set_schedule(seed);
    expect_reduced<64>();
    expect_reduced<128>();
    expect_reduced<256>();
    expect_reduced<512>();
    expect_none();
  }
}

// --- copies of a group --------------------------------------------------------------------------------

template <bool WAITS>
__global__ void copy_group(const int* from, int* to, int n) {
  __shared__ int stage[2][96];
  const cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, stage[0], from, sizeof(int) * 90);
  cg::memcpy_async(block, stage[1], static_cast<size_t>(n), from + 90, size_t{96});
  if (WAITS) cg::wait_prior<1>(block);
  to[threadIdx.x] = stage[0][89 - threadIdx.x];  // mark: first stage
  cg::wait(block);
  to[threadIdx.x + 64] = stage[1][static_cast<unsigned>(n) - 1 - threadIdx.x];
}

TEST_F(Cooperative, AGroupCopiesAndWaits) {
  const Managed<int> from(256), to(128);
  for (size_t i = 0; i < 256; ++i) from[i] = static_cast<int>(i);
  copy_group<true><<<1, 64>>>(from.get(), to.get(), 80);
  expect_none();
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(to[static_cast<size_t>(i)], 89 - i);
    EXPECT_EQ(to[static_cast<size_t>(i + 64)], 90 + 79 - i);
  }
  copy_group<false><<<1, 64>>>(from.get(), to.get(), 80);
  const auto hazards = found();
  ASSERT_FALSE(hazards.empty());
  EXPECT_EQ(hazards.front().other.line, line_of("first stage")) << hazards.front().message.text();
}

__global__ void invoke(int* counts) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  cg::invoke_one(tile, [&](int by) { atomicAdd(counts, by); }, 3);
  const int ticket = cg::invoke_one_broadcast(tile, [&] { return atomicAdd(counts + 1, 1); });
  atomicAdd(counts + 2 + ticket, 1);
}

TEST_F(Cooperative, OneThreadOfAGroupIsCalled) {
  const Managed<int> counts(6);
  invoke<<<1, 64>>>(counts.get());
  expect_none();
  EXPECT_EQ(counts[0], 12);
  EXPECT_EQ(counts[1], 4);
  for (size_t i = 2; i < 6; ++i) EXPECT_EQ(counts[i], 16);
}

}  // namespace
