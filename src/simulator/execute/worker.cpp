#include "simulator/execute/worker.hpp"

#include <string>

#include "simulator/execute/warp.hpp"

namespace simulator {
namespace {

const char* kind_name(InstructionKind kind) {
  switch (kind) {
    case InstructionKind::ffma:
      return "ffma";
    case InstructionKind::fp32:
      return "fp32";
    case InstructionKind::fp64:
      return "fp64";
    case InstructionKind::integer:
      return "integer";
    case InstructionKind::convert:
      return "convert";
    case InstructionKind::move:
      return "move";
    case InstructionKind::compare:
      return "compare";
    case InstructionKind::memory:
      return "memory";
    case InstructionKind::warp:
      return "warp";
    case InstructionKind::control:
      return "control";
  }
  return "";
}

std::string buffer_name(Access access, uint32_t allocation) {
  if (is_shared(access)) return "shared";
  if (is_local(access)) return "local";
  return DeviceMemory::instance().name_of(allocation);
}

// A fault, unless a lane's bytes lie in one allocation.
const Allocation& check_inside(int lane, uint64_t address, uint64_t bytes) {
  const DeviceMemory& memory = DeviceMemory::instance();
  const Allocation* around = memory.find(address);
  if (around != nullptr && around->contains(address, address + bytes)) return *around;
  const uint64_t outside = around == nullptr ? address : around->base + around->bytes;
  throw WarpFault{memory.was_freed(address) ? FaultKind::use_after_free : FaultKind::out_of_bounds,
                  lane, address, memory.describe(outside), 0};
}

}  // namespace

Worker::Worker(const Program& p, LaunchState& state, uint64_t seed)
    : program(p),
      launch(state),
      schedule(seed),
      sites(p.sites.size()),
      block_warps(p.blocks.size()),
      block_lanes(p.blocks.size()),
      guarded_lanes(p.sources.size()) {}

const Pattern& Worker::price(uint32_t site, const std::array<int64_t, WARP>& distance,
                             uint64_t first, uint32_t active) {
  const SiteInfo& info = program.sites[site];
  // A pattern that the book does not keep is overwritten by the next one: it must have been counted by then.
  if (unkept_ != ~0u) change_pattern(sites[unkept_], nullptr);
  bool kept = false;
  const Pattern& pattern =
      patterns_.find({info.access, info.bytes}, distance, first, active, &kept);
  sites[site].patterns[pattern.phase / 4] = kept ? &pattern : nullptr;
  unkept_ = kept ? ~0u : site;
  return pattern;
}

std::byte* Worker::locate(uint32_t site, const Pattern& pattern,
                          const std::array<uint64_t, WARP>& address) {
  for (uint32_t rest = pattern.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const uint64_t at = address[static_cast<size_t>(lane)];
    const Allocation& around = check_inside(lane, at, pattern.bytes);
    lane_pointers[static_cast<size_t>(lane)] = around.host + (at - around.base);
  }
  const uint64_t first = address[static_cast<size_t>(pattern.first_lane)];
  const Allocation* const allocation = DeviceMemory::instance().find(first);
  change_allocation(site, allocation);
  const bool in_one = allocation->contains(first + static_cast<uint64_t>(pattern.lowest),
                                           first + static_cast<uint64_t>(pattern.highest));
  return in_one ? allocation->host + (first - allocation->base) : nullptr;
}

void Worker::locate_parts(uint32_t site, const Pattern& pattern,
                          const std::array<uint64_t, WARP>& address,
                          const std::array<uint32_t, WARP>& bytes) {
  for (uint32_t rest = pattern.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const uint64_t at = address[static_cast<size_t>(lane)];
    const Allocation& around = check_inside(lane, at, bytes[static_cast<size_t>(lane)]);
    lane_pointers[static_cast<size_t>(lane)] = around.host + (at - around.base);
  }
  const Allocation* const allocation =
      DeviceMemory::instance().find(address[static_cast<size_t>(pattern.first_lane)]);
  if (allocation != sites[site].allocation) change_allocation(site, allocation);
}

void Worker::change_pattern(AccessSite& site, const Pattern* pattern) {
  if (site.counted != nullptr) site.counts.add(site.counted->cost, site.times);
  site.counted = pattern;
  site.times = 0;
}

void Worker::change_allocation(uint32_t site, const Allocation* allocation) {
  AccessSite& s = sites[site];
  change_pattern(s, nullptr);
  if (s.counts.requests != 0) {
    buffer_counts_[{site, s.allocation == nullptr ? 0 : s.allocation->id}].add(s.counts);
    s.counts = {};
  }
  s.allocation = allocation;
}

void Worker::add_instruction(Tally& tally, const SourceInstruction& source, uint64_t warps,
                             uint64_t lanes) const {
  tally.totals.warp_instructions += warps;
  tally.totals.lane_instructions += lanes;
  tally.totals.flops += lanes * source.flops;
  if (source.kind == InstructionKind::ffma) tally.totals.ffma += lanes;
  tally.add_instructions(kind_name(source.kind), warps, lanes);
}

void Worker::add_to(Tally& tally) {
  for (uint32_t site = 0; site < sites.size(); ++site) change_allocation(site, nullptr);
  tally.totals.barriers += barriers;

  // A basic block's count is the count of each of its instructions, less the lanes that a guard switched off.
  for (size_t b = 0; b < program.blocks.size(); ++b) {
    const uint64_t warps = block_warps[b];
    if (warps == 0) continue;
    const BasicBlock& block = program.blocks[b];
    for (uint32_t i = block.first; i < block.last; ++i) {
      const uint32_t instruction = program.ops[i].instruction;
      add_instruction(tally, program.sources[instruction], warps,
                      block_lanes[b] - guarded_lanes[instruction]);
    }
    if (block.has_terminator)
      add_instruction(tally, program.sources[block.instruction], warps, block_lanes[b]);
  }

  for (const auto& [place, counts] : buffer_counts_) {
    const auto& [site, allocation] = place;
    const SiteInfo& info = program.sites[site];
    const SourceInstruction& source = program.sources[info.instruction];
    AccessCounters row;
    row.kernel = program.demangled;
    row.where = source.where;
    row.instruction = source.opcode;
    row.access = info.access;
    row.buffer = buffer_name(info.access, allocation);
    row.bytes_per_lane = info.bytes;
    row.add(counts);
    tally.add(row);
  }
}

}  // namespace simulator
