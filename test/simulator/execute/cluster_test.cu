// Clusters: their launch, their places and barrier, and the shared memory of other blocks. Whole programs that are right in every
// order, each mistake in them, and wrong launches.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "device/cluster.cuh"
#include "device/mbarrier.cuh"
#include "device/tensor_copy.cuh"
#include "simulator/execute/launch/module.hpp"
#include "test/simulator/hazards/hazard_test.hpp"
#include "test/support/managed.hpp"

namespace {

namespace cg = cooperative_groups;
using device::Mbarrier;
using simulator::Fault;
using simulator::FaultKind;
using simulator::HazardKind;
using simulator::test::expect_fault;
using simulator::test::Managed;

constexpr uint64_t SEEDS = 20;

class Clusters : public simulator::test::HazardTest {
 protected:
  Clusters()
      : HazardTest(__FILE__, {HazardKind::race, HazardKind::unwritten_read, HazardKind::early_use,
                              HazardKind::unawaited_copy, HazardKind::misused_mbarrier,
                              HazardKind::ended_block, HazardKind::forbidden_barrier,
                              HazardKind::beyond_array}) {}

  // Runs a right program in every order. It must have no hazard, and pass the check.
  template <typename Launch, typename Check>
  void expect_right(Launch launch, Check check) {
    for (uint64_t seed = 0; seed <= SEEDS && !HasFailure(); ++seed) {
      simulator::set_schedule(seed);
      launch();
      expect_none();
      check("seed " + std::to_string(seed));
    }
    simulator::set_schedule(0);
  }

  // Expects a hazard of one of these kinds in every order, on the mark's line or beside it. With an empty mark it may be in a
  // function of src/device. Returns the message of the last.
  template <typename Launch>
  std::string expect_found(Launch launch, const std::vector<HazardKind>& kinds,
                           const char* mark = "") {
    std::string text;
    for (uint64_t seed = 0; seed <= SEEDS; ++seed) {
      simulator::set_schedule(seed);
      launch();
      cudaDeviceSynchronize();
      const auto hazards = simulator::current_device().hazards.found();
      const auto found = std::find_if(hazards.begin(), hazards.end(), [&](const auto& hazard) {
        return std::find(kinds.begin(), kinds.end(), hazard.kind) != kinds.end() &&
               (*mark == '\0' || hazard.where.line == line_of(mark) ||
                hazard.other.line == line_of(mark));
      });
      EXPECT_NE(found, hazards.end()) << mark << ", seed " << seed;
      if (found == hazards.end()) {
        for (const auto& hazard : hazards) ADD_FAILURE() << hazard.message.text();
      } else {
        text = found->message.text();
        EXPECT_FALSE(found->message.advice.empty());
      }
      simulator::current_device().hazards.clear();
      simulator::clear_fault();
    }
    simulator::set_schedule(0);
    return text;
  }
};

// --- places -------------------------------------------------------------------------------------------

struct Place {
  dim3 index, block, blocks, clusters;
  unsigned int rank, size, thread_rank, threads, is_explicit;
  dim3 thread, dim_threads;
};

__global__ void places(Place* out) {
  const auto cluster = cg::this_cluster();
  const unsigned int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  if (threadIdx.x != 1) return;
  out[block] = {__clusterIdx(),
                cluster.block_index(),
                cluster.dim_blocks(),
                __clusterGridDimInClusters(),
                cluster.block_rank(),
                cluster.num_blocks(),
                cluster.thread_rank(),
                cluster.num_threads(),
                __clusterDimIsSpecified(),
                cluster.thread_index(),
                cluster.dim_threads()};
}
__global__ void __cluster_dims__(2, 1, 3) places_in_2_1_3(Place* out) { out[0].size = gridDim.x; }

cudaLaunchAttribute cluster_of(unsigned int x, unsigned int y = 1, unsigned int z = 1) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {x, y, z};
  return attribute;
}

template <typename... Parameters, typename... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), dim3 grid, dim3 block,
                   cudaLaunchAttribute attribute, Arguments... arguments) {
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

bool same(const dim3& a, const dim3& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

TEST_F(Clusters, GiveEachBlockItsPlace) {
  const dim3 grid(4, 3, 2), shape(2, 3, 1);
  const Managed<Place> out(24);
  ASSERT_EQ(launch(places, grid, dim3(32), cluster_of(2, 3, 1), out.get()), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (unsigned int z = 0; z < 2; ++z) {
    for (unsigned int y = 0; y < 3; ++y) {
      for (unsigned int x = 0; x < 4; ++x) {
        const Place& place = out[x + 4 * (y + 3 * z)];
        EXPECT_TRUE(same(place.index, dim3(x / 2, 0, z)));
        EXPECT_TRUE(same(place.block, dim3(x % 2, y, 0)));
        EXPECT_TRUE(same(place.blocks, shape));
        EXPECT_TRUE(same(place.clusters, dim3(2, 1, 2)));
        EXPECT_EQ(place.rank, x % 2 + 2 * y);
        EXPECT_EQ(place.size, 6u);
        EXPECT_EQ(place.thread_rank, 32 * place.rank + 1);
        EXPECT_EQ(place.threads, 192u);
        EXPECT_EQ(place.is_explicit, 1u);
        EXPECT_TRUE(same(place.thread, dim3(32 * (x % 2) + 1, y, 0)));
        EXPECT_TRUE(same(place.dim_threads, dim3(64, 3, 1)));
      }
    }
  }
}

TEST_F(Clusters, OfOneBlockAreTheRuleWithoutThem) {
  const Managed<Place> out(4);
  places<<<dim3(2, 2), 32>>>(out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_TRUE(same(out[3].index, dim3(1, 1, 0)));
  EXPECT_TRUE(same(out[3].blocks, dim3(1, 1, 1)));
  EXPECT_EQ(out[3].rank, 0u);
  EXPECT_EQ(out[3].size, 1u);
  EXPECT_EQ(out[3].is_explicit, 0u);
  ASSERT_EQ(launch(places, dim3(2, 2), dim3(32), cluster_of(1), out.get()), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(out[3].is_explicit, 1u);
}

// The intrinsics of clusters: each block writes into its neighbour's shared memory, and reads its own.
__global__ void hand_on_by_intrinsics(unsigned int* out) {
  __shared__ unsigned int mine;
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned int rank = __clusterRelativeBlockRank(), size = __clusterSizeInBlocks();
  auto* const next =
      static_cast<unsigned int*>(__cluster_map_shared_rank(&mine, (rank + 1) % size));
  *next = 100 * __cluster_query_shared_rank(next) + rank;
  __cluster_barrier_arrive();
  __cluster_barrier_wait();
  out[blockIdx.x] = mine + 1000 * (cluster.block_rank() == rank);
}

TEST_F(Clusters, HaveIntrinsics) {
  const Managed<unsigned int> out(4);
  expect_right(
      [&] {
        EXPECT_EQ(launch(hand_on_by_intrinsics, dim3(4), dim3(1), cluster_of(4), out.get()),
                  cudaSuccess);
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
      },
      [&](const std::string& at) {
        for (unsigned int rank = 0; rank < 4; ++rank)
          EXPECT_EQ(out[rank], 1000 + 100 * rank + (rank + 3) % 4) << at;
      });
}

// --- launches -----------------------------------------------------------------------------------------

TEST_F(Clusters, AreRefusedInSizesThatTheDeviceDoesNotHave) {
  const Managed<Place> out(64);
  const auto of = [&](unsigned int grid, unsigned int x) {
    return launch(places, dim3(grid), dim3(32), cluster_of(x), out.get());
  };
  EXPECT_EQ(of(8, 8), cudaSuccess);
  EXPECT_EQ(of(16, 16), cudaErrorInvalidClusterSize);
  EXPECT_EQ(of(9, 2), cudaErrorInvalidClusterSize);
  const auto in_shape = [&](cudaLaunchAttribute attribute) {
    return launch(places, dim3(4), dim3(32), attribute, out.get());
  };
  EXPECT_EQ(in_shape(cluster_of(0)), cudaErrorInvalidClusterSize);
  EXPECT_EQ(in_shape(cluster_of(2, 0)), cudaErrorInvalidClusterSize);
  EXPECT_EQ(in_shape(cluster_of(0, 0, 0)), cudaSuccess);  // as if it asked for none
  ASSERT_EQ(cudaFuncSetAttribute(places, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
            cudaSuccess);
  EXPECT_EQ(of(32, 16), cudaSuccess);
  EXPECT_EQ(of(17, 17), cudaErrorInvalidClusterSize);
  ASSERT_EQ(cudaFuncSetAttribute(places, cudaFuncAttributeNonPortableClusterSizeAllowed, 0),
            cudaSuccess);
  EXPECT_STREQ(cudaGetErrorName(cudaErrorInvalidClusterSize), "cudaErrorInvalidClusterSize");
  cudaGetLastError();
}

TEST_F(Clusters, OfAKernelAreRequiredOfEachLaunch) {
  const Managed<Place> out(1);
  cudaFuncAttributes attributes;
  ASSERT_EQ(cudaFuncGetAttributes(&attributes, places_in_2_1_3), cudaSuccess);
  EXPECT_EQ(attributes.requiredClusterWidth, 2);
  EXPECT_EQ(attributes.requiredClusterHeight, 1);
  EXPECT_EQ(attributes.requiredClusterDepth, 3);
  places_in_2_1_3<<<dim3(2, 1, 3), 1>>>(out.get());
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  places_in_2_1_3<<<dim3(2, 1, 2), 1>>>(out.get());
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidClusterSize);
  EXPECT_EQ(launch(places_in_2_1_3, dim3(2, 1, 3), dim3(1), cluster_of(2, 1, 3), out.get()),
            cudaSuccess);
  EXPECT_EQ(launch(places_in_2_1_3, dim3(2, 1, 3), dim3(1), cluster_of(2), out.get()),
            cudaErrorInvalidClusterSize);
  EXPECT_EQ(cudaFuncSetAttribute(places_in_2_1_3, cudaFuncAttributeRequiredClusterWidth, 4),
            cudaErrorInvalidValue);
  cudaGetLastError();
}

// clang's host half has no architecture, and warns of the third number.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wignored-attributes"
__global__ void __launch_bounds__(128, 1, 4) at_most_4(Place* out) { out[0].size = gridDim.x; }
#pragma clang diagnostic pop
__global__ void just_sized(int* out) { *out = static_cast<int>(gridDim.x); }
__global__ void sized_by_attributes(int* out) { *out = static_cast<int>(gridDim.x); }

TEST_F(Clusters, HaveTheBoundOfTheKernel) {
  const Managed<Place> out(1);
  EXPECT_EQ(launch(at_most_4, dim3(8), dim3(1), cluster_of(4), out.get()), cudaSuccess);
  EXPECT_EQ(launch(at_most_4, dim3(8), dim3(1), cluster_of(8), out.get()),
            cudaErrorInvalidClusterSize);
  cudaGetLastError();
}

TEST_F(Clusters, MayBeSizedByTheKernelsAttributes) {
  const Managed<int> out(1);
  const auto set = [](cudaFuncAttribute attribute, int value) {
    return cudaFuncSetAttribute(sized_by_attributes, attribute, value);
  };
  const auto launched = [&](dim3 grid) {
    sized_by_attributes<<<grid, 1>>>(out.get());
    return cudaGetLastError();
  };
  EXPECT_EQ(set(cudaFuncAttributeRequiredClusterWidth, 2), cudaSuccess);
  EXPECT_EQ(launched(4), cudaErrorInvalidClusterSize);  // the other two are still 0
  EXPECT_EQ(set(cudaFuncAttributeRequiredClusterHeight, 2), cudaSuccess);
  EXPECT_EQ(set(cudaFuncAttributeRequiredClusterDepth, 1), cudaSuccess);
  EXPECT_EQ(launched(dim3(4, 4)), cudaSuccess);
  EXPECT_EQ(launched(dim3(4, 3)), cudaErrorInvalidClusterSize);
  EXPECT_EQ(set(cudaFuncAttributeNonPortableClusterSizeAllowed, -1), cudaSuccess);
  cudaFuncAttributes attributes;
  ASSERT_EQ(cudaFuncGetAttributes(&attributes, sized_by_attributes), cudaSuccess);
  EXPECT_EQ(attributes.clusterDimMustBeSet, 0);
  EXPECT_EQ(attributes.requiredClusterHeight, 2);
  EXPECT_EQ(attributes.nonPortableClusterSizeAllowed, -1);
}

TEST_F(Clusters, AreScheduledByAKnownPolicy) {
  const Managed<int> out(1);
  cudaLaunchAttribute policy = {};
  policy.id = cudaLaunchAttributeClusterSchedulingPolicyPreference;
  for (const int value : {0, 1, 2, 3, 9}) {
    policy.val.clusterSchedulingPolicyPreference = static_cast<cudaClusterSchedulingPolicy>(value);
    EXPECT_EQ(launch(just_sized, dim3(1), dim3(1), policy, out.get()),
              value <= 2 ? cudaSuccess : cudaErrorInvalidValue)
        << value;
  }
  cudaGetLastError();
}

// The answers of an H100 of 132 multiprocessors.
TEST_F(Clusters, HaveAnOccupancy) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(5040);  // all sizes below divide it
  config.blockDim = dim3(1024);
  int size = 0, clusters = 0;
  ASSERT_EQ(cudaOccupancyMaxPotentialClusterSize(&size, just_sized, &config), cudaSuccess);
  EXPECT_EQ(size, 8);
  EXPECT_EQ(cudaOccupancyMaxActiveClusters(&clusters, just_sized, &config), cudaSuccess);
  EXPECT_EQ(clusters, 0);  // the launch has none
  cudaLaunchAttribute attribute = cluster_of(1);
  config.attrs = &attribute;
  config.numAttrs = 1;
  ASSERT_EQ(cudaFuncSetAttribute(just_sized, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
            cudaSuccess);
  const auto fit = [&](int blocks) {
    attribute = cluster_of(blocks);
    EXPECT_EQ(cudaOccupancyMaxActiveClusters(&clusters, just_sized, &config), cudaSuccess)
        << blocks;
    return clusters;
  };
  // Two blocks on a multiprocessor, and then eight: of smaller blocks, no more than that fit if they are in clusters.
  const std::array<std::array<int, 3>, 9> numbers{{{1, 264, 1056},
                                                   {2, 132, 528},
                                                   {3, 79, 327},
                                                   {4, 62, 248},
                                                   {5, 47, 193},
                                                   {8, 30, 124},
                                                   {9, 23, 102},
                                                   {12, 16, 74},
                                                   {16, 14, 58}}};
  config.gridDim = dim3(5040);
  for (const auto& [blocks, large, small] : numbers) {
    config.blockDim = dim3(1024);
    EXPECT_EQ(fit(blocks), large);
    config.blockDim = dim3(64);
    EXPECT_EQ(fit(blocks), small);
  }
  attribute = cluster_of(2);
  const auto both = [&](dim3 grid, dim3 block) {
    config.gridDim = grid;
    config.blockDim = block;
    const cudaError_t error = cudaOccupancyMaxActiveClusters(&clusters, just_sized, &config);
    EXPECT_EQ(cudaOccupancyMaxPotentialClusterSize(&size, just_sized, &config), error);
    return error;
  };
  EXPECT_EQ(both(dim3(5), dim3(32)), cudaErrorInvalidClusterSize);
  EXPECT_EQ(both(dim3(0, 1, 1), dim3(32)), cudaErrorInvalidValue);
  EXPECT_EQ(both(dim3(2), dim3(0, 1, 1)), cudaErrorInvalidValue);
  EXPECT_EQ(both(dim3(2), dim3(1025)), cudaSuccess);
  EXPECT_EQ(clusters, 0);
  EXPECT_EQ(size, 0);
  attribute = cluster_of(0);
  EXPECT_EQ(both(dim3(2), dim3(32)), cudaErrorInvalidClusterSize);
  ASSERT_EQ(cudaFuncSetAttribute(just_sized, cudaFuncAttributeNonPortableClusterSizeAllowed, 0),
            cudaSuccess);
  cudaGetLastError();
}

// --- a histogram, its bins spread over the blocks -------------------------------------------------------

enum class Mistake {
  none,
  no_sync_before,  // other blocks add to bins that are not yet set to zero
  no_sync_after,   // a block writes its bins before the others have added to them
};

constexpr int BINS = 64, THREADS = 64, VALUES = 1024;

template <Mistake MISTAKE>
__global__ void __cluster_dims__(4, 1, 1) histogram(const int* values, int* counts) {
  __shared__ int bins[BINS / 4];
  const auto cluster = cg::this_cluster();
  if (threadIdx.x < BINS / 4) bins[threadIdx.x] = 0;  // mark: clear
  if (MISTAKE != Mistake::no_sync_before) cluster.sync();
  for (unsigned int i = cluster.thread_rank(); i < VALUES; i += cluster.num_threads()) {
    const int value = values[i];
    int* const bin = cluster.map_shared_rank(&bins[value % (BINS / 4)], value / (BINS / 4));
    atomicAdd(bin, 1);  // mark: add
  }
  if (MISTAKE != Mistake::no_sync_after) cluster.sync();
  if (threadIdx.x < BINS / 4)
    counts[cluster.block_rank() * (BINS / 4) + threadIdx.x] = bins[threadIdx.x];  // mark: bin
}

class Histogram : public Clusters {
 protected:
  Histogram() : values_(VALUES), counts_(BINS) {
    for (int i = 0; i < VALUES; ++i) values_[i] = i * 37 % 101 % BINS;
  }
  template <Mistake MISTAKE>
  void run() {
    histogram<MISTAKE><<<4, THREADS>>>(values_.get(), counts_.get());
  }
  const Managed<int> values_, counts_;
};

TEST_F(Histogram, IsRightInEveryOrder) {
  std::vector<int> expected(BINS);
  for (int i = 0; i < VALUES; ++i) ++expected[values_[i]];
  expect_right([&] { run<Mistake::none>(); },
               [&](const std::string& where) {
                 EXPECT_EQ(std::vector<int>(counts_.get(), counts_.get() + BINS), expected)
                     << where;
               });
}

TEST_F(Histogram, WithoutSyncsHasRacesBetweenBlocks) {
  const std::string before =
      expect_found([&] { run<Mistake::no_sync_before>(); }, {HazardKind::race}, "clear");
  EXPECT_NE(before.find("cluster.sync()"), std::string::npos) << before;
  expect_found([&] { run<Mistake::no_sync_after>(); }, {HazardKind::race}, "bin");
  // The blocks may also have ended.
  const std::string ended =
      expect_found([&] { run<Mistake::no_sync_after>(); }, {HazardKind::ended_block}, "add");
  EXPECT_NE(ended.find("cluster.sync() before the block ends"), std::string::npos) << ended;
}

// Results and counters do not depend on the host's threads.
TEST_F(Histogram, IsTheSameOnAnyNumberOfCores) {
  const auto counted = [&](int cores) {
    simulator::set_worker_threads(cores);
    simulator::current_device().counters.reset();
    histogram<Mistake::none><<<32, THREADS>>>(values_.get(), counts_.get());
    cudaDeviceSynchronize();
    simulator::set_worker_threads(0);
    return simulator::current_device().counters.since_reset();
  };
  const auto one = counted(1), four = counted(4);
  EXPECT_EQ(one.lane_instructions, four.lane_instructions);
  EXPECT_EQ(one.barriers, four.barriers);
  EXPECT_EQ(one.blocks, 32u);
  ASSERT_EQ(one.accesses.size(), four.accesses.size());
  for (size_t i = 0; i < one.accesses.size(); ++i) {
    EXPECT_EQ(one.accesses[i].requests, four.accesses[i].requests);
    EXPECT_EQ(one.accesses[i].wavefronts, four.accesses[i].wavefronts);
  }
  simulator::current_device().hazards.clear();  // the clusters write the same counts
}

// --- the barrier --------------------------------------------------------------------------------------

__global__ void __cluster_dims__(2, 1, 1) one_warp_syncs() {
  if (threadIdx.x < 32) device::sync_cluster();
  __syncthreads();
}
__global__ void __cluster_dims__(2, 1, 1) one_block_syncs(volatile int* flag) {
  if (device::cluster_rank() == 0) device::sync_cluster();
  if (device::cluster_rank() == 1) {
    while (*flag == 0) {
    }
  }
}

TEST_F(Clusters, ABarrierThatNotAllThreadsReachIsAFault) {
  for (uint64_t seed = 0; seed <= SEEDS; ++seed) {
    simulator::set_schedule(seed);
    one_warp_syncs<<<2, 128>>>();
    const Fault fault = expect_fault(cudaErrorLaunchFailure, FaultKind::barrier_divergence);
    EXPECT_EQ(fault.where.file_name(), "cluster_test.cu");
    EXPECT_NE(fault.text().find("64 of the cluster's 256 threads have arrived"), std::string::npos)
        << fault.text();
  }
  const Managed<int> flag(1);
  one_block_syncs<<<2, 64>>>(flag.get());
  expect_fault(cudaErrorLaunchTimeout, FaultKind::endless_wait);
}

__global__ void __cluster_dims__(4, 1, 1) some_exit(int* out) {
  __shared__ int mine;
  if (device::cluster_rank() == 3 || threadIdx.x >= 40)
    return;  // the barrier does not wait for them
  if (threadIdx.x == 0) mine = static_cast<int>(blockIdx.x);
  device::sync_cluster();
  const uint32_t other = device::shared_in((device::cluster_rank() + 1) % 3, &mine);
  out[blockIdx.x] = static_cast<int>(device::load_in_cluster(other));
  device::sync_cluster();
}

TEST_F(Clusters, TheBarrierDoesNotWaitForThreadsThatHaveExited) {
  const Managed<int> out(4);
  expect_right([&] { some_exit<<<4, 1>>>(out.get()); },
               [&](const std::string& where) {
                 EXPECT_EQ(std::vector<int>(out.get(), out.get() + 3), (std::vector<int>{1, 2, 0}))
                     << where;
               });
  some_exit<<<4, 64>>>(out.get());
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  simulator::current_device().hazards.clear();  // 40 threads store to one place
}

__global__ void __cluster_dims__(2, 1, 1) arrive_twice() {
  device::arrive_cluster();
  device::arrive_cluster();  // mark: again
  device::wait_cluster();
}
__global__ void __cluster_dims__(2, 1, 1) wait_alone() { device::wait_cluster(); }

TEST_F(Clusters, ArrivalsAndWaitsComeInPairs) {
  const std::string twice =
      expect_found([] { arrive_twice<<<2, 32>>>(); }, {HazardKind::forbidden_barrier});
  EXPECT_NE(twice.find("without a wait"), std::string::npos) << twice;
  const std::string alone =
      expect_found([] { wait_alone<<<2, 32>>>(); }, {HazardKind::forbidden_barrier});
  EXPECT_NE(alone.find("without having arrived"), std::string::npos) << alone;
}

// The order of accesses around an arrival and a wait that are apart.
enum class Split { right, writes_between, relaxed, relaxed_after_fence };
template <Split SPLIT>
__global__ void __cluster_dims__(2, 1, 1) split_barrier(int* out) {
  __shared__ int mine;
  const int rank = static_cast<int>(device::cluster_rank());
  if (SPLIT != Split::writes_between) mine = rank;  // mark: before
  if (SPLIT == Split::relaxed_after_fence) __threadfence();
  if (SPLIT == Split::relaxed || SPLIT == Split::relaxed_after_fence) {
    device::arrive_cluster_relaxed();
  } else {
    device::arrive_cluster();
  }
  if (SPLIT == Split::writes_between) mine = rank;  // mark: between
  device::wait_cluster();
  const int* const other = cg::this_cluster().map_shared_rank(&mine, 1 - rank);
  out[rank] = *other;
  device::sync_cluster();
}

TEST_F(Clusters, TheBarrierOrdersOnlyAccessesBeforeTheArrival) {
  const Managed<int> out(2);
  const auto check = [&](const std::string& where) {
    EXPECT_EQ(out[0], 1) << where;
    EXPECT_EQ(out[1], 0) << where;
  };
  expect_right([&] { split_barrier<Split::right><<<2, 1>>>(out.get()); }, check);
  expect_right([&] { split_barrier<Split::relaxed_after_fence><<<2, 1>>>(out.get()); }, check);
  expect_found([&] { split_barrier<Split::writes_between><<<2, 1>>>(out.get()); },
               {HazardKind::race}, "between");
  expect_found([&] { split_barrier<Split::relaxed><<<2, 1>>>(out.get()); }, {HazardKind::race},
               "before");
}

__global__ void __cluster_dims__(2, 1, 1) exchange_in_global(int* place, int* out) {
  if (threadIdx.x == 0) place[blockIdx.x] = static_cast<int>(blockIdx.x) + 5;
  device::sync_cluster();
  if (threadIdx.x == 32) out[blockIdx.x] = place[blockIdx.x ^ 1];
}

TEST_F(Clusters, TheBarrierOrdersGlobalMemoryToo) {
  const Managed<int> place(8), out(8);
  expect_right([&] { exchange_in_global<<<8, 64>>>(place.get(), out.get()); },
               [&](const std::string& where) {
                 for (int i = 0; i < 8; ++i) EXPECT_EQ(out[i], (i ^ 1) + 5) << where;
               });
}

// --- addresses ----------------------------------------------------------------------------------------

__device__ int is_in(const void* p, bool of_cluster) {
  int is;
  if (of_cluster) {
    asm("{ .reg .pred p; isspacep.shared::cluster p, %1; selp.b32 %0, 1, 0, p; }"
        : "=r"(is)
        : "l"(p));
  } else {
    asm("{ .reg .pred p; isspacep.shared::cta p, %1; selp.b32 %0, 1, 0, p; }" : "=r"(is) : "l"(p));
  }
  return is;
}

__global__ void __cluster_dims__(2, 1, 1) addresses(int* out) {
  __shared__ alignas(16) int words[8];
  const auto cluster = cg::this_cluster();
  words[threadIdx.x % 8] = 10 * static_cast<int>(blockIdx.x) + static_cast<int>(threadIdx.x % 8);
  cluster.sync();
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    int* const other = cluster.map_shared_rank(words, 1);
    int* const own = cluster.map_shared_rank(words, 0);
    *out++ = is_in(words, true) + 2 * is_in(words, false);
    *out++ = is_in(own, true) + 2 * is_in(own, false);
    *out++ = is_in(other, true) + 2 * is_in(other, false);
    *out++ = is_in(out, true) + 2 * is_in(out, false);
    *out++ = static_cast<int>(cluster.query_shared_rank(words));
    *out++ = static_cast<int>(cluster.query_shared_rank(other));
    *out++ = own[3] + other[3];
    uint64_t wide;
    asm("mapa.shared::cluster.u64 %0, %1, 1;"
        : "=l"(wide)
        : "l"(static_cast<uint64_t>(device::shared_address(words))));
    uint32_t rank, a, b, c, d;
    asm("getctarank.shared::cluster.u64 %0, %1;" : "=r"(rank) : "l"(wide));
    *out++ = static_cast<int>(rank);
    asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4+16];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "l"(wide)
                 : "memory");
    *out++ = static_cast<int>(a + b + c + d);
    // An address of the own block without a rank is an address of the cluster.
    *out++ = static_cast<int>(device::load_in_cluster(device::shared_address(words + 2)));
    asm volatile("atom.relaxed.cluster.shared::cluster.exch.b32 %0, [%1], 77;"
                 : "=r"(a)
                 : "r"(device::shared_in(1, words + 1))
                 : "memory");
    *out++ = static_cast<int>(a);
    *out++ = other[1];
  }
  cluster.sync();
}

TEST_F(Clusters, AddressesTellTheirBlock) {
  const Managed<int> out(12);
  expect_right([&] { addresses<<<2, 8>>>(out.get()); },
               [&](const std::string& where) {
                 EXPECT_EQ(std::vector<int>(out.get(), out.get() + 12),
                           (std::vector<int>{3, 3, 1, 0, 0, 1, 16, 1, 62, 2, 11, 77}))
                     << where;
               });
}

// Lanes of one instruction read different blocks.
__global__ void __cluster_dims__(8, 1, 1) lanes_apart(int* out) {
  __shared__ int words[32];
  words[threadIdx.x] = static_cast<int>(100 * blockIdx.x + threadIdx.x);
  device::sync_cluster();
  const int rank = static_cast<int>((threadIdx.x + blockIdx.x) % 8);
  out[32 * blockIdx.x + threadIdx.x] =
      *cg::this_cluster().map_shared_rank(&words[threadIdx.x], rank);
  device::sync_cluster();
}

TEST_F(Clusters, LanesMayReadDifferentBlocks) {
  const Managed<int> out(256);
  simulator::current_device().counters.reset();
  expect_right([&] { lanes_apart<<<8, 32>>>(out.get()); },
               [&](const std::string& where) {
                 for (int i = 0; i < 256; ++i)
                   EXPECT_EQ(out[i], 100 * ((i % 32 + i / 32) % 8) + i % 32) << where;
               });
  // A remote load is one request to shared memory.
  const auto counters = simulator::current_device().counters.since_reset();
  const auto loads =
      std::find_if(counters.accesses.begin(), counters.accesses.end(),
                   [](auto& row) { return row.access == simulator::Access::shared_load; });
  ASSERT_NE(loads, counters.accesses.end());
  EXPECT_EQ(loads->requests, 8 * (SEEDS + 1));
  EXPECT_EQ(loads->bank_conflicts, 0u);
}

__global__ void __cluster_dims__(2, 1, 1) wrong_rank(int rank, int* out) {
  __shared__ int mine;
  mine = 1;
  device::sync_cluster();
  out[blockIdx.x] = *cg::this_cluster().map_shared_rank(&mine, rank);  // mark: wrong rank
  device::sync_cluster();
}
__global__ void rank_alone(int rank, int* out) {
  __shared__ int mine;
  mine = 1;
  *out = *cg::this_cluster().map_shared_rank(&mine, rank);
}
__global__ void __cluster_dims__(2, 1, 1) beyond(int index, int* out) {
  __shared__ int mine[4];
  mine[threadIdx.x] = 1;
  device::sync_cluster();
  out[blockIdx.x] = cg::this_cluster().map_shared_rank(mine, 1)[index];  // mark: beyond
  device::sync_cluster();
}

TEST_F(Clusters, AnAddressOutsideTheClusterIsAFault) {
  const Managed<int> out(2);
  // An H100's errors.
  for (const auto& [rank, error] : {std::pair{2, cudaErrorLaunchFailure},
                                    {15, cudaErrorLaunchFailure},
                                    {16, cudaErrorLaunchFailure},
                                    {32, cudaErrorIllegalInstruction},
                                    {254, cudaErrorIllegalInstruction},
                                    {-1, cudaErrorIllegalInstruction}}) {
    wrong_rank<<<2, 1>>>(rank, out.get());
    expect_fault(error, FaultKind::out_of_bounds);
  }
  for (const int rank : {1, 3}) {  // a kernel without clusters
    rank_alone<<<1, 1>>>(rank, out.get());
    expect_fault(cudaErrorIllegalInstruction, FaultKind::out_of_bounds);
  }
  wrong_rank<<<2, 1>>>(256, out.get());  // 8 bits count
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  wrong_rank<<<2, 1>>>(5, out.get());
  Fault fault = expect_fault(cudaErrorLaunchFailure, FaultKind::out_of_bounds);
  EXPECT_EQ(fault.where.line, line_of("wrong rank"));
  EXPECT_NE(fault.text().find("the block with rank 5, and the cluster has 2 blocks"),
            std::string::npos)
      << fault.text();
  beyond<<<2, 4>>>(4, out.get());
  fault = expect_fault(cudaErrorIllegalAddress, FaultKind::out_of_bounds);
  EXPECT_EQ(fault.where.line, line_of("beyond"));
  EXPECT_NE(fault.text().find("shared memory, which has 16 bytes"), std::string::npos)
      << fault.text();
}

// --- blocks that end early ----------------------------------------------------------------------------

enum class End { sync, at_once, told };
template <End END>
__global__ void __cluster_dims__(2, 1, 1) read_and_end(int* out) {
  __shared__ int mine;
  __shared__ Mbarrier done;
  const uint32_t other = device::cluster_rank() ^ 1;
  mine = static_cast<int>(blockIdx.x);
  device::init_mbarrier(done, 1);
  device::fence_mbarriers();
  device::sync_cluster();
  const int* const of_other = cg::this_cluster().map_shared_rank(&mine, static_cast<int>(other));
  out[blockIdx.x] = *of_other;  // mark: late
  if (END == End::sync) device::sync_cluster();
  if (END == End::told) {
    device::arrive_in(other, done);  // mark: tell
    device::wait_in_cluster(done, 0);
  }
}

TEST_F(Clusters, ABlockMustNotEndBeforeOthersHaveReadItsMemory) {
  const Managed<int> out(2);
  const auto check = [&](const std::string& where) {
    EXPECT_EQ(out[0], 1) << where;
    EXPECT_EQ(out[1], 0) << where;
  };
  expect_right([&] { read_and_end<End::sync><<<2, 1>>>(out.get()); }, check);
  expect_right([&] { read_and_end<End::told><<<2, 1>>>(out.get()); }, check);
  for (uint64_t seed = 0; seed <= SEEDS; ++seed) {
    simulator::set_schedule(seed);
    read_and_end<End::at_once><<<2, 1>>>(out.get());
    expect_one(
        HazardKind::ended_block, "late",
        {"a block that may have ended", "mine of block", "cluster.sync() before the block ends"});
  }
}

// One block reads and the other ends, in either order.
template <bool SYNCS>
__global__ void __cluster_dims__(2, 1, 1) read_one_way(int reader, int* out) {
  __shared__ int mine;
  mine = static_cast<int>(blockIdx.x);
  device::sync_cluster();
  const int* const of_other = cg::this_cluster().map_shared_rank(&mine, 1 - reader);
  if (static_cast<int>(blockIdx.x) == reader) *out = *of_other;  // mark: one way
  if (SYNCS) device::sync_cluster();
}

TEST_F(Clusters, ABlockMustNotEndEarlyEvenIfItEndedLateInThisRun) {
  const Managed<int> out(1);
  for (const int reader : {0, 1}) {
    expect_right([&] { read_one_way<true><<<2, 1>>>(reader, out.get()); },
                 [&](const std::string& where) { EXPECT_EQ(out[0], 1 - reader) << where; });
    expect_found([&] { read_one_way<false><<<2, 1>>>(reader, out.get()); },
                 {HazardKind::ended_block}, "one way");
  }
}

// --- a ring of blocks with mbarriers in the neighbours ---------------------------------------------------

enum class Turn {
  right,
  no_wait_for_empty,  // overwrites the neighbour's place without waiting
  no_wait_for_full,   // reads its place without waiting
  no_wait_at_end,     // ends before the neighbour's last arrival
};

template <Turn TURN>
__global__ void __cluster_dims__(4, 1, 1) ring(int* out, int steps) {
  __shared__ uint32_t place[2];
  __shared__ Mbarrier full[2], empty[2];
  const uint32_t rank = device::cluster_rank(), blocks = device::cluster_blocks();
  const uint32_t next = (rank + 1) % blocks, previous = (rank + blocks - 1) % blocks;
  for (int i = 0; i < 2; ++i) {
    device::init_mbarrier(full[i], 1);
    device::init_mbarrier(empty[i], 1);
  }
  device::fence_mbarriers();
  device::sync_cluster();
  uint32_t value = rank;
  for (int step = 0; step < steps; ++step) {
    const int stage = step % 2, round = step / 2;
    if (round > 0 && TURN != Turn::no_wait_for_empty)
      device::wait_in_cluster(empty[stage], (round - 1) % 2);
    uint32_t* const target =
        cg::this_cluster().map_shared_rank(&place[stage], static_cast<int>(next));
    *target = value;  // mark: pass on
    device::arrive_in(next, full[stage]);
    if (TURN != Turn::no_wait_for_full) device::wait_in_cluster(full[stage], round % 2);
    value = place[stage] + 1;  // mark: take
    device::arrive_in(previous, empty[stage]);
  }
  out[rank] = static_cast<int>(value);
  if (TURN == Turn::no_wait_at_end) return;
  for (int stage = 0; stage < 2; ++stage)
    device::wait_in_cluster(empty[stage], (steps / 2 - 1) % 2);
}

TEST_F(Clusters, ARingOfRemoteMbarriersIsRightInEveryOrder) {
  const Managed<int> out(4);
  expect_right([&] { ring<Turn::right><<<4, 1>>>(out.get(), 8); },
               [&](const std::string& where) {
                 for (int i = 0; i < 4; ++i) EXPECT_EQ(out[i], i + 8) << where;
               });
}

TEST_F(Clusters, ARingWithoutAWaitHasARace) {
  const Managed<int> out(4);
  expect_found([&] { ring<Turn::no_wait_for_empty><<<4, 1>>>(out.get(), 8); }, {HazardKind::race},
               "pass on");
  expect_found([&] { ring<Turn::no_wait_for_full><<<4, 1>>>(out.get(), 8); },
               {HazardKind::race, HazardKind::unwritten_read}, "take");
  const std::string ended = expect_found(
      [&] { ring<Turn::no_wait_at_end><<<4, 1>>>(out.get(), 8); }, {HazardKind::ended_block});
  EXPECT_NE(ended.find("empty of block"), std::string::npos) << ended;
}

// --- copies for several blocks --------------------------------------------------------------------------

enum class Cast {
  right,
  no_wait_for_full,
  no_wait_for_empty,  // of the other blocks
  expects_its_own,    // one block expects its own bytes alone
  expects_too_many,
};
constexpr int TILE = 64, TILES = 6;

// Each block loads its part of a tile for all blocks, as blocks do that share a row or column of tiles.
template <Cast CAST>
__global__ void __cluster_dims__(4, 1, 1) multicast(const int* in, int* out) {
  __shared__ alignas(128) int tile[2][TILE];
  __shared__ Mbarrier full[2], empty[2];
  const uint32_t rank = device::cluster_rank();
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) {
    for (int i = 0; i < 2; ++i) {
      device::init_mbarrier(full[i], 1);
      device::init_mbarrier(empty[i], 4);  // a thread of each block
    }
    device::fence_mbarriers();
  }
  device::sync_cluster();
  int sum = 0;
  for (int t = 0; t < TILES; ++t) {
    const int stage = t % 2, round = t / 2;
    if (thread == 0) {
      if (round > 0 && CAST != Cast::no_wait_for_empty)
        device::wait_in_cluster(empty[stage], (round - 1) % 2);
      const bool is_wrong = rank == 2;
      const uint32_t bytes = CAST == Cast::expects_its_own && is_wrong    ? sizeof tile[0] / 4
                             : CAST == Cast::expects_too_many && is_wrong ? 2 * sizeof tile[0]
                                                                          : sizeof tile[0];
      device::expect(full[stage], bytes);
      device::load_bulk_multicast(&tile[stage][16 * rank], in + t * TILE + 16 * rank,
                                  sizeof tile[0] / 4, full[stage], 0xf);
    }
    if (CAST != Cast::no_wait_for_full) device::wait_in_cluster(full[stage], round % 2);
    sum += tile[stage][thread];  // mark: use tile
    __syncthreads();
    if (thread < 4) device::arrive_in(static_cast<uint32_t>(thread), empty[stage]);
  }
  out[rank * TILE + thread] = sum;
  device::sync_cluster();
}

TEST_F(Clusters, AMulticastBringsATileToAllBlocks) {
  const Managed<int> in(TILES * TILE), out(4 * TILE);
  std::iota(in.get(), in.get() + TILES * TILE, 0);
  expect_right([&] { multicast<Cast::right><<<4, TILE>>>(in.get(), out.get()); },
               [&](const std::string& where) {
                 for (int i = 0; i < 4 * TILE; ++i) {
                   const int expected = TILES * (i % TILE) + TILE * TILES * (TILES - 1) / 2;
                   ASSERT_EQ(out[i], expected) << where;
                 }
               });
}

TEST_F(Clusters, AMulticastNeedsItsWaits) {
  const Managed<int> in(TILES * TILE), out(4 * TILE);
  expect_found([&] { multicast<Cast::no_wait_for_full><<<4, TILE>>>(in.get(), out.get()); },
               {HazardKind::early_use, HazardKind::race, HazardKind::unwritten_read}, "use tile");
  expect_found([&] { multicast<Cast::no_wait_for_empty><<<4, TILE>>>(in.get(), out.get()); },
               {HazardKind::early_use, HazardKind::race});
  expect_found([&] { multicast<Cast::expects_its_own><<<4, TILE>>>(in.get(), out.get()); },
               {HazardKind::early_use, HazardKind::unawaited_copy});
  multicast<Cast::expects_too_many><<<4, TILE>>>(in.get(), out.get());
  const Fault fault = expect_fault(cudaErrorLaunchTimeout, FaultKind::endless_wait);
  // The other blocks wait too, because this block does not copy to them any more.
  EXPECT_NE(fault.text().find("was told to expect"), std::string::npos) << fault.text();
}

__global__ void __cluster_dims__(2, 1, 1)
    multicast_box(const __grid_constant__ CUtensorMap map, float* out, uint32_t ranks) {
  __shared__ alignas(128) float box[8 * 32];
  __shared__ Mbarrier full;
  if (threadIdx.x == 0) {
    device::init_mbarrier(full, 1);
    device::fence_mbarriers();
    device::expect(full, sizeof box);
  }
  device::sync_cluster();
  if (threadIdx.x == 0 && device::cluster_rank() == 1) {
    const int at[2] = {0, 4};
    device::load_tensor_multicast(box, map, at, full, static_cast<uint16_t>(ranks));
  }
  device::wait_in_cluster(full, 0);
  out[256 * blockIdx.x + threadIdx.x] = box[threadIdx.x];
  device::sync_cluster();
}

TEST_F(Clusters, AMulticastBringsABoxOfATensorToAllBlocks) {
  const Managed<float> matrix(16 * 32), out(512);
  std::iota(matrix.get(), matrix.get() + 16 * 32, 0.0f);
  CUtensorMap map{};
  const cuuint64_t sizes[] = {32, 16}, strides[] = {32 * sizeof(float)};
  const cuuint32_t shape[] = {32, 8}, steps[] = {1, 1};
  ASSERT_EQ(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, matrix.get(), sizes,
                                   strides, shape, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                   CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
            CUDA_SUCCESS);
  expect_right([&] { multicast_box<<<2, 256>>>(map, out.get(), 3); },
               [&](const std::string& where) {
                 for (int i = 0; i < 512; ++i)
                   ASSERT_EQ(out[i], static_cast<float>(128 + i % 256)) << where;
               });
  multicast_box<<<2, 256>>>(map, out.get(), 4);
  const Fault fault = expect_fault(cudaErrorLaunchFailure, FaultKind::out_of_bounds);
  EXPECT_NE(fault.text().find("the block with rank 2"), std::string::npos) << fault.text();
}

// --- stores and copies that an mbarrier counts ----------------------------------------------------------

template <bool WAITS>
__global__ void __cluster_dims__(2, 1, 1) hand_over(int* out) {
  __shared__ uint32_t inbox[32];
  __shared__ Mbarrier full;
  const uint32_t other = device::cluster_rank() ^ 1;
  if (threadIdx.x == 0) {
    device::init_mbarrier(full, 1);
    device::fence_mbarriers();
    device::expect(full, sizeof inbox);
  }
  device::sync_cluster();
  device::store_async(other, &inbox[threadIdx.x], 100 * blockIdx.x + threadIdx.x, full);
  if (WAITS) device::wait_in_cluster(full, 0);
  out[32 * blockIdx.x + threadIdx.x] = static_cast<int>(inbox[31 - threadIdx.x]);  // mark: inbox
  device::sync_cluster();
}

TEST_F(Clusters, AnAsynchronousStoreArrivesAtTheWaitForIt) {
  const Managed<int> out(64);
  expect_right([&] { hand_over<true><<<2, 32>>>(out.get()); },
               [&](const std::string& where) {
                 for (int i = 0; i < 64; ++i)
                   ASSERT_EQ(out[i], 100 * (1 - i / 32) + 31 - i % 32) << where;
               });
  expect_found([&] { hand_over<false><<<2, 32>>>(out.get()); },
               {HazardKind::early_use, HazardKind::unwritten_read}, "inbox");
}

__global__ void __cluster_dims__(4, 1, 1) reduce(const int* in, int* out) {
  __shared__ uint32_t sum, most;
  __shared__ Mbarrier full;
  const uint32_t rank = device::cluster_rank();
  if (threadIdx.x == 0) {
    sum = most = 0;
    device::init_mbarrier(full, 1);
    device::fence_mbarriers();
    device::expect(full, 4 * blockDim.x * (sizeof sum + sizeof most));
  }
  device::sync_cluster();
  const uint32_t value = static_cast<uint32_t>(in[blockIdx.x * blockDim.x + threadIdx.x]);
  device::add_async(0, &sum, value, full);
  asm volatile(
      "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.u32 [%0], %1, "
      "[%2];" ::"r"(device::shared_in(0, &most)),
      "r"(value), "r"(device::shared_in(0, &full))
      : "memory");
  if (rank == 0) {
    device::wait_in_cluster(full, 0);
    if (threadIdx.x == 0) out[0] = static_cast<int>(sum);
    if (threadIdx.x == 0) out[1] = static_cast<int>(most);
  }
}

TEST_F(Clusters, AnAsynchronousReductionIsDoneAtTheWaitForIt) {
  const Managed<int> in(128), out(2);
  std::iota(in.get(), in.get() + 128, 3);
  expect_right([&] { reduce<<<4, 32>>>(in.get(), out.get()); },
               [&](const std::string& where) {
                 EXPECT_EQ(out[0], 128 * 3 + 128 * 127 / 2) << where;
                 EXPECT_EQ(out[1], 130) << where;
               });
}

// A reduction by hand: each block adds up its values, and the first block reads the sums of the others.
__global__ void __cluster_dims__(2, 2, 1) reduce_by_hand(const float* in, float* out) {
  __shared__ float sums[32];
  const auto cluster = cg::this_cluster();
  const unsigned int block = blockIdx.x + gridDim.x * blockIdx.y;
  sums[threadIdx.x] = in[32 * block + threadIdx.x];
  __syncthreads();
  for (unsigned int step = 16; step > 0; step /= 2) {
    if (threadIdx.x < step) sums[threadIdx.x] += sums[threadIdx.x + step];
    __syncthreads();
  }
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x == 0) {
    float sum = 0;
    for (unsigned int rank = 0; rank < cluster.num_blocks(); ++rank)
      sum += *cluster.map_shared_rank(sums, static_cast<int>(rank));
    out[blockIdx.x / 2 + gridDim.x / 2 * (blockIdx.y / 2)] = sum;
  }
  cluster.sync();
}

TEST_F(Clusters, TheFirstBlockReadsTheSumsOfTheOthers) {
  const Managed<float> in(16 * 32), out(4);
  for (int i = 0; i < 16 * 32; ++i) in[i] = static_cast<float>(i);
  expect_right([&] { reduce_by_hand<<<dim3(4, 4), 32>>>(in.get(), out.get()); },
               [&](const std::string& where) {
                 for (int c = 0; c < 4; ++c) {
                   float expected = 0;
                   for (int i = 0; i < 16 * 32; ++i) {
                     const int block = i / 32, x = block % 4, y = block / 4;
                     if (x / 2 + 2 * (y / 2) == c) expected += static_cast<float>(i);
                   }
                   EXPECT_EQ(out[c], expected) << where << ", cluster " << c;
                 }
               });
}

enum class Copy { right, overwrites_source, ends_early, no_wait };
template <Copy COPY>
__global__ void __cluster_dims__(2, 1, 1) copy_tile(int* out) {
  __shared__ alignas(16) int source[32];
  __shared__ alignas(16) int target[32];
  __shared__ Mbarrier full;
  const int thread = static_cast<int>(threadIdx.x), rank = static_cast<int>(device::cluster_rank());
  source[thread] = 1000 * rank + thread;
  if (thread == 0) {
    device::init_mbarrier(full, 1);
    device::fence_mbarriers();
    device::expect(full, sizeof target);
  }
  device::fence_for_copies();
  device::sync_cluster();
  if (thread == 0)
    device::copy_to_block(static_cast<uint32_t>(1 - rank), target, source, sizeof source, full);
  if (COPY == Copy::overwrites_source) source[thread] = -1;  // mark: overwrite
  if (COPY != Copy::no_wait) device::wait_in_cluster(full, 0);
  out[32 * rank + thread] = target[thread];  // mark: copied
  if (COPY != Copy::ends_early) device::sync_cluster();
}

TEST_F(Clusters, ACopyBetweenBlocksArrivesAtTheWaitForIt) {
  const Managed<int> out(64);
  expect_right([&] { copy_tile<Copy::right><<<2, 32>>>(out.get()); },
               [&](const std::string& where) {
                 for (int i = 0; i < 64; ++i)
                   ASSERT_EQ(out[i], 1000 * (1 - i / 32) + i % 32) << where;
               });
  expect_found([&] { copy_tile<Copy::overwrites_source><<<2, 32>>>(out.get()); },
               {HazardKind::early_use, HazardKind::race}, "overwrite");
  expect_found([&] { copy_tile<Copy::no_wait><<<2, 32>>>(out.get()); },
               {HazardKind::early_use, HazardKind::unwritten_read}, "copied");
  expect_found([&] { copy_tile<Copy::ends_early><<<2, 32>>>(out.get()); },
               {HazardKind::ended_block, HazardKind::unawaited_copy});
}

}  // namespace
