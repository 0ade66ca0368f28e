// cp.reduce.async.bulk: each combination of an operation and a type, blocks that reduce to one place, and mistakes that are hazards.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "device/mbarrier.cuh"
#include "device/shared_address.cuh"
#include "test/simulator/hazards/hazard_test.hpp"
#include "test/support/managed.hpp"

namespace {

using simulator::FaultKind;
using simulator::HazardKind;
using simulator::test::expect_fault;
using simulator::test::Managed;

constexpr int BYTES = 16;  // the smallest reduction
constexpr uint64_t SEEDS = 20;

class BulkReductions : public simulator::test::HazardTest {
 protected:
  BulkReductions()
      : HazardTest(__FILE__, {HazardKind::race, HazardKind::unwritten_read, HazardKind::early_use,
                              HazardKind::unawaited_copy, HazardKind::missing_fence}) {}
};

#define REDUCE(WHAT, TO, FROM, COUNT)                                                        \
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." WHAT " [%0], [%1], %2;" \
               :                                                                             \
               : "l"(TO), "r"(device::shared_address(FROM)), "r"(COUNT)                      \
               : "memory")

// --- operations and types

// The reductions of the PTX manual's table, then some that it does not have.
#define VALID(DO)      \
  DO("add.u32")        \
  DO("add.s32")        \
  DO("add.u64")        \
  DO("add.f32")        \
  DO("add.f64")        \
  DO("add.noftz.f16")  \
  DO("add.noftz.bf16") \
  DO("min.u32")        \
  DO("min.s32")        \
  DO("min.u64")        \
  DO("min.s64")        \
  DO("min.f16")        \
  DO("min.bf16")       \
  DO("max.u32")        \
  DO("max.s32")        \
  DO("max.u64")        \
  DO("max.s64")        \
  DO("max.f16")        \
  DO("max.bf16")       \
  DO("inc.u32")        \
  DO("dec.u32")        \
  DO("and.b32")        \
  DO("and.b64")        \
  DO("or.b32")         \
  DO("or.b64")         \
  DO("xor.b32")        \
  DO("xor.b64")
#define INVALID(DO)   \
  DO("add.f16")       \
  DO("add.noftz.f32") \
  DO("add.s64")       \
  DO("min.f32")       \
  DO("inc.s32")       \
  DO("xor.f32")       \
  DO("add.u16")
#define AS_TEXT(WHAT) WHAT,
#define AS_BRANCH(WHAT) \
  if (number++ == which) REDUCE(WHAT, to, tile, BYTES);

const std::vector<std::string> NAMES = {VALID(AS_TEXT) INVALID(AS_TEXT)};
constexpr size_t VALID_NAMES = 27;

__global__ void reduce(int which, const unsigned char* from, unsigned char* to) {
  __shared__ alignas(16) unsigned char tile[BYTES];
  for (int i = 0; i < BYTES; ++i) tile[i] = from[i];
  device::fence_for_copies();
  int number = 0;
  VALID(AS_BRANCH)
  INVALID(AS_BRANCH)
  device::commit_bulk();
  device::wait_bulk<0>();
}

// Returns the elements `old`, reduced by `with`. Elements that are not given are 0.
template <typename T>
std::vector<T> reduced(const std::string& name, std::vector<T> old, std::vector<T> with) {
  const Managed<unsigned char> from(BYTES), to(BYTES);
  std::memcpy(from.get(), with.data(), with.size() * sizeof(T));
  std::memcpy(to.get(), old.data(), old.size() * sizeof(T));
  const auto which = std::find(NAMES.begin(), NAMES.end(), name) - NAMES.begin();
  reduce<<<1, 1>>>(static_cast<int>(which), from.get(), to.get());
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << name;
  std::memcpy(old.data(), to.get(), old.size() * sizeof(T));
  return old;
}

template <typename T>
using Many = std::vector<T>;

TEST_F(BulkReductions, ComputeWithIntegers) {
  using U = uint32_t;
  using S = int32_t;
  using L = uint64_t;
  using SL = int64_t;
  EXPECT_EQ(reduced<U>("add.u32", {1, ~0u, 7, 0}, {2, 1, 0, 5}), (Many<U>{3, 0, 7, 5}));
  EXPECT_EQ(reduced<S>("add.s32", {-1, 5}, {-2, -6}), (Many<S>{-3, -1}));
  EXPECT_EQ(reduced<L>("add.u64", {~uint64_t{0}, 1ull << 32}, {2, 1ull << 32}),
            (Many<L>{1, 1ull << 33}));
  EXPECT_EQ(reduced<U>("min.u32", {1, ~0u}, {~0u, 3}), (Many<U>{1, 3}));
  EXPECT_EQ(reduced<S>("min.s32", {1, -5}, {-1, 3}), (Many<S>{-1, -5}));
  EXPECT_EQ(reduced<L>("min.u64", {1, 9}, {~uint64_t{0}, 8}), (Many<L>{1, 8}));
  EXPECT_EQ(reduced<SL>("min.s64", {1, 9}, {-1, 10}), (Many<SL>{-1, 9}));
  EXPECT_EQ(reduced<U>("max.u32", {1, ~0u}, {~0u, 3}), (Many<U>{~0u, ~0u}));
  EXPECT_EQ(reduced<S>("max.s32", {1, -5}, {-1, 3}), (Many<S>{1, 3}));
  EXPECT_EQ(reduced<L>("max.u64", {1, 9}, {~uint64_t{0}, 8}), (Many<L>{~uint64_t{0}, 9}));
  EXPECT_EQ(reduced<SL>("max.s64", {1, 9}, {-1, 10}), (Many<SL>{1, 10}));
  // The source is the limit at which counting begins anew.
  EXPECT_EQ(reduced<U>("inc.u32", {0, 5, 7, 3}, {5, 5, 5, 9}), (Many<U>{1, 0, 0, 4}));
  EXPECT_EQ(reduced<U>("dec.u32", {0, 5, 7, 3}, {5, 5, 5, 9}), (Many<U>{5, 4, 5, 2}));
  EXPECT_EQ(reduced<U>("and.b32", {0xff00ff00}, {0xf0f0f0f0}), (Many<U>{0xf000f000}));
  EXPECT_EQ(reduced<U>("or.b32", {0xff00ff00}, {0xf0f0f0f0}), (Many<U>{0xfff0fff0}));
  EXPECT_EQ(reduced<U>("xor.b32", {0xff00ff00}, {0xf0f0f0f0}), (Many<U>{0x0ff00ff0}));
  EXPECT_EQ(reduced<L>("and.b64", {3ull << 40}, {1ull << 40}), (Many<L>{1ull << 40}));
  EXPECT_EQ(reduced<L>("or.b64", {2ull << 40}, {1ull << 40}), (Many<L>{3ull << 40}));
  EXPECT_EQ(reduced<L>("xor.b64", {3ull << 40}, {1ull << 40}), (Many<L>{2ull << 40}));
}

// All the bits that an H100 gave (2026-11-25): subnormal numbers, NaN, infinities, zeros of both signs, ties.
TEST_F(BulkReductions, ComputeWithFloatingPointAsADevice) {
  using U = uint32_t;
  using L = uint64_t;
  using H = uint16_t;
  EXPECT_EQ(reduced<float>("add.f32", {1.5f, -2}, {2.25f, 2}), (Many<float>{3.75f, 0}));
  EXPECT_EQ(reduced<U>("add.f32", {0x000116c2, 0x800116c2, 0x00800000, 0x7fc12345},
                       {0, 0x80000000, 0x80400000, 0x3f800000}),
            (Many<U>{0x000116c2, 0x800116c2, 0x00400000, 0x7fffffff}))
      << "the manual says that subnormal numbers become zeros";
  EXPECT_EQ(reduced<U>("add.f32", {0x7f800000, 0x80000000, 0x7f7fffff, 0xff812345},
                       {0xff800000, 0x80000000, 0x7f7fffff, 0x3f800000}),
            (Many<U>{0x7fffffff, 0x80000000, 0x7f800000, 0x7fffffff}));
  EXPECT_EQ(reduced<L>("add.f64", {1, 0x7ff8000000012345}, {1, 0x3ff0000000000000}),
            (Many<L>{2, 0x7ff8000000012345}));
  EXPECT_EQ(reduced<L>("add.f64", {0x7ff0000000000000, 0x3ff0000000000000},
                       {0xfff0000000000000, 0x3ca0000000000000}),
            (Many<L>{0xfff8000000000000, 0x3ff0000000000000}));
  const Many<H> f16{0x0001, 0x8001, 0x7e01, 0x3c00, 0x7c00, 0x7bff, 0x8000, 0x0000},
      f16_with{0x0001, 0x0001, 0x3c00, 0x7e01, 0xfc00, 0x7bff, 0x0000, 0x8000};
  EXPECT_EQ(reduced<H>("add.noftz.f16", f16, f16_with),
            (Many<H>{0x0002, 0x0000, 0x7fff, 0x7fff, 0x7fff, 0x7c00, 0x0000, 0x0000}));
  EXPECT_EQ(reduced<H>("min.f16", f16, f16_with),
            (Many<H>{0x0001, 0x8001, 0x3c00, 0x3c00, 0xfc00, 0x7bff, 0x8000, 0x8000}));
  EXPECT_EQ(reduced<H>("max.f16", f16, f16_with),
            (Many<H>{0x0001, 0x0001, 0x3c00, 0x3c00, 0x7c00, 0x7bff, 0x0000, 0x0000}));
  const Many<H> bf16{0x8000, 0xffc5, 0x3f80, 0x7f80, 0x0080, 0x7f81, 0x3f80, 0x8000},
      bf16_with{0x8000, 0x7fc1, 0x3b80, 0x7f80, 0x8081, 0x3f80, 0x7f81, 0x8000};
  EXPECT_EQ(reduced<H>("add.noftz.bf16", bf16, bf16_with),
            (Many<H>{0x8000, 0x7fff, 0x3f80, 0x7f80, 0x8001, 0x7fff, 0x7fff, 0x8000}));
  EXPECT_EQ(reduced<H>("min.bf16", bf16, bf16_with),
            (Many<H>{0x8000, 0x7fff, 0x3b80, 0x7f80, 0x8081, 0x3f80, 0x3f80, 0x8000}));
  EXPECT_EQ(reduced<H>("max.bf16", bf16, bf16_with),
            (Many<H>{0x8000, 0x7fff, 0x3f80, 0x7f80, 0x0080, 0x3f80, 0x3f80, 0x8000}));
}

TEST_F(BulkReductions, OfNoOtherTypeExist) {
  const Managed<unsigned char> from(BYTES), to(BYTES);
  for (size_t i = VALID_NAMES; i < NAMES.size(); ++i) {
    SCOPED_TRACE(NAMES[i]);
    reduce<<<1, 1>>>(static_cast<int>(i), from.get(), to.get());
    expect_fault(cudaErrorIllegalInstruction, FaultKind::unknown_instruction);
  }
}

// --- order

constexpr int WORDS = 256, BLOCKS = 40;

enum class Mistake {
  none,
  overwrites_source,  // a thread writes to the tile while the copy may still read it
  never_waits,        // the block ends while the copy reads the tile
  no_fence,           // the copy may not see what the threads have written
  reads_sum,          // a thread reads the sum that other blocks add to
  stores,             // the block stores to the place that others add to
};

template <Mistake MISTAKE>
__global__ void add_up(unsigned* sum, unsigned* seen) {
  __shared__ alignas(16) unsigned tile[WORDS];
  for (int i = static_cast<int>(threadIdx.x); i < WORDS; i += static_cast<int>(blockDim.x))
    tile[i] = blockIdx.x + static_cast<unsigned>(i);
  if (MISTAKE != Mistake::no_fence) device::fence_for_copies();
  __syncthreads();
  if (threadIdx.x == 0) {
    REDUCE("add.u32", sum, tile, WORDS * 4);
    device::commit_bulk();
  }
  if (MISTAKE == Mistake::overwrites_source) {
    __syncthreads();
    tile[threadIdx.x] = 0;
  }
  if (MISTAKE == Mistake::reads_sum) seen[blockIdx.x] = sum[7];
  if (MISTAKE == Mistake::stores && blockIdx.x == 1) sum[threadIdx.x] = 1;
  if (threadIdx.x == 0 && MISTAKE != Mistake::never_waits) device::wait_bulk<0>();
}

template <Mistake MISTAKE>
std::vector<unsigned> sums() {
  const Managed<unsigned> sum(WORDS), seen(BLOCKS);
  add_up<MISTAKE><<<BLOCKS, 64>>>(sum.get(), seen.get());
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  return {sum.get(), sum.get() + WORDS};
}

TEST_F(BulkReductions, OfManyBlocksAddUpInEveryOrder) {
  for (uint64_t seed = 0; seed <= SEEDS; ++seed) {
    simulator::set_schedule(seed);
    const std::vector<unsigned> all = sums<Mistake::none>();
    for (unsigned i = 0; i < WORDS; ++i) ASSERT_EQ(all[i], BLOCKS * (BLOCKS - 1) / 2 + BLOCKS * i);
    ASSERT_TRUE(found().empty());
  }
}

TEST_F(BulkReductions, HaveTheHazardsOfBulkStores) {
  sums<Mistake::overwrites_source>();
  const std::vector<simulator::Hazard> overwritten = found();
  ASSERT_FALSE(overwritten.empty());
  EXPECT_EQ(overwritten[0].kind, HazardKind::early_use);
  EXPECT_NE(overwritten[0].message.what.find("cp.reduce.async.bulk is not waited for"),
            std::string::npos)
      << overwritten[0].message.text();
  sums<Mistake::never_waits>();
  const std::vector<simulator::Hazard> unawaited = found();
  ASSERT_FALSE(unawaited.empty());
  EXPECT_EQ(unawaited[0].kind, HazardKind::unawaited_copy) << unawaited[0].message.text();
  sums<Mistake::no_fence>();
  const std::vector<simulator::Hazard> unfenced = found();
  ASSERT_FALSE(unfenced.empty());
  EXPECT_EQ(unfenced[0].kind, HazardKind::missing_fence);
  EXPECT_NE(unfenced[0].message.what.find("cp.reduce.async.bulk reads shared memory"),
            std::string::npos)
      << unfenced[0].message.text();
}

TEST_F(BulkReductions, RaceWithPlainAccesses) {
  sums<Mistake::reads_sum>();
  const std::vector<simulator::Hazard> read = found();
  ASSERT_FALSE(read.empty());
  EXPECT_EQ(read[0].kind, HazardKind::race) << read[0].message.text();
  sums<Mistake::stores>();
  const std::vector<simulator::Hazard> stored = found();
  ASSERT_FALSE(stored.empty());
  EXPECT_EQ(stored[0].kind, HazardKind::race) << stored[0].message.text();
}

TEST_F(BulkReductions, ReadTheOldElements) {
  unsigned *sum, *seen;
  ASSERT_EQ(cudaMalloc(&sum, WORDS * 4), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&seen, BLOCKS * 4), cudaSuccess);
  add_up<Mistake::none><<<1, 64>>>(sum, seen);
  const std::vector<simulator::Hazard> hazards = found();
  ASSERT_FALSE(hazards.empty());
  EXPECT_EQ(hazards[0].kind, HazardKind::unwritten_read) << hazards[0].message.text();
  cudaFree(sum);
  cudaFree(seen);
}

// Adds to a sum that an atomic of another block changes too.
__global__ void add_both_ways(unsigned* sum) {
  __shared__ alignas(16) unsigned tile[4];
  if (blockIdx.x % 2 == 0) {
    for (int i = 0; i < 4; ++i) atomicAdd(&sum[i], 1);
    return;
  }
  for (unsigned& word : tile) word = 100;
  device::fence_for_copies();
  REDUCE("add.u32", sum, tile, BYTES);
  device::commit_bulk();
  device::wait_bulk<0>();
}

TEST_F(BulkReductions, AreAtomicLikeAtomics) {
  const Managed<unsigned> sum(4);
  add_both_ways<<<100, 1>>>(sum.get());
  expect_none();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(sum[i], 50u + 50 * 100);
}

}  // namespace
