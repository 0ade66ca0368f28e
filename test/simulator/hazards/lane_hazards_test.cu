// Hazards between lanes and between warps: shuffles from absent lanes, false masks, and barriers that the guide
// forbids. Also code that looks like a hazard and is none.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <string>

#include "hazard_test.hpp"
#include "test/support/managed.hpp"

namespace {

using simulator::Hazard;
using simulator::HazardKind;
using simulator::test::Managed;

constexpr unsigned FULL = 0xffffffff;

class LaneHazards : public simulator::test::HazardTest {
 protected:
  LaneHazards()
      : HazardTest(__FILE__, {HazardKind::absent_lane, HazardKind::false_mask,
                              HazardKind::forbidden_barrier}) {}
};

// --- shuffles -------------------------------------------------------------------------------------------

__global__ void sum_after_return(int* out, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  int v = i;
  for (int offset = 16; offset > 0; offset /= 2)
    v += __shfl_down_sync(FULL, v, offset);  // mark: after return
  if (i == 0) *out = v;                      // mark: use after return
}

TEST_F(LaneHazards, AShuffleFromALaneThatHasExited) {
  const Managed<int> out(1);
  sum_after_return<<<1, 32>>>(out.get(), 20);
  expect_one(HazardKind::absent_lane, "after return",
             {"lane 4 reads lane 20 with __shfl_down_sync", "lane 20 has exited",
              "thread (4, 0, 0) of block (0, 0, 0)", "mask 0xffffffff",
              "used at lane_hazards_test.cu:" + std::to_string(line_of("use after return"))});
  sum_after_return<<<1, 32>>>(out.get(), 32);
  expect_none();
}

__global__ void sum_of_a_row(const int* in, int* out) {
  int v = in[threadIdx.x];
  for (int bit = 16; bit > 0; bit /= 2) v += __shfl_xor_sync(FULL, v, bit);  // mark: no lane
  out[threadIdx.x] = v;
}

TEST_F(LaneHazards, AShuffleFromALaneThatTheBlockDoesNotHave) {
  const Managed<int> in(64), out(64);
  sum_of_a_row<<<2, dim3(12, 4)>>>(in.get(), out.get());
  expect_one(HazardKind::absent_lane, "no lane",
             {"lane 0 reads lane 16 with __shfl_xor_sync", "the block has 48 threads",
              "thread (8, 2, 0) of block (0, 0, 0)"});
  sum_of_a_row<<<2, 64>>>(in.get(), out.get());
  expect_none();
}

__global__ void outside_of_the_mask(int* out) {
  out[threadIdx.x] =
      threadIdx.x < 8 ? __shfl_sync(0xff, static_cast<int>(threadIdx.x), 8) : 0;  // mark: outside
}

TEST_F(LaneHazards, AShuffleFromALaneThatIsNotInTheMask) {
  const Managed<int> out(32);
  outside_of_the_mask<<<1, 32>>>(out.get());
  expect_one(
      HazardKind::absent_lane, "outside",
      {"lane 0 reads lane 8 with __shfl_sync", "lane 8 does not come to it", "mask 0x000000ff"});
}

__global__ void two_tiles(int* out) {
  const unsigned mask = threadIdx.x < 16 ? 0xffffu : 0xffff0000u;
  out[threadIdx.x] = __shfl_xor_sync(mask, static_cast<int>(threadIdx.x), 16);  // mark: tiles
}

TEST_F(LaneHazards, AShuffleFromALaneOfAnotherTile) {
  const Managed<int> out(32);
  two_tiles<<<1, 32>>>(out.get());
  expect_one(HazardKind::absent_lane, "tiles",
             {"lane 0 reads lane 16", "the mask does not name lane 16", "mask 0x0000ffff"});
}

__global__ void first_of_eight(int* out) {
  if (threadIdx.x >= 8) return;
  int v = threadIdx.x;
  for (int offset = 4; offset > 0; offset /= 2) v += __shfl_down_sync(0xff, v, offset);
  if (threadIdx.x == 0) *out = v;
}

// The upper lanes read beyond the mask. No thread uses their results.
TEST_F(LaneHazards, ASumByHalvesReadsNothingThatCounts) {
  const Managed<int> out(1);
  first_of_eight<<<1, 32>>>(out.get());
  expect_none();
  EXPECT_EQ(out[0], 28);
}

__global__ void guarded_neighbours(const int* in, int* out, int n) {
  const int i = threadIdx.x;
  const unsigned mask = __ballot_sync(FULL, i < n);
  if (i >= n) return;
  const int v = in[i];
  const int right = __shfl_down_sync(mask, v, 1);
  const int left = __shfl_sync(mask, v, i + 31);
  const bool rises = i + 1 < n && right > v;
  out[i] = (i + 1 < n ? right : v) + (i > 0 ? left : v) + rises;
}

TEST_F(LaneHazards, AValueThatIsReadAndNotChosenIsNoUse) {
  const Managed<int> in(32), out(32);
  for (int i = 0; i < 32; ++i) in[i] = 10 * i;
  guarded_neighbours<<<1, 32>>>(in.get(), out.get(), 20);
  expect_none();
  EXPECT_EQ(out[5], 101);
  EXPECT_EQ(out[19], 370);
}

__global__ void decides_a_branch(const int* in, int* out, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  if (__shfl_down_sync(FULL, in[i], 1) > 3) atomicAdd(out, 1);  // mark: decides
}

TEST_F(LaneHazards, AValueThatDecidesABranchIsUsed) {
  const Managed<int> in(32), out(1);
  for (int i = 0; i < 32; ++i) in[i] = i;
  decides_a_branch<<<1, 32>>>(in.get(), out.get(), 20);
  expect_one(HazardKind::absent_lane, "decides", {"lane 19 reads lane 20"});
}

// --- masks ----------------------------------------------------------------------------------------------

__global__ void mask_without_caller(unsigned* out) {
  out[threadIdx.x] = __ballot_sync(0xffff, threadIdx.x % 2);  // mark: without caller
}

TEST_F(LaneHazards, AMaskThatDoesNotNameItsCaller) {
  const Managed<unsigned> out(32);
  mask_without_caller<<<1, 32>>>(out.get());
  expect_one(HazardKind::false_mask, "without caller",
             {"lane 16 calls __ballot_sync", "does not name lane 16", "mask 0x0000ffff"});
}

__global__ void half_a_warp_votes(int* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = __any_sync(FULL, threadIdx.x == 3);  // mark: half
  __syncthreads();
  out[threadIdx.x] += 1;
}

TEST_F(LaneHazards, AMaskThatNamesLanesOfAnotherBranch) {
  const Managed<int> out(32);
  half_a_warp_votes<<<1, 32>>>(out.get());
  expect_one(HazardKind::false_mask, "half",
             {"__any_sync names 16 lanes (lane 16 first)", "another branch", "mask 0xffffffff"});
}

__global__ void each_branch_has_its_own(int* out) {
  if (threadIdx.x != 5) {
    out[threadIdx.x] = __shfl_sync(0xffffffdf, 7, 0);
    __syncwarp(0xffffffdf);
  } else {
    out[threadIdx.x] = __shfl_sync(0x00000021, 7, 5);  // mark: waits here
  }
  __syncthreads();
  out[threadIdx.x] += 1;
}

TEST_F(LaneHazards, AMaskThatNamesOneLaneOfAnotherBranch) {
  const Managed<int> out(32);
  each_branch_has_its_own<<<1, 32>>>(out.get());
  expect_one(HazardKind::false_mask, "waits here",
             {"__shfl_sync names lane 0, which takes another branch", "mask 0x00000021"});
}

__global__ void both_branches_wait(int* out) {
  if (threadIdx.x < 16) {
    out[threadIdx.x] = __any_sync(FULL, threadIdx.x == 3);  // mark: one
  } else {
    out[threadIdx.x] = __all_sync(FULL, threadIdx.x == 3);  // mark: other
  }
  __syncthreads();
  out[threadIdx.x] += 1;
}

TEST_F(LaneHazards, AMaskThatNamesLanesThatWaitElsewhere) {
  const Managed<int> out(32);
  both_branches_wait<<<1, 32>>>(out.get());
  std::string text;
  for (const Hazard& hazard : found()) text += hazard.message.text();
  const std::string there = "lane_hazards_test.cu:" + std::to_string(line_of("one"));
  const std::string here = "lane_hazards_test.cu:" + std::to_string(line_of("other"));
  EXPECT_TRUE(text.find("wait at " + there + " instead") != std::string::npos ||
              text.find("wait at " + here + " instead") != std::string::npos)
      << text;
}

__global__ void masks_that_differ(unsigned* out) {
  const unsigned mask = threadIdx.x < 16 ? 0xffffu : FULL;
  out[threadIdx.x] = __match_any_sync(mask, threadIdx.x % 2);  // mark: differ
}

TEST_F(LaneHazards, LanesThatNameEachOtherWithDifferentMasks) {
  const Managed<unsigned> out(32);
  masks_that_differ<<<1, 32>>>(out.get());
  expect_one(
      HazardKind::false_mask, "differ",
      {"lane 16 calls __match_any_sync together with lane 0", "masks 0xffffffff and 0x0000ffff"});
}

__global__ void syncwarp_without_caller(int* out) {
  out[threadIdx.x] = 1;
  __syncwarp(0x7fffffff);  // mark: syncwarp
  out[threadIdx.x] = 2;
}

TEST_F(LaneHazards, ASyncwarpThatDoesNotNameItsCaller) {
  const Managed<int> out(32);
  syncwarp_without_caller<<<1, 32>>>(out.get());
  expect_one(HazardKind::false_mask, "syncwarp", {"lane 31 calls __syncwarp"});
}

__global__ void tiles_and_exited_lanes(unsigned* out, int n) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned tile = 0xffu << lane / 8 * 8;
  if (static_cast<int>(lane) >= n) return;
  __syncwarp();
  const unsigned votes = __ballot_sync(tile, lane % 2);
  out[threadIdx.x] = votes + __activemask() * 0 + __shfl_sync(FULL, lane, 0);
}

// A mask may name lanes that have exited. Tiles of a warp may vote at the same time.
TEST_F(LaneHazards, MasksThatAreInOrder) {
  const Managed<unsigned> out(96);
  tiles_and_exited_lanes<<<1, 96>>>(out.get(), 20);
  expect_none();
}

// --- barriers -------------------------------------------------------------------------------------------

__global__ void two_barriers(int* out) {
  __shared__ int values[64];
  values[threadIdx.x] = threadIdx.x;
  if (threadIdx.x < 32) {
    __syncthreads();  // mark: first barrier
    out[threadIdx.x] = values[63 - threadIdx.x];
  } else {
    __syncthreads();  // mark: second barrier
    out[threadIdx.x] = values[63 - threadIdx.x] + 1;
  }
}

TEST_F(LaneHazards, WarpsAtDifferentBarriersAreOneHazardInAnyOrder) {
  const Managed<int> out(64);
  for (const uint64_t seed : {0, 1, 2, 3}) {
    simulator::set_schedule(seed);
    two_barriers<<<3, 64>>>(out.get());
    expect_one(
        HazardKind::forbidden_barrier, "first barrier",
        {"meet at different __syncthreads()", "thread (0, 0, 0) of block (0, 0, 0)",
         "while others are at lane_hazards_test.cu:" + std::to_string(line_of("second barrier"))});
  }
}

__global__ void named_barriers(int number) {
  if (threadIdx.x < 32 && number == 1) asm volatile("bar.sync 1, 96;");  // mark: 96
  if (threadIdx.x >= 32 && number == 1) asm volatile("bar.sync 1, 64;");
  if (number == 2) asm volatile("bar.sync 2, 48;");  // mark: 48
  if (threadIdx.x < 32 && number == 3) asm volatile("bar.sync 3, 64;");
  if (threadIdx.x >= 32 && number == 3) asm volatile("bar.sync 3, 64;");
}

TEST_F(LaneHazards, NamedBarriersWithCountsThatCannotBe) {
  named_barriers<<<1, 96>>>(1);
  expect_one(HazardKind::forbidden_barrier, "96", {"barrier 1", "96 threads", "64 threads"});
  named_barriers<<<1, 64>>>(2);
  expect_one(HazardKind::forbidden_barrier, "48", {"barrier 2 waits for 48 threads"});
  named_barriers<<<1, 64>>>(3);
  expect_none();
}

__global__ void some_return_before_the_barrier(int* out) {
  if (threadIdx.x % 3 == 0) return;
  __syncthreads();
  out[threadIdx.x] = 1;
}

TEST_F(LaneHazards, ABarrierThatSomeHaveLeftForIsNone) {
  const Managed<int> out(96);
  some_return_before_the_barrier<<<2, 96>>>(out.get());
  expect_none();
}

}  // namespace
