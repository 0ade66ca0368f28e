#include "simulator/counters.hpp"

#include <tuple>

#include "simulator/counter_store.hpp"

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
  switch (access) {
    case Access::shared_load:
    case Access::shared_store:
    case Access::shared_atomic:
    case Access::async_copy_shared:
      return "shared";
    case Access::local_load:
    case Access::local_store:
      return "local";
    default:
      return DeviceMemory::instance().name_of(allocation);
  }
}

}  // namespace

CounterStore& CounterStore::instance() {
  // Never destroyed: the report at exit is read after the static objects are gone.
  static CounterStore* const store = new CounterStore;
  return *store;
}

void CounterStore::add_launch(uint64_t blocks, double seconds) {
  const std::lock_guard lock(mutex_);
  totals_.launches += 1;
  totals_.blocks += blocks;
  totals_.seconds += seconds;
}

void CounterStore::add_worker(const Worker& worker) {
  const std::lock_guard lock(mutex_);
  totals_.barriers += worker.barriers;
  add_instructions(worker);
  add_accesses(worker);
}

/// A basic block's count is the count of each of its instructions, less the lanes that a guard switched off.
void CounterStore::add_instructions(const Worker& worker) {
  const Program& program = worker.program;
  for (size_t b = 0; b < program.blocks.size(); ++b) {
    const uint64_t warps = worker.block_warps[b];
    if (warps == 0) continue;
    const BasicBlock& block = program.blocks[b];
    for (uint32_t i = block.first; i < block.last; ++i) {
      const uint32_t instruction = program.ops[i].instruction;
      add_instruction(program.sources[instruction], warps,
                      worker.block_lanes[b] - worker.guarded_lanes[instruction]);
    }
    if (block.has_terminator)
      add_instruction(program.sources[block.instruction], warps, worker.block_lanes[b]);
  }
}

void CounterStore::add_instruction(const SourceInstruction& source, uint64_t warps,
                                   uint64_t lanes) {
  totals_.warp_instructions += warps;
  totals_.lane_instructions += lanes;
  totals_.flops += lanes * source.flops;
  if (source.is_ffma) totals_.ffma += lanes;
  InstructionCount& count = kinds_[kind_name(source.kind)];
  count.warps += warps;
  count.lanes += lanes;
}

void CounterStore::add_accesses(const Worker& worker) {
  const Program& program = worker.program;
  for (const auto& [place, counts] : worker.buffer_counts) {
    const auto& [site, allocation] = place;
    const SiteInfo& info = program.sites[site];
    const SourceInstruction& source = program.sources[info.instruction];
    const std::string buffer = buffer_name(info.access, allocation);
    const Key key{program.demangled,
                  source.where.file,
                  source.where.line,
                  source.opcode,
                  static_cast<int>(info.access),
                  buffer};
    AccessCounters& row = accesses_[key];
    row.kernel = program.demangled;
    row.where = source.where;
    row.instruction = source.opcode;
    row.access = info.access;
    row.buffer = buffer;
    row.bytes_per_lane = info.bytes;
    row.requests += counts.requests;
    row.lanes += counts.lanes;
    row.bytes_asked += counts.lanes * info.bytes;
    row.bytes_used += counts.bytes_used;
    row.sectors += counts.sectors;
    row.wavefronts += counts.wavefronts;
    row.bank_conflicts += counts.bank_conflicts;
  }
}

void CounterStore::reset() {
  const std::lock_guard lock(mutex_);
  totals_ = {};
  kinds_.clear();
  accesses_.clear();
}

Counters CounterStore::snapshot() const {
  const std::lock_guard lock(mutex_);
  Counters counters = totals_;
  for (const auto& [name, count] : kinds_) {
    counters.instructions.push_back(count);
    counters.instructions.back().kind = name;
  }
  for (const auto& [key, row] : accesses_) counters.accesses.push_back(row);
  return counters;
}

void reset_counters() { CounterStore::instance().reset(); }

Counters counters() { return CounterStore::instance().snapshot(); }

}  // namespace simulator
