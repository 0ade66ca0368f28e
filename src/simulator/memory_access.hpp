// The instructions that touch memory, and the lens that prices them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "simulator/counters.hpp"
#include "simulator/memory.hpp"
#include "simulator/program.hpp"
#include "simulator/warp.hpp"

namespace simulator {

/// The addresses of one warp access, seen from its first active lane, and what such an access costs.
/// Kernels repeat few patterns very often, so each is priced once and recognised afterwards.
struct Pattern {
  enum class Shape { scattered, contiguous, uniform };

  Lanes<int64_t>
      distance;  // of each lane's address from the first active lane's; 0 in inactive lanes
  uint32_t active = 0;
  uint32_t phase = 0;  // the first address modulo a sector, where that matters
  uint32_t bytes = 0;  // per lane
  Access access{};

  int first_lane = 0;
  uint32_t lanes = 0;
  Shape shape = Shape::scattered;
  bool aligned = false;  // the distances are multiples of the width
  int64_t lowest = 0,
          highest = 0;  // the bytes touched, from the first lane's address: [lowest, highest)
  uint32_t bytes_used = 0, sectors = 0, wavefronts = 0, bank_conflicts = 0;
};

/// What one memory instruction did to one buffer.
struct SiteCounts {
  uint64_t requests = 0, lanes = 0, bytes_used = 0, sectors = 0, wavefronts = 0, bank_conflicts = 0;
  void add(const Pattern& pattern);
  void add(const SiteCounts& other);
};

/// One memory instruction in one worker: its last patterns and the buffer that it is at work on. A loop
/// that walks along a row passes through the phases of a sector, so the last pattern is kept for each.
struct Site {
  std::array<const Pattern*, 8> patterns{};  // by phase / 4
  const Allocation* allocation = nullptr;
  SiteCounts counts;
};

/// (site, allocation id; 0 for memory that is no allocation) -> counts.
using BufferCounts = std::map<std::pair<uint32_t, uint32_t>, SiteCounts>;

/// One host thread's view of a launch: its counters and its memory of patterns.
class Worker {
 public:
  explicit Worker(const Program& program);

  const Pattern& recognise(uint32_t site, const Lanes<uint64_t>& address, uint32_t active);
  /// The host address of the first active lane's bytes; every active lane's lie in the same allocation.
  /// nullptr if they lie in several. Throws WarpFault for an address in none.
  std::byte* locate(uint32_t site, const Pattern& pattern, const Lanes<uint64_t>& address);
  /// The same lane by lane, where each needs so many bytes: into lane_pointers.
  void locate_parts(uint32_t site, const Pattern& pattern, const Lanes<uint64_t>& address,
                    const Lanes<uint32_t>& bytes);
  void count(uint32_t site, const Pattern& pattern) { sites_[site].counts.add(pattern); }
  void flush();

  const Program& program;
  BufferCounts buffer_counts;
  std::vector<uint64_t> block_warps;    // times each basic block was executed by a warp
  std::vector<uint64_t> block_lanes;    // and its lanes
  std::vector<uint64_t> guarded_lanes;  // lanes that a guard switched off, by instruction
  uint64_t barriers = 0;
  std::array<std::byte*, WARP>
      lane_pointers{};  // scratch: where each lane's bytes lie, if not in one piece

 private:
  const Pattern& price(uint32_t site, const Lanes<int64_t>& distance, uint64_t first,
                       uint32_t active);
  void change_allocation(uint32_t site, const Allocation* allocation);

  std::vector<Site> sites_;
  std::unordered_multimap<uint64_t, std::unique_ptr<Pattern>> patterns_;
  Pattern scratch_;
};

/// What the warps of a block share.
struct BlockContext {
  Worker* worker = nullptr;
  const std::byte* parameters = nullptr;
  size_t parameter_bytes = 0;
  std::byte* shared = nullptr;
  size_t shared_bytes = 0;
  size_t dynamic_shared = 0;
  size_t local_bytes = 0;
  Dim3 grid, block_size, block;
};

/// The function that carries out a memory or warp-level instruction, or nullptr if it is outside the subset.
/// `decoded` is filled in by the decoder with what the handler reads.
struct MemoryInstruction {
  Execute execute = nullptr;
  Access access{};
  uint32_t bytes = 0;  // per lane
};

enum class Space { generic, global, shared, local, constant };

/// element: "u8" ... "f64"; `count`: 1, 2, 4 or 8; `wide`: the registers hold 8 bytes.
MemoryInstruction find_load(Space space, const std::string& element, size_t count, bool wide);
MemoryInstruction find_store(Space space, const std::string& element, size_t count, bool wide);
/// operation: "add", "cas", ...; `has_result` is false for red.
MemoryInstruction find_atomic(Space space, const std::string& operation, const std::string& type);
MemoryInstruction find_async_copy(uint32_t bytes);
/// ld.param of a kernel, into the registers of Op::slots.
Execute find_parameter_load(const std::string& element, bool wide);

/// Op::extra of memory instructions: the address register holds 4 bytes, not 8.
constexpr int32_t ADDRESS_IN_32 = 1, ADDRESS_B_IN_32 = 2, HAS_RESULT = 4, HAS_SOURCE_SIZE = 8;

}  // namespace simulator
