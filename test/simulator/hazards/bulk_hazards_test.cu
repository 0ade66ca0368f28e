// Hazards around mbarriers and bulk copies: rings that are right in every order, and each mistake in them.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "device/mbarrier.cuh"
#include "test/simulator/hazards/hazard_test.hpp"
#include "test/support/managed.hpp"

namespace {

using device::Mbarrier;
using simulator::FaultKind;
using simulator::HazardKind;
using simulator::test::expect_fault;
using simulator::test::Managed;

class BulkHazards : public simulator::test::HazardTest {
 protected:
  BulkHazards()
      : HazardTest(__FILE__, {HazardKind::race, HazardKind::unwritten_read, HazardKind::early_use,
                              HazardKind::unawaited_copy, HazardKind::misused_mbarrier,
                              HazardKind::missing_fence, HazardKind::split_warpgroup}) {}

  // Expects exactly one hazard, whose first line is the call of the function in device/mbarrier.cuh.
  void expect_one_of_kind(HazardKind kind, const std::vector<std::string>& says) const {
    const std::vector<simulator::Hazard> hazards = found();
    ASSERT_EQ(hazards.size(), 1u);
    const std::string text = hazards[0].message.text();
    EXPECT_EQ(hazards[0].kind, kind) << text;
    EXPECT_EQ(hazards[0].where.file_name(), "bulk_hazards_test.cu") << text;
    EXPECT_FALSE(hazards[0].message.advice.empty());
    for (const std::string& part : says)
      EXPECT_NE(text.find(part), std::string::npos) << "missing: " << part << "\n" << text;
  }
};

constexpr uint64_t SEEDS = 20;

// --- a ring: one producer, consumers that give stages back ----------------------------------------------

constexpr int STAGES = 3, WORDS = 256, CONSUMERS = 128;

enum class Mistake {
  none,
  no_wait_for_full,   // a consumer reads at once, without waiting
  one_waits_for_all,  // one consumer waits, and the others read without waiting
  no_wait_for_empty,  // the producer overwrites without waiting
  early_release,      // a consumer gives the stage back before it has read it
  no_barrier_after_init,
};

template <Mistake MISTAKE>
__global__ void ring(const int* in, int* out, int tiles) {
  __shared__ alignas(16) int tile[STAGES][WORDS];
  __shared__ Mbarrier full[STAGES], empty[STAGES];
  const int thread = threadIdx.x;
  if (thread == 0) {
    for (Mbarrier& m : full) device::init_mbarrier(m, 1);
    for (Mbarrier& m : empty) device::init_mbarrier(m, CONSUMERS);
    device::fence_mbarriers();
  }
  if (MISTAKE != Mistake::no_barrier_after_init) __syncthreads();

  if (thread >= CONSUMERS) {
    if (thread > CONSUMERS) return;
    for (int t = 0; t < tiles; ++t) {
      const int stage = t % STAGES, round = t / STAGES;
      if (round > 0 && MISTAKE != Mistake::no_wait_for_empty)
        device::wait(empty[stage], (round - 1) % 2);
      device::expect(full[stage], sizeof tile[0]);
      device::load_bulk(tile[stage], in + t * WORDS, sizeof tile[0], full[stage]);
    }
    return;
  }
  int sum = 0;
  for (int t = 0; t < tiles; ++t) {
    const int stage = t % STAGES;
    const bool waits = MISTAKE != Mistake::no_wait_for_full &&
                       (MISTAKE != Mistake::one_waits_for_all || thread == 0);
    if (waits) device::wait(full[stage], t / STAGES % 2);
    if (MISTAKE == Mistake::early_release) device::arrive(empty[stage]);
    sum += tile[stage][thread] + tile[stage][WORDS - 1 - thread];  // mark: read
    if (MISTAKE != Mistake::early_release) device::arrive(empty[stage]);
  }
  out[thread] = sum;
}

class Ring : public BulkHazards {
 protected:
  static constexpr int TILES = 8;
  Ring() : in_(TILES * WORDS), out_(CONSUMERS) {
    std::iota(in_.get(), in_.get() + TILES * WORDS, 0);
  }

  template <Mistake MISTAKE>
  void run(uint64_t seed) {
    simulator::set_schedule(seed);
    ring<MISTAKE><<<1, CONSUMERS + 32>>>(in_.get(), out_.get(), TILES);
    simulator::set_schedule(0);
  }
  // Expects one of these hazards in every order, on the mark's line or beside it.
  template <Mistake MISTAKE>
  void expect_found(const std::vector<HazardKind>& kinds, const char* mark) {
    for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
      run<MISTAKE>(seed);
      cudaDeviceSynchronize();
      const auto hazards = simulator::current_device().hazards.found();
      const bool any = std::any_of(hazards.begin(), hazards.end(), [&](const auto& hazard) {
        return std::find(kinds.begin(), kinds.end(), hazard.kind) != kinds.end() &&
               (hazard.where.line == line_of(mark) || hazard.other.line == line_of(mark));
      });
      EXPECT_TRUE(any) << mark << ", seed " << seed << ": " << hazards.size() << " others";
      for (const auto& hazard : hazards) {
        if (!any) ADD_FAILURE() << hazard.message.text();
      }
      simulator::current_device().hazards.clear();
      simulator::clear_fault();
    }
  }

  const Managed<int> in_, out_;
};

TEST_F(Ring, ThatIsRightHasNoneInAnyOrder) {
  for (uint64_t seed = 0; seed <= SEEDS; ++seed) {
    run<Mistake::none>(seed);
    expect_none();
    for (int i = 0; i < CONSUMERS; ++i) {
      int sum = 0;
      for (int t = 0; t < TILES; ++t) sum += 2 * t * WORDS + WORDS - 1;
      ASSERT_EQ(out_[i], sum) << "seed " << seed;
    }
  }
}

// The timeline names the mbarriers, their phases, and who completes them.
TEST_F(Ring, HasATimeline) {
  simulator::record_timelines("ring", 0);
  run<Mistake::none>(0);
  expect_none();
  const std::vector<lens::Timeline> timelines = simulator::recorded_timelines();
  simulator::stop_recording_timelines();
  ASSERT_EQ(timelines.size(), 1u);
  const lens::Timeline& timeline = timelines.front();
  EXPECT_EQ(timeline.warps.size(), CONSUMERS / 32 + 1u);
  EXPECT_FALSE(timeline.is_cut);
  ASSERT_EQ(timeline.mbarriers.size(), 2u * STAGES);
  for (size_t i = 0; i < timeline.mbarriers.size(); ++i) {
    const lens::TimedMbarrier& one = timeline.mbarriers[i];
    const bool is_full = i < STAGES;
    const size_t stage = i % STAGES;
    EXPECT_EQ(one.name, (is_full ? "full[" : "empty[") + std::to_string(stage) + "]");
    EXPECT_EQ(one.begins + one.phases.size(), timeline.steps());
    const uint32_t rounds = TILES / STAGES + (stage < TILES % STAGES ? 1 : 0);
    EXPECT_EQ(one.phases.back(), rounds);
    const std::vector<uint64_t> by_producer{0, 0, 0, 0, rounds};
    const std::vector<uint64_t> by_consumers{32u * rounds, 32u * rounds, 32u * rounds, 32u * rounds,
                                             0};
    EXPECT_EQ(one.arrivals, is_full ? by_producer : by_consumers);
    EXPECT_EQ(one.copies, is_full ? by_producer : std::vector<uint64_t>(5));
  }
  const auto copies = [](const lens::Moment& moment) { return moment.copies; };
  EXPECT_EQ(std::count_if(timeline.warps[4].begin(), timeline.warps[4].end(), copies), TILES);
}

// A consumer that runs before the producer reads unwritten memory. Otherwise it reads data that are still being copied.
TEST_F(Ring, ReadBeforeTheCopyIsWaitedFor) {
  expect_found<Mistake::no_wait_for_full>(
      {HazardKind::early_use, HazardKind::unwritten_read, HazardKind::race}, "read");
}

TEST_F(Ring, ReadByThreadsOfWhichOnlyOneWaited) {
  expect_found<Mistake::one_waits_for_all>(
      {HazardKind::early_use, HazardKind::unwritten_read, HazardKind::race}, "read");
}

TEST_F(Ring, OverwrittenWithoutWaitingForItsConsumers) {
  expect_found<Mistake::no_wait_for_empty>({HazardKind::early_use, HazardKind::race}, "read");
}

TEST_F(Ring, GivenBackBeforeItIsRead) {
  expect_found<Mistake::early_release>({HazardKind::early_use, HazardKind::race}, "read");
}

TEST_F(Ring, UsedBeforeItsMbarriersAreKnown) {
  for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
    run<Mistake::no_barrier_after_init>(seed);
    const bool failed = cudaDeviceSynchronize() == cudaErrorLaunchFailure;
    const auto hazards = simulator::current_device().hazards.found();
    EXPECT_TRUE(failed || std::any_of(hazards.begin(), hazards.end(),
                                      [&](const auto& hazard) {
                                        return hazard.kind == HazardKind::race &&
                                               hazard.message.text().find(" of full") !=
                                                   std::string::npos;
                                      }))
        << "seed " << seed;
    simulator::current_device().hazards.clear();
    simulator::clear_fault();
  }
}

// --- the thread that waited tells the others ------------------------------------------------------------

// One lane waits, and its warp meets. Or one warp waits, and the group meets at its own barrier.
template <bool BY_WARP>
__global__ void hand_on(const int* in, int* out) {
  __shared__ alignas(16) int tile[WORDS];
  __shared__ Mbarrier full, done;
  const int thread = threadIdx.x;
  if (thread == 0) {
    device::init_mbarrier(full, 1);
    device::init_mbarrier(done, 1);
    device::fence_mbarriers();
  }
  __syncthreads();
  if (thread >= 64) {
    if (thread == 64) {
      device::expect(full, sizeof tile);
      device::load_bulk(tile, in, sizeof tile, full);
      device::wait(done, 0);
      for (int& word : tile) word = 0;  // all have read, and the arriving thread knows it
    }
    return;
  }
  if (BY_WARP) {
    if (thread % 32 == 0) device::wait(full, 0);
    __syncwarp();
  } else {
    if (thread < 32) device::wait(full, 0);
    asm volatile("bar.sync 1, 64;" ::: "memory");
  }
  out[thread] = tile[thread] + tile[WORDS - 1 - thread];
  asm volatile("bar.sync 1, 64;" ::: "memory");
  if (thread == 33) device::arrive(done);
}

TEST_F(BulkHazards, WhoWaitedHandsItsKnowledgeOn) {
  const Managed<int> in(WORDS), out(64);
  std::iota(in.get(), in.get() + WORDS, 0);
  for (uint64_t seed = 0; seed <= SEEDS; ++seed) {
    simulator::set_schedule(seed);
    for (const auto kernel : {hand_on<true>, hand_on<false>}) {
      kernel<<<1, 96>>>(in.get(), out.get());
      expect_none();
      for (int i = 0; i < 64; ++i) ASSERT_EQ(out[i], WORDS - 1);
    }
  }
}

// --- mbarriers ------------------------------------------------------------------------------------------

__global__ void never_initialised() {
  __shared__ Mbarrier m;
  device::arrive(m);
}

TEST_F(BulkHazards, AnMbarrierThatWasNotInitialised) {
  never_initialised<<<1, 1>>>();
  const std::string said = expect_fault(cudaErrorLaunchFailure, FaultKind::misused_mbarrier).text();
  EXPECT_NE(said.find("not initialised"), std::string::npos) << said;
}

__global__ void arrive_too_often() {
  __shared__ Mbarrier m;
  device::init_mbarrier(m, 2);
  uint64_t state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1], 3;"  // mark: too often
               : "=l"(state)
               : "r"(device::shared_address(&m))
               : "memory");
}

TEST_F(BulkHazards, MoreArrivalsThanThePhaseExpects) {
  arrive_too_often<<<1, 1>>>();
  const std::string said = expect_fault(cudaErrorLaunchFailure, FaultKind::misused_mbarrier).text();
  EXPECT_NE(said.find("more often than its phase expects"), std::string::npos) << said;
  EXPECT_NE(said.find("bulk_hazards_test.cu:" + std::to_string(line_of("too often"))),
            std::string::npos)
      << said;
}

__global__ void expect_too_much() {
  __shared__ Mbarrier m;
  device::init_mbarrier(m, 1);
  device::expect(m, 1 << 20);
}

TEST_F(BulkHazards, MoreBytesThanAnMbarrierCounts) {
  expect_too_much<<<1, 1>>>();
  const std::string said = expect_fault(cudaErrorLaunchFailure, FaultKind::misused_mbarrier).text();
  EXPECT_NE(said.find("1048575"), std::string::npos) << said;
}

// --- bulk stores ----------------------------------------------------------------------------------------

enum class StoreMistake { none, overwritten, not_awaited };

template <StoreMistake MISTAKE>
__global__ void store_twice(int* out) {
  __shared__ alignas(16) int tile[WORDS];
  for (int turn = 0; turn < 2; ++turn) {
    for (int& word : tile) word = turn;  // mark: overwrite
    device::fence_for_copies();
    device::store_bulk(out + turn * WORDS, tile, sizeof tile);
    device::commit_bulk();
    if (MISTAKE != StoreMistake::overwritten && turn == 0) device::wait_bulk_read<0>();
  }
  if (MISTAKE != StoreMistake::not_awaited) device::wait_bulk<0>();
}

TEST_F(BulkHazards, AStoreWhoseSourceIsOverwritten) {
  const Managed<int> out(2 * WORDS);
  store_twice<StoreMistake::none><<<1, 1>>>(out.get());
  expect_none();
  store_twice<StoreMistake::overwritten><<<1, 1>>>(out.get());
  expect_one_of_kind(HazardKind::early_use, {"its source is overwritten", "wait_group"});
}

TEST_F(BulkHazards, AStoreThatIsUnderWayWhenTheBlockEnds) {
  const Managed<int> out(2 * WORDS);
  store_twice<StoreMistake::not_awaited><<<1, 1>>>(out.get());
  expect_one_of_kind(HazardKind::unawaited_copy, {"ends while a bulk copy", "wait"});
}

__global__ void load_and_leave(const int* in) {
  __shared__ alignas(16) int tile[WORDS];
  __shared__ Mbarrier full;
  device::init_mbarrier(full, 1);
  device::fence_mbarriers();
  device::expect(full, sizeof tile);
  device::load_bulk(tile, in, sizeof tile, full);
}

TEST_F(BulkHazards, ALoadThatNobodyWaitsFor) {
  const Managed<int> in(WORDS);
  load_and_leave<<<1, 1>>>(in.get());
  expect_one_of_kind(HazardKind::unawaited_copy, {"ends while a bulk copy", "wait"});
}

}  // namespace
