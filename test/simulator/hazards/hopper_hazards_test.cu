// Mistakes in a whole kernel of Hopper's kind, with inline PTX as a programmer writes it: a producer fills a ring with bulk copies, a
// warpgroup multiplies by wgmma, scales its sums, and stores them through shared memory. The right kernel has no hazard in any order of
// warps, and each mistake is found in every order.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "test/simulator/hazards/hazard_test.hpp"
#include "test/support/managed.hpp"

namespace {

using simulator::Hazard;
using simulator::HazardKind;
using simulator::test::Managed;

constexpr int M = 64, N = 8, BK = 16, STAGES = 2, STEPS = 6, GROUP = 128;
constexpr int TILE = M * BK, OUTPUTS = 2;
constexpr uint64_t SEEDS = 20;

enum class Mistake {
  none,
  reads_sums_early,
  scales_sums_early,
  scales_without_a_fence,
  no_proxy_fence_before_the_product,
  no_proxy_fence_before_the_store,
  gives_back_before_the_wait,
  never_waits_for_full,
  waits_for_one_phase_twice,  // the parity stays the same
  never_waits_for_empty,
  overwrites_what_a_store_reads,
  expects_too_much,
  expects_too_little,
  no_fence_after_init,
  one_warp_multiplies_elsewhere,
};

__device__ uint32_t in_shared(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__device__ void wait_for(uint64_t& bar, int parity) {
  asm volatile(
      "{\n.reg .pred p;\n"
      "WAIT: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
      "@!p bra WAIT;\n}" ::"r"(in_shared(&bar)),
      "r"(parity)
      : "memory");
}

__device__ void arrive_at(uint64_t& bar) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(in_shared(&bar)) : "memory");
}

__device__ uint64_t describe(const __half* tile, int rows) {
  return uint64_t{128 >> 4} << 32 | uint64_t(rows * 16 >> 4) << 16 | in_shared(tile) >> 4;
}

__device__ void multiply(float (&d)[4], const __half* a, const __half* b) {
  asm volatile(  // mark: product
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
      "{%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "l"(describe(a, M)), "l"(describe(b, N)));
}

// The same with the sign of A turned, so that the compiler does not merge both.
__device__ void multiply_negated(float (&d)[4], const __half* a, const __half* b) {
  asm volatile(  // mark: in the branch
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
      "{%0, %1, %2, %3}, %4, %5, 1, -1, 1, 0, 0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "l"(describe(a, M)), "l"(describe(b, N)));
}

// D = D / 2 + A B for each step. A's tiles lie in global memory as blocks of 8 rows by 16 bytes, so a bulk copy brings one.
template <Mistake MISTAKE>
__global__ void pipeline(const __half* a, const int* b, float* c) {
  using enum Mistake;
  __shared__ alignas(128) __half tile_a[STAGES][TILE], tile_b[N * BK];
  __shared__ alignas(128) float output[M * N];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == GROUP) {
    for (int s = 0; s < STAGES; ++s) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(in_shared(&full[s])) : "memory");
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(in_shared(&empty[s])), "r"(GROUP)
                   : "memory");
    }
    if (MISTAKE != no_fence_after_init)
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  if (thread < GROUP) {
    tile_b[thread] = __int2half_rn(b[thread]);  // mark: store of b
    if (MISTAKE != no_proxy_fence_before_the_product)
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();

  if (thread >= GROUP) {
    // Another thread than the one that has initialised the barriers.
    if (thread != GROUP + 1) return;
    for (int step = 0; step < STEPS; ++step) {
      const int s = step % STAGES;
      if (MISTAKE != never_waits_for_empty) wait_for(empty[s], (step / STAGES + 1) % 2);
      constexpr int BYTES = TILE * sizeof(__half);
      constexpr int EXPECTED = MISTAKE == expects_too_much     ? BYTES + 16
                               : MISTAKE == expects_too_little ? BYTES - 16
                                                               : BYTES;
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"  // mark: expectation
                   ::"r"(in_shared(&full[s])),
                   "r"(EXPECTED)
                   : "memory");
      asm volatile(  // mark: load
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
          " [%0], [%1], %2, [%3];" ::"r"(in_shared(tile_a[s])),
          "l"(a + step * TILE), "r"(BYTES), "r"(in_shared(&full[s]))
          : "memory");
    }
    return;
  }

  float d[4] = {};
  for (int step = 0; step < STEPS; ++step) {
    const int s = step % STAGES;
    if (MISTAKE != never_waits_for_full)
      wait_for(full[s], MISTAKE == waits_for_one_phase_twice ? 0 : step / STAGES % 2);
    if (MISTAKE != scales_without_a_fence) {
      for (float& sum : d) sum *= 0.5f;
    }
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    if (MISTAKE == scales_without_a_fence) {
      for (float& sum : d) sum *= 0.5f;  // mark: scaling after the fence
    }
    if (MISTAKE == one_warp_multiplies_elsewhere && thread / 32 == 2) {
      multiply_negated(d, tile_a[s], tile_b);
    } else {
      multiply(d, tile_a[s], tile_b);
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    if (MISTAKE == reads_sums_early && step == STEPS - 1) c[thread] = d[1];  // mark: early read
    if (MISTAKE == scales_sums_early) d[0] *= 0.5f;                          // mark: early scaling
    if (MISTAKE == gives_back_before_the_wait) arrive_at(empty[s]);
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    if (MISTAKE != gives_back_before_the_wait) arrive_at(empty[s]);
  }

  for (int turn = 0; turn < OUTPUTS; ++turn) {
    const int row = thread / 32 * 16 + thread % 32 / 4, col = thread % 4 * 2;
    for (int i = 0; i < 4; ++i)
      output[(row + i / 2 * 8) * N + col + i % 2] = d[i] + float(turn);  // mark: store of sums
    if (MISTAKE != no_proxy_fence_before_the_store)
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("bar.sync 1, 128;" ::: "memory");
    if (thread == 0) {
      asm volatile(  // mark: bulk store
          "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(c + turn * M * N),
          "r"(in_shared(output)), "r"(M * N * 4)
          : "memory");
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
      if (MISTAKE != overwrites_what_a_store_reads)
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
    asm volatile("bar.sync 1, 128;" ::: "memory");
  }
  if (thread == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

class HopperHazards : public simulator::test::HazardTest {
 protected:
  HopperHazards() : HazardTest(__FILE__, {}), a_(STEPS * TILE), b_(N * BK), c_(OUTPUTS * M * N) {
    for (int i = 0; i < STEPS * TILE; ++i) a_[i] = __int2half_rn(element_of_a(i) * 64);
    for (int i = 0; i < N * BK; ++i) b_[i] = i * 5 % 7 - 3;
  }
  static int element_of_a(int i) { return i * 11 % 9 - 4; }

  // Returns the messages of all hazards, and of the fault if the launch ended with one.
  template <Mistake MISTAKE>
  std::vector<std::string> messages(uint64_t seed) {
    simulator::set_schedule(seed);
    pipeline<MISTAKE><<<1, GROUP + 32>>>(a_.get(), b_.get(), c_.get());
    cudaDeviceSynchronize();
    std::vector<std::string> messages;
    for (const Hazard& hazard : simulator::current_device().hazards.found())
      messages.push_back(hazard.message.text());
    if (const std::optional<simulator::Fault> fault = simulator::last_fault())
      messages.push_back(fault->text());
    simulator::current_device().hazards.clear();
    simulator::clear_fault();
    return messages;
  }

  // Expects, in every order, a message with one of these texts. A text "@mark" is the mark's line.
  template <Mistake MISTAKE>
  void expect_found(std::vector<std::string> texts) {
    for (std::string& text : texts) {
      if (text.starts_with('@'))
        text = "hopper_hazards_test.cu:" + std::to_string(line_of(text.substr(1)));
    }
    for (uint64_t seed = 0; seed <= SEEDS; ++seed) {
      const std::vector<std::string> all = messages<MISTAKE>(seed);
      const bool found = std::any_of(all.begin(), all.end(), [&](const std::string& text) {
        return std::any_of(texts.begin(), texts.end(), [&](const std::string& part) {
          return text.find(part) != std::string::npos;
        });
      });
      EXPECT_TRUE(found) << "seed " << seed << ": " << all.size() << " messages, and none is right";
      for (const std::string& text : all) {
        if (!found) ADD_FAILURE() << text;
      }
      if (!found) return;
    }
  }

  const Managed<__half> a_;
  const Managed<int> b_;
  const Managed<float> c_;
};

TEST_F(HopperHazards, ARightKernelHasNoneInAnyOrder) {
  std::vector<float> want(M * N);
  for (int step = 0; step < STEPS; ++step) {
    for (int m = 0; m < M; ++m) {
      for (int n = 0; n < N; ++n) {
        float& sum = want[static_cast<size_t>(m * N + n)];
        sum *= 0.5f;
        for (int k = 0; k < BK; ++k) {
          const int of_a = step * TILE + k / 8 * M * 8 + m * 8 + k % 8;
          sum += static_cast<float>(element_of_a(of_a) * 64 * b_[k / 8 * N * 8 + n * 8 + k % 8]);
        }
      }
    }
  }
  for (uint64_t seed = 0; seed <= SEEDS; ++seed) {
    std::fill_n(c_.get(), OUTPUTS * M * N, -1.0f);
    for (const std::string& text : messages<Mistake::none>(seed)) ADD_FAILURE() << text;
    for (int i = 0; i < OUTPUTS * M * N; ++i) {
      const auto at = static_cast<size_t>(i);
      ASSERT_EQ(c_[at], want[at % (M * N)] + static_cast<float>(i / (M * N))) << i;
    }
  }
}

// A producer that comes too late for its phases waits for ever instead: the consumers have run ahead.
TEST_F(HopperHazards, AStageThatNobodyWaitsFor) {
  expect_found<Mistake::never_waits_for_full>({"@product", "waits for ever"});
}

TEST_F(HopperHazards, APhaseThatIsWaitedForTwice) {
  expect_found<Mistake::waits_for_one_phase_twice>({"@product", "waits for ever"});
}

TEST_F(HopperHazards, AStageThatIsFilledWithoutWaitingForItsReaders) {
  expect_found<Mistake::never_waits_for_empty>({"@product", "@load"});
}

TEST_F(HopperHazards, ATileThatIsOverwrittenWhileAStoreReadsIt) {
  expect_found<Mistake::overwrites_what_a_store_reads>({"@store of sums"});
}

TEST_F(HopperHazards, MoreBytesExpectedThanCopied) {
  expect_found<Mistake::expects_too_much>({"told to expect 2064 bytes, and copies brought 2048"});
}

TEST_F(HopperHazards, FewerBytesExpectedThanCopied) {
  expect_found<Mistake::expects_too_little>({"told to expect 2032 bytes, and copies brought 2048"});
}

TEST_F(HopperHazards, SumsThatAreReadEarly) {
  expect_found<Mistake::reads_sums_early>({"@early read"});
}

TEST_F(HopperHazards, SumsThatAreScaledEarly) {
  expect_found<Mistake::scales_sums_early>({"@early scaling"});
}

TEST_F(HopperHazards, SumsThatAreScaledAfterTheFence) {
  expect_found<Mistake::scales_without_a_fence>({"@scaling after the fence"});
}

TEST_F(HopperHazards, StoresThatTheTensorCoreMayNotSee) {
  expect_found<Mistake::no_proxy_fence_before_the_product>({"@store of b"});
}

TEST_F(HopperHazards, StoresThatABulkStoreMayNotSee) {
  expect_found<Mistake::no_proxy_fence_before_the_store>({"@store of sums"});
}

TEST_F(HopperHazards, AnMbarrierThatACopyMayNotSee) {
  expect_found<Mistake::no_fence_after_init>({"@load", "@expectation"});
}

TEST_F(HopperHazards, AWarpThatMultipliesElsewhere) {
  expect_found<Mistake::one_warp_multiplies_elsewhere>({"@in the branch", "@product"});
}

TEST_F(HopperHazards, AStageThatIsGivenBackBeforeTheProductIsDone) {
  expect_found<Mistake::gives_back_before_the_wait>({"@product", "@load"});
}

}  // namespace
