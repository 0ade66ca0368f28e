// Hazards around wgmma: its registers, its fences, the threads' stores that it reads, and the warps that execute it. A right
// kernel has none in any order of warps. Each mistake is found in every order.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "device/mbarrier.cuh"
#include "device/wgmma.cuh"
#include "test/simulator/hazards/hazard_test.hpp"
#include "test/support/managed.hpp"

namespace {

using device::Factor;
using device::Swizzle;
using simulator::Hazard;
using simulator::HazardKind;
using simulator::test::Managed;

constexpr int THREADS = 128, M = 64, N = 64, K = 64, MK = 16;
constexpr uint64_t SEEDS = 20;

enum class Mistake {
  none,
  fence_by_the_reader,  // right: who multiplies passes the fence between proxies, after the barrier
  fence_by_a_lane_of_each_warp,  // right: a lane passes it for its warp
  scales_between_products,       // right
  reads_early,
  writes_early,
  never_waits,
  no_fence,
  writes_after_the_fence,
  no_proxy_fence,
  proxy_fence_before_the_stores,
  proxy_fence_by_one_thread,
  one_warp_elsewhere,
  one_warp_absent,
};

template <Mistake MISTAKE>
__global__ void product(float* c, const float* begin) {
  using enum Mistake;
  __shared__ alignas(1024) __half a[M * K], b[N * K];
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  if (MISTAKE == proxy_fence_before_the_stores) device::fence_for_copies();
  for (int i = thread; i < M * K; i += THREADS) {
    const int row = i / K, k = i % K, at = row * K + (k / 8 ^ row % 8) * 8 + k % 8;
    a[at] = __float2half(static_cast<float>((row * 3 + k * 7) % 9 - 4));  // mark: stores
    b[at] = __float2half(static_cast<float>((row * 5 + k * 2) % 7 - 3));
  }
  if (MISTAKE == fence_by_a_lane_of_each_warp) __syncwarp();
  const bool has_own = MISTAKE != no_proxy_fence && MISTAKE != fence_by_the_reader &&
                       MISTAKE != proxy_fence_before_the_stores;
  const bool passes = MISTAKE == fence_by_a_lane_of_each_warp ? lane == 5
                      : MISTAKE == proxy_fence_by_one_thread  ? thread == 0
                                                              : has_own;
  if (passes) device::fence_for_copies();
  __syncthreads();
  if (MISTAKE == fence_by_the_reader) device::fence_for_copies();

  float sum[N / 2];
  for (float& one : sum) one = begin[thread];
  const auto tile = [](const __half* first, int k) {
    return device::describe_matrix(device::shared_address(first) + k * 2, 0, 1024,
                                   Swizzle::bytes_128);
  };
  if (MISTAKE != no_fence) device::fence_wgmma();
  if (MISTAKE == writes_after_the_fence) sum[3] += begin[1];  // mark: after the fence
  if (MISTAKE == one_warp_absent && warp == 2) return;
  if (MISTAKE == one_warp_elsewhere && warp == 1) {
    device::commit_wgmma();
  }
  for (int k = 0; k < K; k += MK)
    device::multiply_async<Factor::f16, N>(sum, tile(a, k), tile(b, k), true);
  device::commit_wgmma();
  if (MISTAKE == reads_early) c[thread] = sum[1];  // mark: early read
  if (MISTAKE == writes_early)
    asm volatile("mov.f32 %0, 0f3f800000;" : "+f"(sum[0]));  // mark: early write
  if (MISTAKE != never_waits) device::wait_wgmma<0>();
  if (MISTAKE == scales_between_products) {
    for (int step = 0; step < 2; ++step) {
      for (float& one : sum) one *= 2;
      device::fence_wgmma();
      device::multiply_async<Factor::f16, N>(sum, tile(a, 0), tile(b, 0), true);
      device::commit_wgmma();
      device::wait_wgmma<0>();
    }
  }
  for (int i = 0; i < N / 2; ++i) c[i * THREADS + thread] = sum[i];  // mark: read at the end
}

class WgmmaHazards : public simulator::test::HazardTest {
 protected:
  WgmmaHazards()
      : HazardTest(__FILE__, {HazardKind::race, HazardKind::unwritten_read, HazardKind::early_use,
                              HazardKind::missing_fence, HazardKind::split_warpgroup}),
        c_(M * N),
        begin_(THREADS) {
    std::fill_n(begin_.get(), THREADS, 0.0f);
  }

  template <Mistake MISTAKE>
  void run(uint64_t seed) {
    simulator::set_schedule(seed);
    product<MISTAKE><<<1, THREADS>>>(c_.get(), begin_.get());
  }

  template <Mistake MISTAKE>
  void expect_right() {
    for (uint64_t seed = 0; seed <= SEEDS; ++seed) {
      run<MISTAKE>(seed);
      expect_none();
    }
  }

  // Expects a hazard of this kind in every order, whose message has all these texts. A text "@mark" is the mark's line.
  template <Mistake MISTAKE>
  void expect_found(HazardKind kind, const std::vector<std::string>& says) {
    for (uint64_t seed = 0; seed <= SEEDS; ++seed) {
      run<MISTAKE>(seed);
      const std::vector<Hazard> hazards = found();
      const auto first = std::find_if(hazards.begin(), hazards.end(),
                                      [&](const Hazard& hazard) { return hazard.kind == kind; });
      ASSERT_NE(first, hazards.end()) << "seed " << seed;
      const std::string text = first->message.text();
      EXPECT_FALSE(first->message.advice.empty());
      for (std::string part : says) {
        if (part.starts_with('@'))
          part = "wgmma_hazards_test.cu:" + std::to_string(line_of(part.substr(1)));
        EXPECT_NE(text.find(part), std::string::npos) << "missing: " << part << "\n" << text;
      }
    }
  }

  const Managed<float> c_, begin_;
};

TEST_F(WgmmaHazards, RightKernelsHaveNoneInAnyOrder) {
  expect_right<Mistake::none>();
  expect_right<Mistake::fence_by_the_reader>();
  expect_right<Mistake::fence_by_a_lane_of_each_warp>();
  expect_right<Mistake::scales_between_products>();
}

TEST_F(WgmmaHazards, AResultThatIsReadEarly) {
  expect_found<Mistake::reads_early>(
      HazardKind::early_use, {"its result is read before the product is done", "@early read",
                              "wgmma.wait_group.sync.aligned 0"});
}

// The result appears at the wait. Without one, the registers hold their old values.
TEST_F(WgmmaHazards, AResultThatNobodyAwaitsDoesNotAppear) {
  expect_found<Mistake::never_waits>(HazardKind::early_use, {"is read", "@read at the end"});
  for (int i = 0; i < M * N; ++i) ASSERT_EQ(c_[static_cast<size_t>(i)], 0.0f);
  run<Mistake::none>(0);
  expect_none();
  float any = 0;
  for (int i = 0; i < M * N; ++i) any = std::max(any, c_[static_cast<size_t>(i)]);
  EXPECT_GT(any, 0.0f);
}

TEST_F(WgmmaHazards, AnAccumulatorThatIsWrittenEarly) {
  expect_found<Mistake::writes_early>(HazardKind::early_use,
                                      {"its result is overwritten", "@early write"});
}

TEST_F(WgmmaHazards, NoFenceBeforeTheFirstProduct) {
  expect_found<Mistake::no_fence>(HazardKind::missing_fence,
                                  {"wgmma.fence is missing", "wgmma_hazards_test.cu:"});
}

TEST_F(WgmmaHazards, ARegisterThatIsWrittenAfterTheFence) {
  expect_found<Mistake::writes_after_the_fence>(
      HazardKind::missing_fence,
      {"was written after the last fence", "@after the fence", "wgmma.fence.sync.aligned between"});
}

TEST_F(WgmmaHazards, StoresWithoutAFenceBetweenProxies) {
  const std::vector<std::string> says{"fence.proxy.async is missing", "@stores", "of a"};
  expect_found<Mistake::no_proxy_fence>(HazardKind::missing_fence, says);
  expect_found<Mistake::proxy_fence_before_the_stores>(HazardKind::missing_fence, says);
  expect_found<Mistake::proxy_fence_by_one_thread>(HazardKind::missing_fence, says);
}

TEST_F(WgmmaHazards, WarpsThatPart) {
  expect_found<Mistake::one_warp_elsewhere>(
      HazardKind::split_warpgroup,
      {"warps of a warpgroup part", "warp 1 of the four", "wgmma_hazards_test.cu:"});
  expect_found<Mistake::one_warp_absent>(
      HazardKind::split_warpgroup, {"warp 2 of the four never executes it", "block (0, 0, 0)"});
}

// --- A in registers ---------------------------------------------------------------------------------------

template <bool WRITES_EARLY>
__global__ void product_of_registers(float* c, const uint32_t* elements) {
  __shared__ alignas(1024) __half b[N * K];
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < N * K; i += THREADS) b[i] = __float2half(1.0f);
  device::fence_for_copies();
  __syncthreads();
  float sum[N / 2] = {};
  uint32_t a[4];
  for (int i = 0; i < 4; ++i) a[i] = elements[thread * 4 + i];
  const uint64_t of_b =
      device::describe_matrix(device::shared_address(b), 0, 1024, Swizzle::bytes_128);
  for (int step = 0; step < 3; ++step) {
    device::fence_wgmma();
    device::multiply_async<Factor::f16, N>(sum, a, of_b, true);
    device::commit_wgmma();
    if (WRITES_EARLY) asm volatile("add.u32 %0, %0, 1;" : "+r"(a[2]));  // mark: early element
    device::wait_wgmma<0>();
    for (uint32_t& one : a) one += 5;
  }
  for (int i = 0; i < N / 2; ++i) c[i * THREADS + thread] = sum[i];
}

TEST_F(WgmmaHazards, ElementsInRegistersThatAreOverwrittenEarly) {
  const Managed<uint32_t> elements(THREADS * 4);
  std::fill_n(elements.get(), THREADS * 4, 0u);
  product_of_registers<false><<<1, THREADS>>>(c_.get(), elements.get());
  expect_none();
  product_of_registers<true><<<1, THREADS>>>(c_.get(), elements.get());
  const auto hazards = found();
  ASSERT_EQ(hazards.size(), 1u);
  const std::string text = hazards[0].message.text();
  EXPECT_NE(text.find("elements of its A is overwritten"), std::string::npos) << text;
  EXPECT_EQ(hazards[0].other.line, line_of("early element")) << text;
}

// --- shared memory that nobody wrote ----------------------------------------------------------------------

template <bool WRITES_B>
__global__ void multiply_unwritten(float* c) {
  __shared__ alignas(1024) __half a[M * K], b[N * K];
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < M * K; i += THREADS) {
    a[i] = __float2half(1.0f);
    if (WRITES_B) b[i] = a[i];
  }
  device::fence_for_copies();
  __syncthreads();
  const auto described = [](const __half* first) {
    return device::describe_matrix(device::shared_address(first), 0, 1024, Swizzle::bytes_128);
  };
  float sum[N / 2] = {};
  device::fence_wgmma();
  device::multiply_async<Factor::f16, N>(sum, described(a), described(b), true);
  device::commit_wgmma();
  device::wait_wgmma<0>();
  for (int i = 0; i < N / 2; ++i) c[i * THREADS + thread] = sum[i];
}

TEST_F(WgmmaHazards, ATileThatNobodyWrote) {
  multiply_unwritten<true><<<1, THREADS>>>(c_.get());
  expect_none();
  multiply_unwritten<false><<<1, THREADS>>>(c_.get());
  const auto hazards = found();
  ASSERT_EQ(hazards.size(), 1u);
  EXPECT_EQ(hazards[0].kind, HazardKind::unwritten_read);
  EXPECT_NE(hazards[0].message.text().find("of b"), std::string::npos) << hazards[0].message.text();
}

// --- a result that is moved while it is late --------------------------------------------------------------

// A compiler may rename registers by moves. The copy is late too: it has the result after the wait.
__global__ void move_late_result(float* c) {
  __shared__ alignas(1024) __half a[M * K], b[N * K];
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < M * K; i += THREADS) a[i] = b[i] = __float2half(1.0f);
  device::fence_for_copies();
  __syncthreads();
  const auto described = [](const __half* first) {
    return device::describe_matrix(device::shared_address(first), 0, 1024, Swizzle::bytes_128);
  };
  float sum[N / 2] = {}, copy = 0;
  device::fence_wgmma();
  device::multiply_async<Factor::f16, N>(sum, described(a), described(b), true);
  device::commit_wgmma();
  asm volatile("mov.f32 %0, %1;" : "=f"(copy) : "f"(sum[5]));
  device::wait_wgmma<0>();
  c[thread] = copy;
  for (int i = 1; i < N / 2; ++i) c[i * THREADS + thread] = sum[i];
}

TEST_F(WgmmaHazards, ALateResultThatIsMovedIsLateInBothRegisters) {
  move_late_result<<<1, THREADS>>>(c_.get());
  expect_none();
  for (int i = 0; i < M * N; ++i) ASSERT_EQ(c_[static_cast<size_t>(i)], static_cast<float>(MK));
}

// --- two products under way -------------------------------------------------------------------------------

// Waits for the first of two groups. Its result may be read then, the other's not.
template <bool READS_THE_SECOND>
__global__ void wait_for_one_of_two(float* c) {
  __shared__ alignas(1024) __half a[M * K], b[N * K];
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < M * K; i += THREADS) a[i] = b[i] = __float2half(1.0f);
  device::fence_for_copies();
  __syncthreads();
  const auto described = [](const __half* first) {
    return device::describe_matrix(device::shared_address(first), 0, 1024, Swizzle::bytes_128);
  };
  float one[N / 2] = {}, two[N / 2] = {};
  device::fence_wgmma();
  device::multiply_async<Factor::f16, N>(one, described(a), described(b), true);
  device::commit_wgmma();
  device::multiply_async<Factor::f16, N>(two, described(a), described(b), true);
  device::multiply_async<Factor::f16, N>(two, described(a), described(b), true);
  device::commit_wgmma();
  device::wait_wgmma<1>();
  const float early = READS_THE_SECOND ? two[0] : one[0];
  asm volatile("st.global.f32 [%0], %1;" ::"l"(&c[thread]), "f"(early) : "memory");  // mark: second
  device::wait_wgmma<0>();
  for (int i = 1; i < N / 2; ++i) c[i * THREADS + thread] = one[i] + two[i];
}

TEST_F(WgmmaHazards, AWaitCoversTheGroupsButTheLastOnes) {
  wait_for_one_of_two<false><<<1, THREADS>>>(c_.get());
  expect_none();
  EXPECT_EQ(c_[0], static_cast<float>(MK));
  EXPECT_EQ(c_[THREADS], static_cast<float>(3 * MK));
  wait_for_one_of_two<true><<<1, THREADS>>>(c_.get());
  const auto hazards = found();
  ASSERT_EQ(hazards.size(), 1u);
  EXPECT_EQ(hazards[0].kind, HazardKind::early_use);
  EXPECT_EQ(hazards[0].other.line, line_of("second")) << hazards[0].message.text();
  EXPECT_EQ(c_[0], 0.0f);  // not yet there
  EXPECT_EQ(c_[THREADS], static_cast<float>(3 * MK));
}

// --- mbarriers and bulk stores ----------------------------------------------------------------------------

template <bool HAS_FENCE>
__global__ void load_once(const int* in, int* out) {
  __shared__ alignas(16) int tile[32];
  __shared__ device::Mbarrier full;
  if (threadIdx.x == 0) {
    device::init_mbarrier(full, 1);
    if (HAS_FENCE) device::fence_mbarriers();
  }
  __syncthreads();
  if (threadIdx.x == 32) {
    device::expect(full, sizeof tile);
    device::load_bulk(tile, in, sizeof tile, full);
  }
  device::wait(full, 0);
  out[threadIdx.x] = tile[threadIdx.x % 32];
}

TEST_F(WgmmaHazards, AnMbarrierWhoseInitialisationIsNotFenced) {
  const Managed<int> in(32), out(64);
  std::fill_n(in.get(), 32, 7);
  for (uint64_t seed = 0; seed <= SEEDS; ++seed) {
    simulator::set_schedule(seed);
    load_once<true><<<1, 64>>>(in.get(), out.get());
    expect_none();
    load_once<false><<<1, 64>>>(in.get(), out.get());
    const auto hazards = found();
    ASSERT_EQ(hazards.size(), 1u) << "seed " << seed;
    EXPECT_EQ(hazards[0].kind, HazardKind::missing_fence);
    const std::string text = hazards[0].message.text();
    EXPECT_NE(text.find("uses an mbarrier that a thread has initialised"), std::string::npos)
        << text;
    EXPECT_NE(text.find("of full"), std::string::npos) << text;
    EXPECT_NE(text.find("fence.mbarrier_init"), std::string::npos) << text;
  }
}

// The threads that store pass a fence: before the barrier, or too late, or never.
enum class Fence { in_time, late, never };

template <Fence FENCE>
__global__ void store_once(int* out) {
  __shared__ alignas(16) int tile[64];
  const bool stores = threadIdx.x >= 32;                               // the first warp copies
  if (stores) tile[threadIdx.x - 32] = static_cast<int>(threadIdx.x);  // mark: store to copy
  if (FENCE == Fence::in_time) device::fence_for_copies();
  __syncthreads();
  if (FENCE == Fence::late && stores) device::fence_for_copies();
  if (threadIdx.x == 0) {
    device::store_bulk(out, tile, sizeof tile);
    device::commit_bulk();
    device::wait_bulk<0>();
  }
}

TEST_F(WgmmaHazards, ABulkStoreOfUnfencedStores) {
  const Managed<int> out(64);
  for (uint64_t seed = 0; seed <= SEEDS; ++seed) {
    simulator::set_schedule(seed);
    store_once<Fence::in_time><<<1, 96>>>(out.get());
    expect_none();
    for (const auto kernel : {store_once<Fence::late>, store_once<Fence::never>}) {
      kernel<<<1, 96>>>(out.get());
      const auto hazards = found();
      ASSERT_EQ(hazards.size(), 1u) << "seed " << seed;
      EXPECT_EQ(hazards[0].kind, HazardKind::missing_fence);
      EXPECT_EQ(hazards[0].other.line, line_of("store to copy"));
      const std::string text = hazards[0].message.text();
      EXPECT_NE(text.find("cp.async.bulk reads shared memory"), std::string::npos) << text;
    }
  }
}

}  // namespace
