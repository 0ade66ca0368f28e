// Threads that wait for each other: lanes of a warp, warps of a block, blocks of a launch. Also waits that no thread
// can end.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "simulator/execute/launch/module.hpp"
#include "simulator/runtime/api/diagnostics.hpp"
#include "test/support/managed.hpp"

namespace {

using simulator::Access;
using simulator::Fault;
using simulator::FaultKind;
using simulator::test::Managed;

// Returns the line of this file that ends in "// mark: WHAT".
int line_of(const std::string& mark) {
  std::ifstream file(__FILE__);
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.ends_with("// mark: " + mark)) return number;
  }
  return -1;
}

class Waiting : public testing::Test {
 protected:
  void SetUp() override { simulator::set_fault_output(false); }
  void TearDown() override {
    simulator::set_worker_threads(0);
    simulator::set_schedule(0);
    simulator::clear_fault();
    simulator::set_fault_output(true);
  }

  // Expects that the launch ended at that line, in a wait that no thread can end.
  static void expect_endless(const char* mark) {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchTimeout);
    const std::optional<Fault> fault = simulator::last_fault();
    ASSERT_TRUE(fault.has_value());
    EXPECT_EQ(fault->kind, FaultKind::endless_wait) << fault->text();
    EXPECT_EQ(fault->where.line, line_of(mark)) << fault->text();
  }
};

// --- lanes of a warp ----------------------------------------------------------------------------------

__global__ void lock_in_the_loop(int* lock, int* sum) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      *reinterpret_cast<volatile int*>(sum) += threadIdx.x;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

TEST_F(Waiting, ALockThatEveryThreadTakes) {
  Managed<int> lock(1), sum(1);
  lock[0] = sum[0] = 0;
  lock_in_the_loop<<<3, 96>>>(lock.get(), sum.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(sum[0], 3 * 96 * 95 / 2);
}

__global__ void all_blocks_meet(int* arrived) {
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < static_cast<int>(gridDim.x)) {  // mark: all blocks meet
    }
  }
}

TEST_F(Waiting, MoreBlocksThanFitCannotMeet) {
  Managed<int> arrived(1);
  arrived[0] = 0;
  all_blocks_meet<<<132, 1024>>>(arrived.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  arrived[0] = 0;
  all_blocks_meet<<<300, 1024>>>(arrived.get());
  expect_endless("all blocks meet");
  const std::optional<Fault> fault = simulator::last_fault();
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->message().advice,
            "at most 264 blocks, which is what the device runs at once, or a cooperative launch: "
            "36 blocks cannot begin while those before wait");
}

__global__ void token_from_lane_to_lane(volatile int* token, int* order) {
  while (*token != static_cast<int>(threadIdx.x)) {
  }
  order[threadIdx.x] = *token;
  *token = *token - 1;
  __syncwarp();
  order[threadIdx.x] += 100;
}

TEST_F(Waiting, LanesHandATokenFromTheLastToTheFirst) {
  Managed<int> token(1), order(32);
  token[0] = 31;
  token_from_lane_to_lane<<<1, 32>>>(token.get(), order.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(order[lane], lane + 100);
}

__global__ void lanes_meet_after_the_lock(int* lock, unsigned* votes) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  atomicExch(lock, 0);
  votes[threadIdx.x] = __ballot_sync(0xffffffff, threadIdx.x % 2);
  __syncthreads();
  votes[threadIdx.x] += __shfl_sync(0xffffffff, threadIdx.x, 31 - threadIdx.x);
}

TEST_F(Waiting, LanesThatHavePartedMeetAtAVoteABarrierAndAShuffle) {
  Managed<int> lock(1);
  Managed<unsigned> votes(32);
  lock[0] = 0;
  lanes_meet_after_the_lock<<<1, 32>>>(lock.get(), votes.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(votes[lane], 0xaaaaaaaau + 31 - lane);
}

__global__ void two_places_of_one_warp_barrier(int* out) {
  __shared__ volatile int values[32];
  if (threadIdx.x < 16) {
    values[threadIdx.x] = 1 + threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = values[31 - threadIdx.x];
  } else {
    values[threadIdx.x] = 1 + threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = values[31 - threadIdx.x];
  }
}

TEST_F(Waiting, HalvesOfAWarpMeetAtDifferentWarpBarriers) {
  Managed<int> out(32);
  two_places_of_one_warp_barrier<<<1, 32>>>(out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(out[lane], 32 - lane);
}

__global__ void warp_barrier_of_half(int* out) {
  if (threadIdx.x < 16) __syncwarp();  // mark: half a warp
  out[threadIdx.x] = 1;
}

TEST_F(Waiting, AWarpBarrierThatHalfTheWarpPassesByIsAFault) {
  Managed<int> out(32);
  warp_barrier_of_half<<<1, 32>>>(out.get());
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  ASSERT_TRUE(simulator::last_fault().has_value());
  EXPECT_EQ(simulator::last_fault()->kind, FaultKind::barrier_divergence);
  EXPECT_EQ(simulator::last_fault()->where.line, line_of("half a warp"));
}

__global__ void waits_then_loads(int* flag, const int* values, int* out) {
  if (blockIdx.x == 1) {
    if (threadIdx.x == 0) atomicExch(flag, 1);
    return;
  }
  if (threadIdx.x == 0) {
    while (atomicAdd(flag, 0) == 0) {
    }
  }
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x];
}

// So on an H100: stream_k among the idioms (test/data/hopper_counters_h100.csv).
TEST_F(Waiting, ALaneThatWaitedGoesOnWithItsWarpAfterTheBarrier) {
  Managed<int> flag(1), values(64), out(64);
  for (uint64_t seed = 0; seed <= 20; ++seed) {
    simulator::set_schedule(seed);
    flag[0] = 0;
    simulator::reset_counters();
    waits_then_loads<<<2, 64>>>(flag.get(), values.get(), out.get());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (const auto& row : simulator::counters().accesses) {
      if (row.access == Access::global_load) {
        EXPECT_EQ(row.requests, 2u) << "seed " << seed << ": one for each warp";
      }
    }
  }
}

// --- kernels that never wait have unchanged counts ------------------------------------------------------

__global__ void search(int* largest, const int* values, int* out) {
  for (int i = 0; i < 40 * (1 + static_cast<int>(threadIdx.x) % 4); ++i) atomicMax(largest, -i);
  out[threadIdx.x] = values[threadIdx.x];
}

TEST_F(Waiting, LanesThatLookOftenAndChangeNothingStillMeetAfterTheirLoop) {
  Managed<int> largest(1), values(32), out(32);
  largest[0] = 7;
  simulator::reset_counters();
  search<<<1, 32>>>(largest.get(), values.get(), out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (const auto& row : simulator::counters().accesses) {
    if (row.access == Access::global_load) {
      EXPECT_EQ(row.requests, 1u) << "all lanes together";
    }
  }
}

__global__ void patient(const volatile int* never, int* looks) {
  int n = 0;
  while (*never == 0 && n < 200000) ++n;
  looks[threadIdx.x] = n;
}

TEST_F(Waiting, AWaitThatGivesUpByItselfIsNotEnded) {
  Managed<int> flag(1), looks(32);
  flag[0] = 0;
  patient<<<1, 32>>>(flag.get(), looks.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(looks[0], 200000);
}

// --- blocks -------------------------------------------------------------------------------------------

__global__ void wait_for_the_last_block(volatile int* flag, int* out) {
  if (blockIdx.x == gridDim.x - 1) {
    *flag = 1;
  } else {
    while (*flag == 0) __nanosleep(100);  // mark: waits for the last
  }
  out[blockIdx.x] = 1;
}

TEST_F(Waiting, BlocksWaitForOneThatHasNotStarted) {
  for (const int cores : {1, 2, 3}) {
    simulator::set_worker_threads(cores);
    Managed<int> flag(1), out(200);
    flag[0] = 0;
    wait_for_the_last_block<<<200, 32>>>(flag.get(), out.get());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(std::accumulate(out.get(), out.get() + 200, 0), 200);
  }
}

TEST_F(Waiting, ABlockThatCanNeverStartIsWaitedForInVain) {
  // 132 multiprocessors hold 32 blocks each.
  const int blocks = 132 * 32 + 1;
  for (const int cores : {1, 2}) {
    simulator::set_worker_threads(cores);
    Managed<int> flag(1), out(blocks);
    flag[0] = 0;
    wait_for_the_last_block<<<blocks, 32>>>(flag.get(), out.get());
    expect_endless("waits for the last");
    simulator::clear_fault();
  }
}

__global__ void grid_barrier(volatile int* arrived, int* before, int* out) {
  before[blockIdx.x] = blockIdx.x + 1;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(const_cast<int*>(arrived), 1);
    while (*arrived < static_cast<int>(gridDim.x)) {
    }
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = before[(blockIdx.x + 1) % gridDim.x];
}

TEST_F(Waiting, AGridMeetsAtABarrierOfItsOwn) {
  constexpr int BLOCKS = 64, THREADS = 64;
  Managed<int> arrived(1), before(BLOCKS), out(BLOCKS * THREADS);
  arrived[0] = 0;
  grid_barrier<<<BLOCKS, THREADS>>>(arrived.get(), before.get(), out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (int i = 0; i < BLOCKS * THREADS; ++i) {
    EXPECT_EQ(out[i], (i / THREADS + 1) % BLOCKS + 1);
  }
}

__global__ void wait_with_barriers(const volatile int* flag, int* out) {
  __shared__ int seen;
  if (blockIdx.x == gridDim.x - 1) {
    if (threadIdx.x == 0) *const_cast<volatile int*>(flag) = 1;
  } else {
    do {
      __syncthreads();
      if (threadIdx.x == 0) seen = *flag;
      __syncthreads();
    } while (seen == 0);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

// Each turn of the loop stores, so nothing shows that the block waits. It is put aside nevertheless.
TEST_F(Waiting, ABlockThatStoresWhileItWaitsIsPutAsideInTheEnd) {
  simulator::set_worker_threads(1);
  Managed<int> flag(1), out(2 * 64);
  wait_with_barriers<<<2, 64>>>(flag.get(), out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(std::accumulate(out.get(), out.get() + 128, 0), 128);
}

// --- waits without an end -------------------------------------------------------------------------------

__global__ void nobody_sets_it(const volatile int* flag, int* out) {
  if (threadIdx.x == 40) {
    while (*flag == 0) {  // mark: nobody sets it
    }
  }
  __syncthreads();
  out[threadIdx.x] = 1;
}

TEST_F(Waiting, AFlagThatNobodySetsIsNamedWithItsLine) {
  for (const int cores : {1, 2}) {
    simulator::set_worker_threads(cores);
    Managed<int> flag(1), out(64);
    flag[0] = 0;
    nobody_sets_it<<<2, 64>>>(flag.get(), out.get());
    expect_endless("nobody sets it");
    simulator::clear_fault();
  }
}

__global__ void each_waits_for_the_other(volatile int* flags) {
  const int me = blockIdx.x, other = 1 - blockIdx.x;
  while (flags[other] == 0) {  // mark: each for the other
  }
  flags[me] = 1;
}

TEST_F(Waiting, TwoBlocksThatWaitForEachOther) {
  Managed<int> flags(2);
  flags[0] = flags[1] = 0;
  each_waits_for_the_other<<<2, 1>>>(flags.get());
  expect_endless("each for the other");
}

__global__ void lock_never_freed(int* lock, int* out) {
  while (atomicCAS(lock, 0, 1) != 0) __nanosleep(20);  // mark: never freed
  out[threadIdx.x] = 1;
}

TEST_F(Waiting, ALockThatIsNeverFreed) {
  Managed<int> lock(1), out(32);
  lock[0] = 0;
  lock_never_freed<<<1, 32>>>(lock.get(), out.get());
  expect_endless("never freed");
}

// --- in functions that are called ---------------------------------------------------------------------

// All lanes but one wait at the bottom. They wait for the lane that stores once it is back in the kernel.
__device__ int wait_at_the_bottom(volatile int* flag, int depth) {
  if (depth <= 0) {
    while (threadIdx.x % 32 != 5 && *flag == 0) {  // mark: at the bottom
    }
    return *flag;
  }
  return 2 * wait_at_the_bottom(flag, depth - 1) + depth;
}

__global__ void one_returns(volatile int* flag, int* out, int depth, bool sets) {
  const int t = threadIdx.x;
  const int found = wait_at_the_bottom(flag, depth + t % 3);
  if (t == 5 && sets) *flag = 1;
  __syncwarp();
  out[t] = found;
}

TEST_F(Waiting, ALaneReturnsFromACallThatOthersAreStillIn) {
  const auto expected = [](int depth, int flag) {
    int value = flag;
    for (int d = 1; d <= depth; ++d) value = 2 * value + d;
    return value;
  };
  for (const int depth : {0, 1, 4}) {
    Managed<int> flag(1), out(64);
    flag[0] = 0;
    one_returns<<<1, 64>>>(flag.get(), out.get(), depth, true);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess) << depth;
    for (int t = 0; t < 64; ++t) {
      if (t == 37) continue;  // it does not wait, and may see either
      EXPECT_EQ(out[static_cast<size_t>(t)], expected(depth + t % 3, t == 5 ? 0 : 1)) << t;
    }
  }
}

TEST_F(Waiting, AWaitWithinACallThatNobodyEnds) {
  Managed<int> flag(1), out(32);
  flag[0] = 0;
  one_returns<<<1, 32>>>(flag.get(), out.get(), 3, false);
  expect_endless("at the bottom");
}

// Looks the same in each trip round its loop, except for the contents of the calls' frames.
__device__ int count_down(volatile int* flag, int depth) {
  if (depth <= 0) return *flag;
  return 2 * count_down(flag, depth - 1) + (depth & *flag);
}

__global__ void look_deeper_and_deeper(volatile int* flag, int* out) {
  int sum = 0;
  for (int depth = 0; depth < 60; ++depth) sum += count_down(flag, depth);
  out[threadIdx.x] = sum;
}

TEST_F(Waiting, ARecursionThatOnlyLooksIsNoWait) {
  Managed<int> flag(1), out(32);
  flag[0] = 0;
  look_deeper_and_deeper<<<1, 32>>>(flag.get(), out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (size_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], 0);
}

// Waits by calling a function in each trip of the loop.
__device__ int look(volatile int* flag, int depth) {
  if (depth <= 0) return *flag;
  return 2 * look(flag, depth - 1) + look(flag, depth - 2);
}

__global__ void looks_through_a_function(volatile int* flag, int* out, int setter) {
  const int t = threadIdx.x;
  if (t == setter) {
    *flag = 1;
  } else {
    while (look(flag, 3) == 0) {
    }
  }
  out[t] = 1;
}

TEST_F(Waiting, ALoopThatLooksThroughAFunction) {
  Managed<int> flag(1), out(64);
  for (const int setter : {0, 31, 40}) {
    flag[0] = 0;
    looks_through_a_function<<<1, 64>>>(flag.get(), out.get(), setter);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess) << setter;
  }
  flag[0] = 0;
  looks_through_a_function<<<1, 64>>>(flag.get(), out.get(), 64);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchTimeout);
  ASSERT_TRUE(simulator::last_fault().has_value());
  EXPECT_EQ(simulator::last_fault()->kind, FaultKind::endless_wait);
}

// --- order ----------------------------------------------------------------------------------------------

__global__ void note_order(int* next, int* order) {
  if (threadIdx.x % 32 == 0) {
    order[atomicAdd(next, 1)] = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  }
}

std::vector<int> order_under(uint64_t seed) {
  constexpr int BLOCKS = 37, WARPS = 4;
  simulator::set_worker_threads(1);
  simulator::set_schedule(seed);
  Managed<int> next(1), order(BLOCKS * WARPS);
  next[0] = 0;
  note_order<<<BLOCKS, WARPS * 32>>>(next.get(), order.get());
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  return std::vector<int>(order.get(), order.get() + BLOCKS * WARPS);
}

TEST_F(Waiting, ASeedShufflesBlocksAndWarpsAndRepeats) {
  std::vector<int> natural(37 * 4);
  std::iota(natural.begin(), natural.end(), 0);
  EXPECT_EQ(order_under(0), natural);
  const std::vector<int> one = order_under(1), two = order_under(2);
  EXPECT_NE(one, natural);
  EXPECT_NE(one, two);
  EXPECT_EQ(order_under(1), one);
  std::vector<int> sorted = two;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, natural) << "each warp of each block once";
}

// --- generic addresses ------------------------------------------------------------------------------------

__global__ void mixed_spaces(const int* g, int* out) {
  __shared__ int s[32];
  int l[4] = {1000, 2000, 3000, 4000};
  s[threadIdx.x] = 100 + threadIdx.x;
  __syncwarp();
  const int* p = threadIdx.x < 8    ? s + threadIdx.x
                 : threadIdx.x < 20 ? g + threadIdx.x
                                    : l + out[0];
  out[threadIdx.x] = *p;
  int* q = threadIdx.x % 2 == 0 ? s + threadIdx.x : out + 32 + threadIdx.x;
  *q = threadIdx.x;
  atomicAdd(q, 1);
  __syncwarp();
  if (threadIdx.x % 2 == 0) out[32 + threadIdx.x] = s[threadIdx.x];
}

TEST_F(Waiting, EachLaneOfAGenericAccessHasItsOwnSpace) {
  Managed<int> g(32), out(64);
  for (int i = 0; i < 32; ++i) g[i] = 500 + i;
  out[0] = 2;
  mixed_spaces<<<1, 32>>>(g.get(), out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (int t = 0; t < 32; ++t) {
    EXPECT_EQ(out[t], t < 8 ? 100 + t : t < 20 ? 500 + t : 3000) << t;
    EXPECT_EQ(out[32 + t], t + 1) << t;
  }
}

}  // namespace
