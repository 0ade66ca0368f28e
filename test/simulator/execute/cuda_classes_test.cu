// The classes of cuda::: barriers, pipelines, atomics, semaphores, latches, and what they order.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/atomic>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <nv/target>

#include <string>
#include <utility>
#include <vector>

#include "simulator/execute/launch/module.hpp"
#include "test/simulator/hazards/hazard_test.hpp"
#include "test/support/managed.hpp"

namespace {

namespace cg = cooperative_groups;
using simulator::FaultKind;
using simulator::HazardKind;
using simulator::test::expect_fault;
using simulator::test::Managed;
using BlockBarrier = cuda::barrier<cuda::thread_scope_block>;

constexpr uint64_t SEEDS = 10;

class CudaClasses : public simulator::test::HazardTest {
 protected:
  CudaClasses()
      : HazardTest(__FILE__, {HazardKind::race, HazardKind::unwritten_read, HazardKind::early_use,
                              HazardKind::unawaited_copy, HazardKind::misused_mbarrier,
                              HazardKind::forbidden_barrier, HazardKind::beyond_array}) {}

  // Runs a right program in several orders.
  template <typename Launch, typename Check>
  void expect_right(Launch launch, Check check) {
    for (uint64_t seed = 0; seed <= SEEDS && !HasFailure(); ++seed) {
      simulator::set_schedule(seed);
      launch();
      expect_none();
      check();
    }
  }
  // Expects hazards in each of several orders, the first on the mark's line.
  template <typename Launch>
  void expect_hazard(Launch launch, const char* mark) {
    for (uint64_t seed = 0; seed <= SEEDS; ++seed) {
      simulator::set_schedule(seed);
      launch();
      const auto hazards = found();
      ASSERT_FALSE(hazards.empty()) << "seed " << seed;
      EXPECT_TRUE(hazards.front().where.line == line_of(mark) ||
                  hazards.front().other.line == line_of(mark))
          << hazards.front().message.text();
    }
  }
};

// --- barriers -----------------------------------------------------------------------------------------

enum class How { right, no_wait };

template <How HOW>
__global__ void exchange(const int* from, int* to, int rounds) {
  __shared__ BlockBarrier ready, taken;
  __shared__ int tile[128];
  const cg::thread_block block = cg::this_thread_block();
  if (block.thread_rank() == 0) {
    init(&ready, block.size());
    init(&taken, block.size());
  }
  block.sync();
  int sum = 0;
  for (int round = 0; round < rounds; ++round) {
    cuda::memcpy_async(block, tile, from + round * 128, sizeof tile, ready);
    BlockBarrier::arrival_token token = ready.arrive();
    if (HOW == How::right) ready.wait(std::move(token));
    sum += tile[127 - threadIdx.x];  // mark: takes
    taken.arrive_and_wait();
  }
  to[threadIdx.x] = sum;
}

TEST_F(CudaClasses, ABarrierWaitsForCopies) {
  const Managed<int> from(1280), to(128);
  for (size_t i = 0; i < 1280; ++i) from[i] = static_cast<int>(i);
  expect_right([&] { exchange<How::right><<<1, 128>>>(from.get(), to.get(), 10); },
               [&] {
                 for (int i = 0; i < 128; ++i)
                   EXPECT_EQ(to[static_cast<size_t>(i)], 10 * (127 - i) + 128 * 45);
               });
  expect_hazard([&] { exchange<How::no_wait><<<1, 128>>>(from.get(), to.get(), 1); }, "takes");
}

// Half of the threads arrive for good after the first phase.
__global__ void drop(int* out) {
  __shared__ BlockBarrier barrier;
  __shared__ int data[64];
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  data[threadIdx.x] = static_cast<int>(threadIdx.x);
  if (threadIdx.x >= 32) return barrier.arrive_and_drop();
  barrier.arrive_and_wait();
  const int first = data[63 - threadIdx.x];
  barrier.wait_parity(false);
  barrier.arrive_and_wait();
  out[threadIdx.x] = first;
}

TEST_F(CudaClasses, ThreadsLeaveABarrier) {
  const Managed<int> out(32);
  expect_right([&] { drop<<<1, 64>>>(out.get()); },
               [&] {
                 for (int i = 0; i < 32; ++i) EXPECT_EQ(out[static_cast<size_t>(i)], 63 - i);
               });
}

__global__ void lack_arrivals(int* out) {
  __shared__ BlockBarrier barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x + 1);
  __syncthreads();
  barrier.arrive_and_wait();
  *out = 1;
}

TEST_F(CudaClasses, ABlocksBarrierIsAnMbarrier) {
  const Managed<int> out(1);
  lack_arrivals<<<1, 64>>>(out.get());
  const auto fault = expect_fault(cudaErrorLaunchTimeout, FaultKind::endless_wait);
  EXPECT_TRUE(fault.phase.is_awaited);
  EXPECT_EQ(fault.phase.arrivals, 64u);
  EXPECT_EQ(fault.phase.expected_arrivals, 65u);
}

__global__ void copy_in_bulk(const int* from, int* to) {
  namespace bulk = cuda::device::experimental;
  __shared__ alignas(128) int tile[256];
  __shared__ BlockBarrier barrier;
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    bulk::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  BlockBarrier::arrival_token token;
  if (threadIdx.x == 0) {
    cuda::device::memcpy_async_tx(tile, from, cuda::aligned_size_t<16>(sizeof tile), barrier);
    token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof tile);
  } else {
    token = barrier.arrive();
  }
  barrier.wait(std::move(token));
  tile[threadIdx.x] += 1;
  bulk::fence_proxy_async_shared_cta();
  __syncthreads();
  if (threadIdx.x == 0) {
    bulk::cp_async_bulk_shared_to_global(to, tile, sizeof tile);
    bulk::cp_async_bulk_commit_group();
    bulk::cp_async_bulk_wait_group_read<0>();
  }
}

TEST_F(CudaClasses, BulkCopiesArriveAtABarrier) {
  const Managed<int> from(256), to(256);
  for (size_t i = 0; i < 256; ++i) from[i] = static_cast<int>(i);
  expect_right([&] { copy_in_bulk<<<1, 256>>>(from.get(), to.get()); },
               [&] {
                 for (int i = 0; i < 256; ++i) EXPECT_EQ(to[static_cast<size_t>(i)], i + 1);
               });
}

struct Count {
  int* phases;
  __device__ void operator()() { *phases += 1; }
};
using Counting = cuda::barrier<cuda::thread_scope_device, Count>;

__global__ void begin(Counting* barrier, int* phases, int expected) {
  init(barrier, expected, Count{phases});
}
__global__ void meet_across_blocks(Counting* barrier, int* data, int* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned n = gridDim.x * blockDim.x;
  for (int phase = 0; phase < 3; ++phase) {
    data[i] = static_cast<int>(i) + phase;
    barrier->arrive_and_wait();
    out[i] = data[n - 1 - i];
    barrier->arrive_and_wait();
  }
}

TEST_F(CudaClasses, ABarrierOfTheDeviceCallsItsCompletion) {
  Counting* barrier = nullptr;
  cudaMalloc(&barrier, sizeof *barrier);
  const Managed<int> data(128), out(128), phases(1);
  expect_right(
      [&] {
        phases[0] = 0;
        begin<<<1, 1>>>(barrier, phases.get(), 128);
        meet_across_blocks<<<2, 64>>>(barrier, data.get(), out.get());
      },
      [&] {
        EXPECT_EQ(phases[0], 6);
        for (int i = 0; i < 128; ++i) EXPECT_EQ(out[static_cast<size_t>(i)], 129 - i);
      });
  cudaFree(barrier);
}

// --- pipelines ----------------------------------------------------------------------------------------

template <How HOW>
__global__ void staged(const float* from, float* to, int tiles) {
  constexpr int STAGES = 3;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
  __shared__ alignas(16) float stage[STAGES][128];
  const cg::thread_block block = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  float sum = 0;
  for (int tile = 0, next = 0; tile < tiles; ++tile) {
    for (; next < tiles && next < tile + STAGES; ++next) {
      pipeline.producer_acquire();
      cuda::memcpy_async(block, stage[next % STAGES], from + next * 128,
                         cuda::aligned_size_t<16>(512), pipeline);
      pipeline.producer_commit();
    }
    if (HOW == How::right) pipeline.consumer_wait();
    sum += stage[tile % STAGES][127 - threadIdx.x];  // mark: consumes
    pipeline.consumer_release();
  }
  to[threadIdx.x] = sum;
}

TEST_F(CudaClasses, APipelineOfABlock) {
  const Managed<float> from(1280), to(128);
  for (size_t i = 0; i < 1280; ++i) from[i] = static_cast<float>(i);
  expect_right([&] { staged<How::right><<<1, 128>>>(from.get(), to.get(), 10); },
               [&] {
                 for (int i = 0; i < 128; ++i)
                   EXPECT_EQ(to[static_cast<size_t>(i)], 10.0f * (127 - i) + 128 * 45);
               });
  expect_hazard([&] { staged<How::no_wait><<<1, 128>>>(from.get(), to.get(), 2); }, "consumes");
}

__global__ void with_roles(const int* from, int* to, int tiles, bool by_count) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ int stage[2][64];
  const cg::thread_block block = cg::this_thread_block();
  const bool produces = threadIdx.x < 64;
  auto pipeline = by_count ? cuda::make_pipeline(block, &state, size_t{64})
                           : cuda::make_pipeline(block, &state,
                                                 produces ? cuda::pipeline_role::producer
                                                          : cuda::pipeline_role::consumer);
  int sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    if (produces) {
      pipeline.producer_acquire();
      cuda::memcpy_async(&stage[tile % 2][threadIdx.x], from + tile * 64 + threadIdx.x,
                         cuda::aligned_size_t<4>(4), pipeline);
      pipeline.producer_commit();
    } else {
      pipeline.consumer_wait();
      sum += stage[tile % 2][127 - threadIdx.x];
      pipeline.consumer_release();
    }
  }
  if (!produces) to[threadIdx.x - 64] = sum;
}

TEST_F(CudaClasses, ProducersAndConsumers) {
  const Managed<int> from(640), to(64);
  for (size_t i = 0; i < 640; ++i) from[i] = static_cast<int>(i);
  for (const bool by_count : {false, true}) {
    expect_right([&] { with_roles<<<1, 128>>>(from.get(), to.get(), 10, by_count); },
                 [&] {
                   for (int i = 0; i < 64; ++i)
                     EXPECT_EQ(to[static_cast<size_t>(i)], 10 * (63 - i) + 64 * 45);
                 });
  }
}

template <bool WITH_WAIT>
__global__ void of_one_thread(const int4* from, int4* to, int tiles) {
  __shared__ int4 stage[2][32];
  auto pipeline = cuda::make_pipeline();
  for (int tile = -1; tile < tiles; ++tile) {
    pipeline.producer_acquire();
    if (tile + 1 < tiles)
      cuda::memcpy_async(&stage[(tile + 1) % 2][threadIdx.x], from + (tile + 1) * 32 + threadIdx.x,
                         sizeof(int4), pipeline);
    pipeline.producer_commit();
    if (tile < 0) continue;
    if (WITH_WAIT)
      pipeline.consumer_wait();
    else
      cuda::pipeline_consumer_wait_prior<1>(pipeline);
    to[tile * 32 + threadIdx.x] = stage[tile % 2][threadIdx.x];
    pipeline.consumer_release();
  }
}

TEST_F(CudaClasses, APipelineOfAThread) {
  const Managed<int4> from(160), to(160);
  for (int i = 0; i < 160; ++i) from[static_cast<size_t>(i)] = int4{i, 2, 3, -i};
  const auto check = [&] {
    for (int i = 0; i < 160; ++i) {
      EXPECT_EQ(to[static_cast<size_t>(i)].x, i);
      EXPECT_EQ(to[static_cast<size_t>(i)].w, -i);
    }
    cudaMemset(to.get(), 0, 160 * sizeof(int4));
  };
  expect_right([&] { of_one_thread<true><<<1, 32>>>(from.get(), to.get(), 5); }, check);
  expect_right([&] { of_one_thread<false><<<1, 32>>>(from.get(), to.get(), 5); }, check);
}

// --- atomics ------------------------------------------------------------------------------------------

struct Results {
  int most, least;
  unsigned long long wide;
  short small[3];
  unsigned char bytes[4];
  float real;
  unsigned int bits;
  int* pointer;
  int swapped;
};

__global__ void change(Results* r, cuda::atomic<int, cuda::thread_scope_device>* count) {
  const auto i = static_cast<int>(threadIdx.x);
  count->fetch_add(2, cuda::memory_order_relaxed);
  ++*count;
  cuda::atomic_ref<int, cuda::thread_scope_block>(r->most).fetch_max(i);
  cuda::atomic_ref<int>(r->least).fetch_min(-i);
  cuda::std::atomic_ref<unsigned long long>(r->wide) += 1ull << 33;
  cuda::atomic_ref<short, cuda::thread_scope_device>(r->small[i % 3]).fetch_sub(1);
  cuda::atomic_ref<unsigned char, cuda::thread_scope_device>(r->bytes[i % 4])
      .fetch_xor(static_cast<unsigned char>(i));
  cuda::atomic_ref<float, cuda::thread_scope_device>(r->real).fetch_add(0.5f);
  cuda::atomic_ref<unsigned int> bits(r->bits);
  bits |= 1u << i % 32;
  cuda::atomic_ref<int*, cuda::thread_scope_device>(r->pointer).fetch_add(1);
  int expected = 0;
  cuda::atomic_ref<int, cuda::thread_scope_device> swapped(r->swapped);
  while (!swapped.compare_exchange_weak(expected, expected + i)) {
  }
}

TEST_F(CudaClasses, AtomicsOfEveryWidth) {
  const Managed<Results> r(1);
  const Managed<cuda::atomic<int, cuda::thread_scope_device>> count(1);
  change<<<1, 96>>>(r.get(), count.get());
  expect_none();
  EXPECT_EQ(count[0].load(), 288);
  EXPECT_EQ(r[0].most, 95);
  EXPECT_EQ(r[0].least, -95);
  EXPECT_EQ(r[0].wide, 96ull << 33);
  for (const short small : r[0].small) EXPECT_EQ(small, -32);
  unsigned char folded[4]{};
  for (int i = 0; i < 96; ++i) folded[i % 4] = static_cast<unsigned char>(folded[i % 4] ^ i);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(r[0].bytes[i], folded[i]);
  EXPECT_EQ(r[0].real, 48.0f);
  EXPECT_EQ(r[0].bits, 0xffffffffu);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(r[0].pointer), 96 * sizeof(int));
  EXPECT_EQ(r[0].swapped, 95 * 96 / 2);
}

template <cuda::memory_order WRITE>
__global__ void hand_over(int* data, cuda::atomic<int, cuda::thread_scope_device>* flag, int* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    data[0] = 42;
    flag->store(1, WRITE);
    flag->notify_all();
  } else {
    flag->wait(0, cuda::memory_order_acquire);
    out[0] = data[0];  // mark: handed over
  }
}

TEST_F(CudaClasses, AReleaseHandsOverAndARelaxedStoreDoesNot) {
  const Managed<int> data(1), out(1);
  const Managed<cuda::atomic<int, cuda::thread_scope_device>> flag(1);
  expect_right(
      [&] {
        flag[0] = 0;
        hand_over<cuda::memory_order_release><<<2, 32>>>(data.get(), flag.get(), out.get());
      },
      [&] { EXPECT_EQ(out[0], 42); });
  expect_right(
      [&] {
        flag[0] = 0;
        hand_over<cuda::memory_order_seq_cst><<<2, 32>>>(data.get(), flag.get(), out.get());
      },
      [&] { EXPECT_EQ(out[0], 42); });
  expect_hazard(
      [&] {
        flag[0] = 0;
        hand_over<cuda::memory_order_relaxed><<<2, 32>>>(data.get(), flag.get(), out.get());
      },
      "handed over");
}

using Lock = cuda::binary_semaphore<cuda::thread_scope_device>;
using Latch = cuda::latch<cuda::thread_scope_device>;

__global__ void make(Lock* lock, Latch* latch, int blocks) {
  new (lock) Lock(1);
  new (latch) Latch(blocks);
}
__global__ void take_turns(Lock* lock, Latch* latch, int* counts) {
  if (threadIdx.x != 0) return;
  lock->acquire();
  counts[0] += 1;
  lock->release();
  latch->arrive_and_wait();
  if (blockIdx.x == 0) counts[1] = counts[0];
}

TEST_F(CudaClasses, SemaphoresAndLatches) {
  Lock* lock = nullptr;
  Latch* latch = nullptr;
  cudaMalloc(&lock, sizeof *lock);
  cudaMalloc(&latch, sizeof *latch);
  const Managed<int> counts(2);
  expect_right(
      [&] {
        counts[0] = 0;
        make<<<1, 1>>>(lock, latch, 24);
        take_turns<<<24, 32>>>(lock, latch, counts.get());
      },
      [&] {
        EXPECT_EQ(counts[0], 24);
        EXPECT_EQ(counts[1], 24);
      });
  cudaFree(lock);
  cudaFree(latch);
}

using Places = cuda::counting_semaphore<cuda::thread_scope_device, 3>;

// At most three blocks at once are where `inside` counts them.
__global__ void fill(Places* places) { new (places) Places(3); }
__global__ void enter(Places* places, int* inside, int* most) {
  places->acquire();
  atomicMax(most, atomicAdd(inside, 1) + 1);
  atomicSub(inside, 1);
  places->release();
}

TEST_F(CudaClasses, SemaphoresWithSeveralPlaces) {
  Places* places = nullptr;
  cudaMalloc(&places, sizeof *places);
  const Managed<int> inside(1), most(1);
  expect_right(
      [&] {
        inside[0] = most[0] = 0;
        fill<<<1, 1>>>(places);
        enter<<<24, 1>>>(places, inside.get(), most.get());
        cudaDeviceSynchronize();
      },
      [&] {
        EXPECT_EQ(inside[0], 0);
        EXPECT_GE(most[0], 1);
        EXPECT_LE(most[0], 3);
      });
  cudaFree(places);
}

// --- cuda::std and nv/target --------------------------------------------------------------------------

template <typename T>
__host__ __device__ int architecture() {
  int found = 0;
  NV_IF_ELSE_TARGET(NV_IS_DEVICE, (found = 1;), (found = 2;))
  NV_IF_TARGET(NV_PROVIDES_SM_80, (found += 10;))
  NV_DISPATCH_TARGET(NV_IS_EXACTLY_SM_80, (found += 100;), NV_PROVIDES_SM_90, (found += 200;),
                     NV_IS_HOST, (found += 300;))
  return found;
}

__global__ void use_standard_names(int* out) {
  cuda::std::array<int, 3> numbers{3, 1, 2};
  cuda::std::swap(numbers[0], numbers[2]);
  const auto pair = cuda::std::make_tuple(numbers[0], 2.5f);
  static_assert(cuda::std::is_same_v<cuda::std::remove_cv_t<const int>, int>);
  out[0] = cuda::std::get<0>(pair) * 10 + numbers[2];
  out[1] = cuda::std::numeric_limits<short>::max();
  out[2] = cuda::std::identity{}(7);
  out[3] = architecture<int>();
}

TEST_F(CudaClasses, TheStandardLibrarysNamesAndTargets) {
  const Managed<int> out(4);
  use_standard_names<<<1, 1>>>(out.get());
  expect_none();
  EXPECT_EQ(out[0], 23);
  EXPECT_EQ(out[1], 32767);
  EXPECT_EQ(out[2], 7);
  EXPECT_EQ(out[3], 211);
  EXPECT_EQ(architecture<int>(), 302);
}

}  // namespace
