// The messages of races between threads and bulk or tensor copies: they name the copy, and advise what orders it.
#include <cuda.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "device/cluster.cuh"
#include "device/mbarrier.cuh"
#include "device/tensor_copy.cuh"
#include "test/simulator/hazards/hazard_test.hpp"
#include "test/support/managed.hpp"

namespace {

using device::Mbarrier;
using simulator::Hazard;
using simulator::HazardKind;
using simulator::test::Managed;

constexpr int WARP = 32, FLOATS = 32;
constexpr uint64_t SEEDS = 20;

enum class Mistake {
  reads_without_wait,
  writes_without_wait,
  loads_over_a_load,
  loads_over_readers,
  loads_over_writers,
  stores_without_a_barrier,
  writes_after_a_store,
  reads_before_the_load,
  stores_what_nobody_wrote,
};

// Two warps share a tile. In the first order of warps, the second warp comes to its part when the first one is done. If the kernel
// is MENDED, it does what the message advises.
template <Mistake MISTAKE, bool BULK, bool MENDED>
__global__ void share(const __grid_constant__ CUtensorMap map, float* memory) {
  using enum Mistake;
  __shared__ alignas(128) float tile[FLOATS];
  __shared__ volatile float other[FLOATS];
  __shared__ Mbarrier full[2];
  const int thread = static_cast<int>(threadIdx.x), lane = thread % WARP;
  const bool is_first_warp = thread < WARP;
  if (thread == 0) {
    for (Mbarrier& mbarrier : full) device::init_mbarrier(mbarrier, 1);
    device::fence_mbarriers();
  }
  __syncthreads();
  const auto load = [&](Mbarrier& mbarrier) {
    if (lane > 0) return;
    device::expect(mbarrier, sizeof tile);
    if (BULK) {
      device::load_bulk(tile, memory, sizeof tile, mbarrier);  // mark: bulk load
    } else {
      const int at[] = {0};
      device::load_tensor(tile, map, at, mbarrier);  // mark: load
    }
  };
  const auto store = [&] {
    if (lane > 0) return;
    if (BULK) {
      device::store_bulk(memory + FLOATS, tile, sizeof tile);  // mark: bulk store
    } else {
      const int at[] = {FLOATS};
      device::store_tensor(map, at, tile);  // mark: store
    }
    device::commit_bulk();
    device::wait_bulk<0>();
  };

  if (MISTAKE == stores_what_nobody_wrote) {
    if (is_first_warp) return;
    other[lane] = 1;
    if (MENDED) {
      tile[lane] = 1;
      device::fence_for_copies();
      __syncwarp();
    }
    store();
  } else if (MISTAKE == stores_without_a_barrier || MISTAKE == writes_after_a_store) {
    if (is_first_warp) {
      tile[lane] = 1;  // mark: write before the store
      device::fence_for_copies();
    }
    if (MENDED || MISTAKE == writes_after_a_store) __syncthreads();
    if (is_first_warp == (MISTAKE == writes_after_a_store)) store();
    if (MISTAKE == writes_after_a_store) {
      if (MENDED) __syncthreads();
      if (!is_first_warp) tile[lane] = 2;  // mark: write after the store
    }
  } else if (MISTAKE == loads_over_writers) {
    if (is_first_warp) {
      tile[lane] = 1;  // mark: write before the load
      if (MENDED) device::fence_for_copies();
    }
    if (MENDED) __syncthreads();
    if (!is_first_warp) {
      load(full[0]);
      device::wait(full[0], 0);
    }
  } else if (MISTAKE == reads_before_the_load && !MENDED) {
    if (is_first_warp) memory[2 * FLOATS + lane] = tile[lane];  // mark: read before the load
    __syncthreads();
    if (!is_first_warp) {
      load(full[0]);
      device::wait(full[0], 0);
    }
  } else if (is_first_warp) {
    load(full[0]);
    device::wait(full[0], 0);
    if (MISTAKE == loads_over_readers)
      memory[2 * FLOATS + lane] = tile[lane];  // mark: read before the next load
    if (MENDED && MISTAKE == loads_over_readers) __syncthreads();
  } else {
    if (MENDED || MISTAKE == loads_over_readers) device::wait(full[0], 0);
    if (MENDED && MISTAKE == loads_over_readers) __syncthreads();
    if (MISTAKE == loads_over_a_load || MISTAKE == loads_over_readers) {
      load(full[1]);
      device::wait(full[1], 0);
    } else if (MISTAKE == writes_without_wait) {
      tile[lane] = 3;  // mark: write
    } else {
      memory[2 * FLOATS + lane] = tile[lane];  // mark: read
    }
  }
}

enum class ClusterMistake {
  overwrites_the_source,
  reads_what_it_sent,
  reads_what_another_block_got,
  copies_over_readers,
  copies_over_writers,
  ends_at_once,
};

// A block copies its source to another block's target. In the first order, block 2 goes on first after a barrier, and then block 0.
template <ClusterMistake MISTAKE, bool MENDED>
__global__ void __cluster_dims__(3, 1, 1) share_in_cluster(int* out) {
  using enum ClusterMistake;
  constexpr bool SENDS_LATER = MISTAKE == copies_over_readers || MISTAKE == copies_over_writers;
  constexpr uint32_t SENDER = SENDS_LATER ? 1 : 2, RECEIVER = 0,
                     READER = MISTAKE == reads_what_it_sent ? SENDER : 1;
  __shared__ alignas(16) int source[WARP], target[WARP];
  __shared__ Mbarrier full;
  const int thread = static_cast<int>(threadIdx.x);
  const uint32_t rank = device::cluster_rank();
  source[thread] = target[thread] = thread;
  if (thread == 0) {
    device::init_mbarrier(full, 1);
    device::fence_mbarriers();
    device::expect(full, sizeof target);
  }
  device::fence_for_copies();
  device::sync_cluster();

  if (rank == RECEIVER && MISTAKE == copies_over_readers)
    out[thread] = target[thread];  // mark: read of the target
  if (rank == RECEIVER && MISTAKE == copies_over_writers) {
    target[thread] = 1;  // mark: write to the target
    if (MENDED) device::fence_for_copies();
  }
  if (MENDED && SENDS_LATER) device::sync_cluster();
  if (rank == SENDER && thread == 0)
    device::copy_to_block(RECEIVER, target, source, sizeof source, full);  // mark: copy to a block
  if (rank == RECEIVER) device::wait_in_cluster(full, 0);
  // Who has waited may overwrite the source too.
  if (MENDED && rank == RECEIVER && MISTAKE == overwrites_the_source)
    device::store_in_cluster(device::shared_in(SENDER, &source[thread]), 0);
  if (MENDED && !SENDS_LATER) device::sync_cluster();
  if (rank == SENDER && MISTAKE == overwrites_the_source) source[thread] = -1;  // mark: overwrite
  if (rank == READER &&
      (MISTAKE == reads_what_it_sent || MISTAKE == reads_what_another_block_got)) {
    const uint32_t there = device::shared_in(RECEIVER, &target[thread]);
    out[thread] = static_cast<int>(device::load_in_cluster(there));  // mark: read from the cluster
  }
  if (MENDED || MISTAKE != ends_at_once) device::sync_cluster();
}

// Warp 1 copies to another array, and leaves half of the tile unwritten.
__global__ void leave_half_unwritten(float* memory) {
  __shared__ alignas(16) float tile[2 * WARP], other[WARP];
  __shared__ Mbarrier full;
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == WARP) {
    device::init_mbarrier(full, 1);
    device::fence_mbarriers();
    device::expect(full, sizeof other);
    device::load_bulk(other, memory, sizeof other, full);
    device::wait(full, 0);
  }
  if (thread >= WARP) return;
  tile[thread] = 1;
  __syncthreads();
  memory[WARP + thread] = tile[WARP + thread];  // mark: read of the other half
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

class CopyRaces : public simulator::test::HazardTest {
 protected:
  CopyRaces()
      : HazardTest(__FILE__, {HazardKind::race, HazardKind::unwritten_read, HazardKind::early_use,
                              HazardKind::unawaited_copy, HazardKind::missing_fence,
                              HazardKind::ended_block}),
        memory_(3 * FLOATS),
        out_(WARP) {
    const cuuint64_t sizes[] = {3 * FLOATS}, strides[] = {0};
    const cuuint32_t box[] = {FLOATS}, steps[] = {1};
    EXPECT_EQ(cuTensorMapEncodeTiled(&map_, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 1, memory_.get(),
                                     sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                     CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                     CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
              CUDA_SUCCESS);
  }

  // Expects one hazard of a function `run(seed)`, and none of `run_mended(seed)`. In the texts, COPY is the copy's name, and [mark]
  // the place of a mark; that of "bulk load" instead of "load", if the copies are bulk copies.
  template <typename Run, typename RunMended>
  void expect_in_form(HazardKind kind, const std::vector<std::string>& marks,
                      const std::vector<std::string>& texts, bool bulk, Run run,
                      RunMended run_mended) {
    SCOPED_TRACE(bulk ? "bulk copies" : "tensor copies");
    const auto place_of = [&](const std::string& mark) {
      const int of_bulk = bulk ? line_of("bulk " + mark) : -1;
      return "copy_races_test.cu:" + std::to_string(of_bulk > 0 ? of_bulk : line_of(mark));
    };
    const std::vector<Hazard> hazards = run(0);
    for (size_t i = 1; i < hazards.size(); ++i) ADD_FAILURE() << hazards[i].message.text();
    ASSERT_FALSE(hazards.empty());
    const std::string message = hazards.front().message.text();
    EXPECT_EQ(hazards.front().kind, kind) << message;
    EXPECT_EQ(message.find("returned before writing"), std::string::npos) << message;
    for (std::string text : texts) {
      for (const std::string& mark : marks) text = replaced(text, "[" + mark + "]", place_of(mark));
      text = replaced(text, "COPY", bulk ? "bulk copy" : "tensor copy");
      EXPECT_NE(message.find(text), std::string::npos) << "missing: " << text << "\n" << message;
    }
    for (uint64_t seed = 0; seed <= SEEDS; ++seed) {
      // Another order of the warps may show the mistake as a read of unwritten memory or as an early use.
      const std::vector<Hazard> found = run(seed);
      EXPECT_TRUE(std::any_of(found.begin(), found.end(),
                              [&](const Hazard& hazard) {
                                return hazard.message.where.find(place_of(marks.back())) !=
                                       std::string::npos;
                              }))
          << "seed " << seed;
      for (const Hazard& hazard : run_mended(seed))
        ADD_FAILURE() << "mended, seed " << seed << ": " << hazard.message.text();
    }
  }

  template <Mistake MISTAKE, bool BULK, bool MENDED>
  std::vector<Hazard> run(uint64_t seed) {
    simulator::set_schedule(seed);
    share<MISTAKE, BULK, MENDED><<<1, 2 * WARP>>>(map_, memory_.get());
    return found();
  }
  template <Mistake MISTAKE>
  void expect(HazardKind kind, const std::vector<std::string>& marks,
              const std::vector<std::string>& texts) {
    expect_in_form(
        kind, marks, texts, false, [&](uint64_t seed) { return run<MISTAKE, false, false>(seed); },
        [&](uint64_t seed) { return run<MISTAKE, false, true>(seed); });
    expect_in_form(
        kind, marks, texts, true, [&](uint64_t seed) { return run<MISTAKE, true, false>(seed); },
        [&](uint64_t seed) { return run<MISTAKE, true, true>(seed); });
  }

  template <ClusterMistake MISTAKE, bool MENDED>
  std::vector<Hazard> run(uint64_t seed) {
    simulator::set_schedule(seed);
    share_in_cluster<MISTAKE, MENDED><<<3, WARP>>>(out_.get());
    return found();
  }
  template <ClusterMistake MISTAKE>
  void expect(HazardKind kind, const std::vector<std::string>& marks,
              const std::vector<std::string>& texts) {
    expect_in_form(
        kind, marks, texts, true, [&](uint64_t seed) { return run<MISTAKE, false>(seed); },
        [&](uint64_t seed) { return run<MISTAKE, true>(seed); });
  }

  CUtensorMap map_{};
  const Managed<float> memory_;
  const Managed<int> out_;
};

TEST_F(CopyRaces, OfAThreadThatReadsWhatACopyBrought) {
  expect<Mistake::reads_without_wait>(
      HazardKind::race, {"load", "read"},
      {"a thread reads memory that a COPY writes, without waiting for the copy",
       "[load] writes (the COPY), [read] reads (thread (32, 0, 0)), block (0, 0, 0)",
       "wait for the copy before [read]: each thread that uses the bytes waits for the phase of "
       "the copy's mbarrier"});
}

TEST_F(CopyRaces, OfAThreadThatOverwritesWhatACopyBrought) {
  expect<Mistake::writes_without_wait>(
      HazardKind::race, {"load", "write"},
      {"a COPY and a thread write the same place, and one write is lost",
       "[load] writes (the COPY), [write] writes (thread (32, 0, 0)), block (0, 0, 0)",
       "wait for the copy before [write]: each thread that uses the bytes waits for the phase of "
       "the copy's mbarrier"});
}

TEST_F(CopyRaces, OfTwoCopiesToOnePlace) {
  expect<Mistake::loads_over_a_load>(
      HazardKind::race, {"load"},
      {"a COPY and another COPY write the same place, and one write is lost",
       "[load] writes (the COPY), [load] writes (the COPY of thread (32, 0, 0)), block (0, 0, 0)",
       "wait for the first copy before [load]: the thread of the second copy waits for the phase "
       "of the first copy's mbarrier"});
}

TEST_F(CopyRaces, OfACopyOverWhatAThreadReads) {
  expect<Mistake::loads_over_readers>(
      HazardKind::race, {"read before the next load", "load"},
      {"a COPY overwrites memory that a thread reads, without waiting for the read",
       "[read before the next load] reads (thread (0, 0, 0)), [load] writes (the COPY of thread "
       "(32, 0, 0)), block (0, 0, 0)",
       "a barrier or a wait for an mbarrier at which each reader arrives, after [read before the "
       "next load] and before [load]; if [read before the next load] is to read the copied bytes, "
       "a wait for the copy's mbarrier before it"});
}

TEST_F(CopyRaces, OfACopyOverWhatAThreadWrote) {
  expect<Mistake::loads_over_writers>(
      HazardKind::race, {"write before the load", "load"},
      {"a thread and a COPY write the same place, and one write is lost",
       "[write before the load] writes (thread (0, 0, 0)), [load] writes (the COPY of thread (32, "
       "0, 0)), block (0, 0, 0)",
       "fence.proxy.async.shared::cta by the thread of [write before the load] after it, and then "
       "a barrier or a wait for an mbarrier at which that thread arrives, before [load]"});
}

// The thread has passed the fence, so no message says that it is missing.
TEST_F(CopyRaces, OfACopyThatReadsWhatAThreadWrote) {
  expect<Mistake::stores_without_a_barrier>(
      HazardKind::race, {"write before the store", "store"},
      {"a COPY reads memory that a thread writes, without waiting for the write",
       "[write before the store] writes (thread (0, 0, 0)), [store] reads (the COPY of thread (32, "
       "0, 0)), block (0, 0, 0)",
       "fence.proxy.async.shared::cta by the thread of [write before the store] after it, and then "
       "a barrier or a wait for an mbarrier at which that thread arrives, before [store]"});
}

TEST_F(CopyRaces, OfAThreadThatOverwritesWhatACopyReads) {
  expect<Mistake::writes_after_a_store>(
      HazardKind::race, {"store", "write after the store"},
      {"a thread overwrites memory that a COPY reads, without waiting for the copy",
       "[store] reads (the COPY of thread (0, 0, 0)), [write after the store] writes (thread (32, "
       "0, 0)), block (0, 0, 0)",
       "wait for the copy before [write after the store]: cp.async.bulk.wait_group.read 0 by the "
       "thread that copies, then a barrier"});
}

TEST_F(CopyRaces, ComeWithReadsBeforeACopyBegins) {
  expect<Mistake::reads_before_the_load>(
      HazardKind::unwritten_read, {"read before the load"},
      {"reads shared memory that nobody wrote", "[read before the load] in ",
       "wait for the mbarrier of the copy that fills it"});
}

// Half of the threads return early, but no thread writes the tile.
TEST_F(CopyRaces, ComeWithCopiesOfWhatNobodyWrote) {
  expect<Mistake::stores_what_nobody_wrote>(
      HazardKind::unwritten_read, {"store"},
      {"reads shared memory that nobody wrote", "[store] in ",
       "let the threads write all of it before any thread reads it; "});
}

// A thread that requests a copy has not written to the tile by it.
TEST_F(CopyRaces, ComeWithThreadsThatReturnBeforeTheyWrite) {
  leave_half_unwritten<<<1, 2 * WARP>>>(memory_.get());
  expect_one(HazardKind::unwritten_read, "read of the other half",
             {"reads shared memory that nobody wrote: 32 threads of the block (thread (32, 0, 0) "
              "first) returned before writing to it"});
}

// The source may be overwritten when the receiver has waited and the cluster has met.
TEST_F(CopyRaces, ComeWithAnOverwrittenSourceInACluster) {
  expect<ClusterMistake::overwrites_the_source>(
      HazardKind::early_use, {"copy to a block", "overwrite"},
      {"its source is overwritten before the copy is done",
       "[copy to a block] copies (thread (0, 0, 0)), [overwrite] writes (thread (0, 0, 0)), block "
       "(2, 0, 0)",
       "wait for it before [overwrite]: the block that receives the bytes waits for the phase of "
       "the copy's mbarrier, and then cluster.sync()"});
}

TEST_F(CopyRaces, ComeWithABlockThatReadsWhatItSends) {
  expect<ClusterMistake::reads_what_it_sent>(
      HazardKind::early_use, {"copy to a block", "read from the cluster"},
      {"its destination is read before the copy is done",
       "wait for it before [read from the cluster]: the block that receives the bytes waits for "
       "the phase of the copy's mbarrier, and then cluster.sync()"});
}

TEST_F(CopyRaces, ComeWithABlockThatEndsWhileACopyReads) {
  expect<ClusterMistake::ends_at_once>(
      HazardKind::unawaited_copy, {"copy to a block"},
      {"ends while a bulk copy still uses its shared memory",
       "wait before the block ends: the block that receives the bytes waits for the phase of the "
       "copy's mbarrier, and then cluster.sync()"});
}

TEST_F(CopyRaces, OfABlockThatReadsWhatAnotherBlockGot) {
  expect<ClusterMistake::reads_what_another_block_got>(
      HazardKind::race, {"copy to a block", "read from the cluster"},
      {"a thread reads memory that a COPY writes, without waiting for the copy",
       "[copy to a block] writes (the COPY to block (0, 0, 0)), [read from the cluster] reads "
       "(thread (0, 0, 0) of block (1, 0, 0)), byte 0 of target of block (0, 0, 0)",
       "wait for the copy before [read from the cluster]: the block that receives the bytes waits "
       "for the phase of the copy's mbarrier, and then cluster.sync()"});
}

TEST_F(CopyRaces, OfACopyOverWhatAnotherBlockReads) {
  expect<ClusterMistake::copies_over_readers>(
      HazardKind::race, {"read of the target", "copy to a block"},
      {"a COPY overwrites memory that a thread reads, without waiting for the read",
       "[read of the target] reads (thread (0, 0, 0) of block (0, 0, 0)), [copy to a block] writes "
       "(the COPY of thread (0, 0, 0) of block (1, 0, 0))",
       "cluster.sync() or a wait for an mbarrier at which each reader arrives, after [read of the "
       "target] and before [copy to a block]; "});
}

TEST_F(CopyRaces, OfACopyOverWhatAnotherBlockWrote) {
  expect<ClusterMistake::copies_over_writers>(
      HazardKind::race, {"write to the target", "copy to a block"},
      {"a thread and a COPY write the same place, and one write is lost",
       "[write to the target] writes (thread (0, 0, 0) of block (0, 0, 0)), [copy to a block] "
       "writes (the COPY of thread (0, 0, 0) of block (1, 0, 0))",
       "fence.proxy.async by the thread of [write to the target] after it, and then "
       "cluster.sync() or a wait for an mbarrier at which that thread arrives, before [copy to a "
       "block]"});
}

}  // namespace
