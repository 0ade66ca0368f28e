// Copies of whole pieces of memory (cp.async.bulk) and mbarriers, between their instruction and the wait that covers them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace simulator {

struct Warp;
struct BlockContext;

/// Neighbouring bytes of shared memory.
struct SharedRow {
  uint64_t offset = 0, bytes = 0;
};

/// Combines the bytes of an element with an element of the data.
using CombineElement = void (*)(std::byte* target, const std::byte* data);

/// A copy to shared memory. If its source is global memory or registers, the device read it at the request. If its source is
/// shared memory, the copy reads it when it lands. It lands at the wait that covers it.
struct BulkLoad {
  BlockContext* block = nullptr;      // of the target
  BlockContext* requester = nullptr;  // the block of the thread
  std::vector<SharedRow> rows{};      // the target; of a tensor copy the rows of the box
  uint64_t span =
      0;  // a row's bytes are mixed among so many of shared memory: the swizzle; 0: none
  BlockContext* counter = nullptr;  // the block of the mbarrier, which waits for the copy
  uint64_t mbarrier = 0;            // its offset; it counts the bytes
  uint32_t instruction = 0;
  uint32_t thread = 0;            // linear, in its block
  std::vector<std::byte> data{};  // of one row after the other
  std::optional<SharedRow>
      source{};  // in the requester's shared memory, if the copy comes from there
  CombineElement combine = nullptr;  // of red.async; nullptr: the data replace the target

  uint64_t bytes() const { return source ? source->bytes : data.size(); }
};

/// A copy from shared to global memory. The device reads its source at the first wait that covers it, and writes at a wait
/// that is not for the reading alone.
struct BulkStore {
  struct Row {
    SharedRow source{};
    uint64_t target = 0;  // in global memory
    std::byte* host = nullptr;
  };
  std::vector<Row> rows{};
  uint64_t span = 0;  // as of a load
  uint32_t instruction = 0;
  uint32_t thread = 0;
  uint32_t group = 0;  // index among the thread's groups
  CombineElement combine =
      nullptr;                 // of cp.reduce.async.bulk; nullptr: the data replace the target
  uint32_t element_bytes = 0;  // if the data are combined
  bool is_read = false, is_done = false;
  std::vector<std::byte> data{};  // of one row after the other, if the source was read
};

/// An arrival at an mbarrier once a thread's cp.async have landed (cp.async.mbarrier.arrive).
struct DeferredArrival {
  Warp* warp = nullptr;
  int lane = 0;
  uint64_t mbarrier = 0;
  uint64_t copies = 0;  // of the warp, up to the arrival
  uint32_t instruction = 0;
};

/// The bytes of an mbarrier's phase, for the message of a wait without end.
struct PhaseBytes {
  int64_t expected = 0, copied = 0;
};

/// The bulk copies and deferred arrivals that are under way in a block.
struct BulkCopies {
  std::vector<BulkLoad> loads{};    // in the order of their requests
  std::vector<BulkStore> stores{};  // likewise
  std::vector<uint32_t> groups{};   // of stores that each thread has committed
  std::vector<DeferredArrival> arrivals{};
  std::map<uint64_t, PhaseBytes> phases{};  // by mbarrier

  void start(uint64_t threads) {
    loads.clear();
    stores.clear();
    groups.assign(threads, 0);
    arrivals.clear();
    phases.clear();
  }
};

}  // namespace simulator
