#include "simulator/execute/state/worker.hpp"

#include <bit>
#include <string>

#include "simulator/execute/state/warp.hpp"

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
    case InstructionKind::tensor:
      return "tensor";
    case InstructionKind::warp:
      return "warp";
    case InstructionKind::control:
      return "control";
  }
  return "";
}

std::string buffer_name(const DeviceMemory& memory, Access access, uint32_t allocation) {
  if (is_shared(access)) return "shared";
  if (is_local(access)) return "local";
  return memory.name_of(allocation);
}

lens::Action action_of(Access access) {
  switch (access) {
    case Access::global_load:
    case Access::shared_load:
    case Access::matrix_load:
    case Access::local_load:
    case Access::constant_load:
    case Access::texture_load:
    case Access::async_copy:
    case Access::bulk_load:
      return lens::Action::load;
    case Access::global_store:
    case Access::shared_store:
    case Access::local_store:
    case Access::async_copy_shared:
    case Access::bulk_store:
      return lens::Action::store;
    case Access::global_atomic:
    case Access::shared_atomic:
      return lens::Action::atomic;
  }
  return lens::Action::load;
}

}  // namespace

Worker::Worker(const Program& p, LaunchState& state, uint64_t seed)
    : program(p),
      launch(state),
      schedule(seed),
      sites(p.sites.size()),
      block_warps(p.blocks.size()),
      block_lanes(p.blocks.size()),
      guarded_lanes(p.sources.size()) {
  if (!state.wanted.any) return;
  recorder_ = std::make_unique<Recorder>(state.wanted);
  for (const SiteInfo& site : p.sites) {
    const SourceLine& where = p.sources[site.instruction].where;
    is_recorded_.push_back(
        state.wanted.line == 0 ||
        (where.line == state.wanted.line && lens::is_file(where.file, state.wanted.file)));
  }
}

const Pattern& Worker::price(uint32_t site, const std::array<int64_t, WARP>& distance,
                             uint64_t first, uint32_t active) {
  const SiteInfo& info = program.sites[site];
  // The next pattern overwrites a pattern that the book does not keep, so it must be counted before.
  if (unkept_ != ~0u) change_pattern(unkept_, nullptr);
  bool kept = false;
  const Pattern& pattern =
      patterns_.find({info.access, info.bytes}, distance, first, active, &kept);
  unkept_ = kept ? ~0u : site;
  if (recorder_ && is_recorded_[site]) {
    first_ = first;
    change_pattern(site, nullptr);
  } else {
    sites[site].patterns[pattern.phase / 4] = kept ? &pattern : nullptr;
  }
  return pattern;
}

// Returns the allocation that holds a lane's bytes. Throws WarpFault if there is none.
const Allocation& Worker::use_inside(int lane, uint64_t address, uint64_t bytes) {
  const DeviceMemory& memory = device().memory;
  const Allocation* around = memory.find(address);
  if (around != nullptr && around->contains(address, address + bytes)) {
    if (around->base != last_touched_) touched_.insert(last_touched_ = around->base);
    return *around;
  }
  const uint64_t outside = around == nullptr ? address : around->base + around->bytes;
  const AddressPlace place = memory.place_of(outside);
  const bool is_of_peer = place.inside && !place.freed && place.device != place.seen_from;
  throw WarpFault{{.kind = memory.was_freed(address) ? FaultKind::use_after_free
                           : is_of_peer              ? FaultKind::no_peer_access
                                                     : FaultKind::out_of_bounds,
                   .address = address,
                   .place = place},
                  lane};
}

std::byte* Worker::locate(uint32_t site, const Pattern& pattern,
                          const std::array<uint64_t, WARP>& address) {
  for (uint32_t rest = pattern.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const uint64_t at = address[static_cast<size_t>(lane)];
    const Allocation& around = use_inside(lane, at, pattern.bytes);
    lane_pointers[static_cast<size_t>(lane)] = around.host + (at - around.base);
  }
  const uint64_t first = address[static_cast<size_t>(pattern.first_lane)];
  const Allocation* const allocation = device().memory.find(first);
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
    const Allocation& around = use_inside(lane, at, bytes[static_cast<size_t>(lane)]);
    lane_pointers[static_cast<size_t>(lane)] = around.host + (at - around.base);
  }
  const Allocation* const allocation =
      device().memory.find(address[static_cast<size_t>(pattern.first_lane)]);
  if (allocation != sites[site].allocation) change_allocation(site, allocation);
}

const std::byte* Worker::look_at(int lane, uint64_t address, uint64_t bytes) {
  const Allocation& around = use_inside(lane, address, bytes);
  return around.host + (address - around.base);
}

std::byte* Worker::use_in_bulk(uint32_t site, int lane, uint64_t address, uint64_t bytes,
                               const BulkUse& use) {
  const Allocation& around = use_inside(lane, address, bytes);
  const uint64_t requests = use.is_first ? 1 : 0;
  AccessCounts once{.requests = requests,
                    .lanes = requests,
                    .bytes_asked = bytes * use.receivers,
                    .bytes_used = bytes * use.receivers};
  if (bytes > 0) {
    const uint64_t sectors = (address + bytes - 1) / 32 - address / 32 + 1;
    once.sectors = use.sectors.value_or(sectors) * use.receivers;
    once.lines = ((address + bytes - 1) / 128 - address / 128 + 1) * use.receivers;
  }
  buffer_counts_[{site, around.id}].add(once);
  return around.host + (address - around.base);
}

void Worker::fill_in_bulk(uint32_t site, uint64_t address, uint64_t sectors, const BulkUse& use) {
  const Allocation* const allocation = device().memory.find(address);
  const uint64_t requests = use.is_first ? 1 : 0;
  buffer_counts_[{site, allocation == nullptr ? 0 : allocation->id}].add(
      {.requests = requests, .lanes = requests, .sectors = sectors * use.receivers});
}

void Worker::fetch_texels(uint32_t site, uint64_t base, const AccessCounts& once) {
  const Allocation* const allocation = device().memory.find(base);
  buffer_counts_[{site, allocation == nullptr ? 0 : allocation->id}].add(once);
}

void Worker::change_pattern(uint32_t site, const Pattern* pattern) {
  AccessSite& s = sites[site];
  if (s.counted != nullptr) s.counts.add(s.counted->cost, s.times);
  s.counted = pattern;
  s.times = 0;
  if (recorder_ && pattern != nullptr && is_recorded_[site]) record(site, *pattern);
}

// Records the warp's access, which is within bounds.
void Worker::record(uint32_t site, const Pattern& pattern) {
  const SiteInfo& info = program.sites[site];
  // No allocation in shared and local memory.
  const Allocation* const allocation = sites[site].allocation;
  lens::Request request;
  request.path = is_shared(info.access)  ? lens::Path::shared
                 : is_local(info.access) ? lens::Path::local
                                         : lens::Path::global;
  const auto [known, is_new] =
      groups_.try_emplace({site, allocation == nullptr ? 0 : allocation->id}, 0);
  if (is_new) {
    const SourceInstruction& source = program.sources[info.instruction];
    lens::Request named;
    named.kernel = program.demangled;
    named.file = source.where.file;
    named.line = source.where.line;
    named.instruction = source.opcode;
    named.path = request.path;
    named.buffer = buffer_name(device().memory, info.access, known->first.second);
    known->second = recorder_->group(named);
  }
  const size_t group = known->second;

  Warp& warp = *at_work;
  const BlockContext& block = *warp.block;
  if (warp.requests.size() <= group) warp.requests.resize(group + 1);
  request.action = action_of(info.access);
  request.bytes_per_lane = info.bytes;
  request.launch = launch.number;
  request.grid = {block.grid.x, block.grid.y, block.grid.z};
  request.block = {block.block.x, block.block.y, block.block.z};
  request.block_size = {block.block_size.x, block.block_size.y, block.block_size.z};
  request.warp = warp.number;
  request.nth = warp.requests[group]++;
  if (allocation != nullptr) {
    request.buffer_base = allocation->base;
    request.buffer_bytes = allocation->bytes;
  } else {
    request.buffer_bytes = is_shared(info.access) ? block.shared_bytes : block.local_bytes;
  }
  request.active = pattern.active;
  for (uint32_t rest = pattern.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    request.addresses[lane] = first_ + static_cast<uint64_t>(pattern.distance[lane]);
  }
  request.sectors = static_cast<uint32_t>(pattern.cost.sectors);
  request.lines = static_cast<uint32_t>(pattern.cost.lines);
  request.bytes_used = static_cast<uint32_t>(pattern.cost.bytes_used);
  request.wavefronts = static_cast<uint32_t>(pattern.cost.wavefronts);
  request.bank_conflicts = static_cast<uint32_t>(pattern.cost.bank_conflicts);
  request.phases = pattern.phases;
  recorder_->add(group, request);
}

void Worker::change_allocation(uint32_t site, const Allocation* allocation) {
  AccessSite& s = sites[site];
  change_pattern(site, nullptr);
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
  const MatrixShape& product = source.product;
  if (product.m == 0) return;
  const uint64_t flops = warps * product.flops();
  tally.totals.tensor_flops += flops;
  tally.add(TensorCounters{program.demangled, source.where, source.opcode, product.factor,
                           product.sum, product.m, product.n, product.k, warps, flops});
}

void Worker::add_to(Tally& tally) {
  for (uint32_t site = 0; site < sites.size(); ++site) change_allocation(site, nullptr);
  tally.totals.barriers += barriers;
  tally.totals.async_copies += async_copies;
  tally.totals.async_copies_during_loads += async_copies_during_loads;

  // Each instruction of a basic block has the block's count, minus the lanes that a guard switched off.
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
    row.buffer = buffer_name(device().memory, info.access, allocation);
    row.bytes_per_lane = info.bytes;
    row.add(counts);
    tally.add(row);
  }
}

}  // namespace simulator
