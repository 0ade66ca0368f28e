// The search for hazards keeps regular accesses in short forms. Here it sees random accesses, and must find what a plain model of
// the rule finds: a model that keeps each cell, and asks for each lane.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "simulator/hazards/block_hazards.hpp"
#include "simulator/memory/memory.hpp"

namespace simulator {
namespace {

constexpr uint32_t THREADS = 96, BLOCKS = 3;
constexpr uint32_t NOBODY = ~0u;

struct Instruction {
  Access access{};
  uint32_t bytes = 0;
  bool is_volatile = false;
};

// A program of memory instructions, each on a line of its own.
Program program_of(const std::vector<Instruction>& instructions) {
  Program program;
  program.name = program.demangled = "kernel";
  for (uint32_t i = 0; i < instructions.size(); ++i) {
    const auto [access, bytes, is_volatile] = instructions[i];
    SourceInstruction source;
    if (is_volatile) source.facts.order = Order::as_volatile;
    source.where = {"random.cu", static_cast<int>(i + 1)};
    source.facts.family =
        access == Access::global_atomic || access == Access::shared_atomic ? Family::atomic
        : access == Access::global_store || access == Access::shared_store ? Family::store
                                                                           : Family::load;
    source.facts.spelling = i;
    program.sources.push_back(source);
    program.sites.push_back({i, access, bytes});
    program.ops.emplace_back().instruction = i;
  }
  BasicBlock block;
  block.last = static_cast<uint32_t>(instructions.size());
  block.leave = Leave::exit;
  program.blocks.push_back(block);
  return program;
}

// What was found on two lines: how often, and the place that the message names.
struct Finding {
  uint64_t times = 0;
  Sighting first{};
  bool operator==(const Finding& other) const {
    return times == other.times && first.address == other.first.address;
  }
};
using Lines = std::tuple<HazardKind, uint32_t, uint32_t>;
using Findings = std::map<Lines, Finding>;

void add(Findings& findings, const Lines& lines, const Sighting& at, uint64_t times) {
  const auto [known, is_new] = findings.try_emplace(lines, Finding{0, at});
  known->second.times += times;
  if (at < known->second.first) known->second.first = at;
}

/// The threads that touched a cell.
struct ModelCell {
  struct By {
    uint32_t block = NOBODY, thread = 0, also = 0, instruction = 0;
    Time time = 0;
    bool is_somebody() const { return block != NOBODY; }
  };
  uint32_t value = 0;
  bool is_counted = false;
  By write, read, other_read;
};

// A block's threads: what each of them knows of each other's work.
struct ModelBlock {
  Time now = 1;
  std::vector<std::vector<Time>> known{THREADS, std::vector<Time>(THREADS)};
  std::vector<ModelCell> shared;
  std::vector<bool> is_written;  // by cell of shared memory

  void meet(const std::vector<uint32_t>& threads) {
    std::vector<Time> all(THREADS);
    for (const uint32_t thread : threads) {
      for (uint32_t other = 0; other < THREADS; ++other)
        all[other] = std::max(all[other], known[thread][other]);
    }
    for (const uint32_t thread : threads) all[thread] = now;
    for (const uint32_t thread : threads) known[thread] = all;
    ++now;
  }
};

class Model {
 public:
  Model(const std::vector<Instruction>& instructions, uint32_t unit, uint64_t shared_bytes)
      : instructions_(instructions), unit_(unit) {
    blocks.resize(BLOCKS);
    for (ModelBlock& block : blocks) {
      block.shared.resize(shared_bytes / unit);
      block.is_written.resize(shared_bytes / unit);
    }
  }

  void begin_launch() {
    const std::vector<bool> unwritten(blocks[0].is_written.size());
    for (ModelBlock& block : blocks) {
      block = {.shared = std::vector<ModelCell>(unwritten.size()), .is_written = unwritten};
    }
    cells_.clear();
    found.clear();
  }

  void access(uint32_t block, uint32_t warp, uint32_t instruction,
              const std::array<uint64_t, WARP>& address, uint32_t active, const std::byte* values) {
    const auto [access, bytes, is_volatile] = instructions_[instruction];
    for (uint32_t lane = 0; lane < WARP; ++lane) {
      if ((active >> lane & 1u) == 0) continue;
      const uint32_t thread = warp * WARP + lane;
      if (is_shared(access)) {
        shared_lane(block, thread, instruction, address[lane], values + lane * bytes);
      } else {
        global_lane(block, thread, instruction, address[lane], values + lane * bytes);
      }
    }
  }

  Findings findings() const {
    Findings kept = found;
    std::erase_if(kept, [&](const auto& entry) {
      const auto& [lines, finding] = entry;
      if (std::get<0>(lines) != HazardKind::unwritten_read) return false;
      return std::any_of(found.begin(), found.end(), [&](const auto& other) {
        const auto& [kind, a, b] = other.first;
        return kind == HazardKind::race && (a == std::get<1>(lines) || b == std::get<1>(lines));
      });
    });
    return kept;
  }

  std::vector<ModelBlock> blocks;
  std::map<uint64_t, bool> written;  // bytes of global memory
  Findings found;

 private:
  bool reads(uint32_t i) const {
    const Access access = instructions_[i].access;
    return access != Access::global_store && access != Access::shared_store;
  }
  bool writes(uint32_t i) const {
    const Access access = instructions_[i].access;
    return access != Access::global_load && access != Access::shared_load;
  }
  bool is_atomic(uint32_t i) const { return reads(i) && writes(i); }
  bool is_strong(uint32_t i) const { return is_atomic(i) || instructions_[i].is_volatile; }

  // Atomics may meet each other and volatile accesses. Volatile accesses may meet if they are of two warps.
  bool may_meet(const ModelCell::By& before, uint32_t before_thread, uint32_t block,
                uint32_t thread, uint32_t instruction) const {
    if (!is_strong(before.instruction) || !is_strong(instruction)) return false;
    return is_atomic(before.instruction) || is_atomic(instruction) || before.block != block ||
           before_thread / WARP != thread / WARP;
  }

  bool is_after(uint32_t block, uint32_t thread, const ModelCell::By& before,
                uint32_t before_thread) const {
    return before.block == block &&
           (before_thread == thread || before.time <= blocks[block].known[thread][before_thread]);
  }

  void race(const ModelCell::By& before, uint32_t before_thread, bool wrote, uint32_t block,
            uint32_t thread, uint32_t instruction, uint64_t address, uint64_t times) {
    const bool same_block = before.block == block;
    const bool same_warp = same_block && before_thread / WARP == thread / WARP;
    Sighting at{std::min(before.block, block), address, thread};
    at.rank = (same_warp ? 4u : same_block ? 2u : 0u) + (wrote && writes(instruction) ? 0u : 1u);
    add(found,
        {HazardKind::race, std::min(before.instruction, instruction),
         std::max(before.instruction, instruction)},
        at, times);
  }

  uint32_t value_at(uint32_t instruction, const std::byte* bytes) const {
    if (is_atomic(instruction)) return 0;
    uint32_t value = 0;
    std::memcpy(&value, bytes, unit_);
    return value;
  }

  void shared_lane(uint32_t block, uint32_t thread, uint32_t instruction, uint64_t offset,
                   const std::byte* values) {
    ModelBlock& b = blocks[block];
    bool is_unwritten = reads(instruction);
    const ModelCell::By me{block, thread, thread, instruction, b.now};
    for (uint64_t at = offset; at < offset + instructions_[instruction].bytes; at += unit_) {
      ModelCell& cell = b.shared[at / unit_];
      is_unwritten &= !cell.write.is_somebody();
      const uint32_t value = value_at(instruction, values + (at - offset));
      const auto check = [&](const ModelCell::By& before, bool wrote) {
        if (!before.is_somebody() || is_after(block, thread, before, before.thread)) return;
        if (may_meet(before, before.thread, block, thread, instruction)) return;
        race(before, before.thread, wrote, block, thread, instruction, at, 1);
      };
      const bool is_same = writes(instruction) && !is_atomic(instruction) && cell.value == value &&
                           cell.write.instruction == instruction;
      if (!is_same) check(cell.write, true);
      if (!writes(instruction)) {
        const bool replaces =
            !cell.read.is_somebody() || is_after(block, thread, cell.read, cell.read.thread);
        (replaces ? cell.read : cell.other_read) = me;
        continue;
      }
      check(cell.read, false);
      check(cell.other_read, false);
      cell.write = me;
      cell.value = value;
    }
    if (is_unwritten)
      add(found, {HazardKind::unwritten_read, instruction, instruction}, {block, offset, thread},
          1);
  }

  void global_lane(uint32_t block, uint32_t thread, uint32_t instruction, uint64_t address,
                   const std::byte* values) {
    const uint32_t bytes = instructions_[instruction].bytes;
    bool is_unwritten = reads(instruction);
    for (uint64_t at = address; at < address + bytes; ++at) {
      is_unwritten &= !written[at];
      if (writes(instruction)) written[at] = true;
    }
    if (is_unwritten)
      add(found, {HazardKind::unwritten_read, instruction, instruction}, {block, address, thread},
          1);
    for (uint64_t at = address; at < address + bytes; at += unit_)
      global_cell(cells_[at], block, thread, instruction, at,
                  value_at(instruction, values + (at - address)));
  }

  void global_cell(ModelCell& cell, uint32_t block, uint32_t thread, uint32_t instruction,
                   uint64_t at, uint32_t value) {
    const ModelCell::By me{block, thread, thread, instruction, blocks[block].now};
    const auto check_thread = [&](const ModelCell::By& before, uint32_t of, bool wrote) {
      if (is_after(block, thread, before, of)) return;
      if (may_meet(before, of, block, thread, instruction)) return;
      race(before, of, wrote, block, thread, instruction, at, cell.is_counted ? 0 : 1);
      cell.is_counted = true;
    };
    const auto check = [&](const ModelCell::By& before, bool wrote) {
      if (!before.is_somebody()) return;
      check_thread(before, before.thread, wrote);
      if (before.also != before.thread) check_thread(before, before.also, wrote);
    };
    const bool is_same = writes(instruction) && !is_atomic(instruction) && cell.value == value &&
                         cell.write.instruction == instruction;
    if (!is_same) check(cell.write, true);
    if (!writes(instruction)) return note_read(cell, me);
    check(cell.read, false);
    check(cell.other_read, false);
    if (!cell.write.is_somebody() || block <= cell.write.block ||
        is_after(block, thread, cell.write, cell.write.thread)) {
      cell.write = me;
      cell.value = value;
    }
  }

  void note_read(ModelCell& cell, const ModelCell::By& me) const {
    for (ModelCell::By* const read : {&cell.read, &cell.other_read}) {
      if (!read->is_somebody() || read->block != me.block) continue;
      if (is_after(me.block, me.thread, *read, read->thread)) {
        *read = me;
      } else if (read->instruction == me.instruction) {
        read->also = me.thread;
      }
      return;
    }
    if (!cell.read.is_somebody()) {
      cell.read = me;
    } else if (me.block < cell.read.block) {
      cell.other_read = cell.read;
      cell.read = me;
    } else if (!cell.other_read.is_somebody() || me.block < cell.other_read.block) {
      cell.other_read = me;
    }
  }

  const std::vector<Instruction>& instructions_;
  const uint32_t unit_;
  std::map<uint64_t, ModelCell> cells_;
};

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  uint32_t below(uint32_t limit) { return static_cast<uint32_t>(engine_() % limit); }
  bool one_in(uint32_t n) { return below(n) == 0; }

 private:
  std::mt19937_64 engine_;
};

struct Settings {
  uint64_t seed = 0;
  bool is_narrow = false;    // with accesses of one and two bytes
  bool is_written = false;   // all of global memory, before the first launch
  bool goes_on = false;      // where the last access was, often by the warp with the same number
  uint32_t first_reads = 0;  // of global memory, which all blocks do first
  uint32_t accesses = 0;     // of a launch, after them
  uint32_t meetings = 0;     // one in so many steps is a barrier
};

/// Feeds random accesses to the search and to the model.
class RandomLaunches {
 public:
  explicit RandomLaunches(const Settings& settings)
      : settings_(settings),
        random_(settings.seed),
        instructions_(random_instructions()),
        program_(program_of(instructions_)),
        unit_(settings.is_narrow ? 1 : 4),
        bytes_(unit_ * Line::CELLS * 3),
        base_(memory_.allocate(bytes_)),
        model_(instructions_, unit_, bytes_) {
    shadow_.allocated(base_, bytes_, false);
    if (settings.is_written) {
      shadow_.written(base_, bytes_);
      for (uint64_t at = base_; at < base_ + bytes_; ++at) model_.written[at] = true;
    }
  }

  void launch() {
    HazardContext context(program_, {}, memory_, shadow_);
    EXPECT_EQ(context.unit, unit_);
    model_.begin_launch();
    std::vector<std::unique_ptr<BlockHazards>> blocks;
    for (uint32_t i = 0; i < BLOCKS; ++i) {
      blocks.push_back(std::make_unique<BlockHazards>(context, Dim3{BLOCKS, 1, 1},
                                                      Dim3{THREADS, 1, 1}, bytes_, 0));
      blocks.back()->start(i, {i});
    }
    // Few instructions for long, so that neighbours are touched alike.
    uint32_t instruction = 0;
    for (uint32_t i = 0; i < settings_.first_reads + settings_.accesses; ++i) {
      const uint32_t block = random_.below(BLOCKS);
      constexpr uint32_t LOAD = 0;  // random_instructions() begins with it
      const bool only_reads = i < settings_.first_reads;
      if (only_reads || random_.one_in(3))
        instruction =
            only_reads ? LOAD : random_.below(static_cast<uint32_t>(instructions_.size()));
      if (random_.one_in(settings_.meetings)) meet(*blocks[block], model_.blocks[block]);
      access(*blocks[block], block, instruction);
    }
    for (const auto& block : blocks) block->end();
    compare(context.found.take());
  }

 private:
  std::vector<Instruction> random_instructions() {
    std::vector<Instruction> all;
    const uint32_t least = settings_.is_narrow ? 0 : 2;
    for (const Access access : {Access::global_load, Access::global_store, Access::shared_load,
                                Access::shared_store, Access::global_load, Access::global_store})
      all.push_back({access, 1u << (least + random_.below(5 - least)), random_.one_in(6)});
    if (settings_.is_narrow) all[0].bytes = 1;
    if (random_.one_in(2)) all.push_back({Access::global_atomic, 4});
    if (random_.one_in(2)) all.push_back({Access::shared_atomic, 4});
    return all;
  }

  void meet(BlockHazards& block, ModelBlock& model) {
    std::vector<uint32_t> threads;
    const uint32_t warp = random_.below(THREADS / WARP);
    const uint32_t kind = random_.below(8);
    const uint32_t lanes = kind == 0 ? 0xffffu : ~0u;
    for (uint32_t thread = 0; thread < THREADS; ++thread) {
      if (kind > 4 || (thread / WARP == warp && (lanes >> thread % WARP & 1u) != 0))
        threads.push_back(thread);
    }
    if (kind > 4) {
      block.meet(0);
    } else {
      block.order.meet(warp, lanes, ~0u);
    }
    model.meet(threads);
  }

  // Returns the lanes' offsets, aligned to `bytes` and within the memory: a row, one place, a stride, or any.
  std::array<uint64_t, WARP> random_offsets(uint32_t bytes) {
    const auto places = static_cast<int64_t>(bytes_ / bytes);
    const int64_t first = random_.one_in(2) ? 0 : random_.below(static_cast<uint32_t>(places));
    const std::array<int64_t, 8> strides{1, 1, 1, 0, 2, 4, 3, -1};
    const int64_t stride = strides[random_.below(8)];
    const uint32_t rows = random_.one_in(4) ? 16 : WARP;  // lanes of one stretch
    const bool is_any = random_.one_in(6);
    std::array<uint64_t, WARP> offsets{};
    for (uint32_t lane = 0; lane < WARP; ++lane) {
      int64_t place = first + stride * (lane % rows) + lane / rows * 5;
      if (is_any) place = random_.below(static_cast<uint32_t>(places));
      place = (place % places + places) % places;
      offsets[lane] = static_cast<uint64_t>(place) * bytes;
    }
    return offsets;
  }

  void access(BlockHazards& block, uint32_t number, uint32_t instruction) {
    const auto [access, bytes, is_volatile] = instructions_[instruction];
    uint32_t warp = random_.below(THREADS / WARP);
    std::array<uint64_t, WARP> address = random_offsets(bytes);
    uint32_t active = random_.one_in(3) ? random_.below(~0u) | 1u << random_.below(32) : ~0u;
    if (random_.one_in(8)) active = 1u << random_.below(32);
    if (settings_.goes_on && bytes == last_.bytes && !random_.one_in(4)) {
      address = last_.offset;
      active = last_.active;
      if (!random_.one_in(3)) warp = last_.warp;
    }
    last_ = {bytes, warp, active, address};
    std::array<std::byte, WARP * 16> values{};
    const uint32_t kinds = random_.one_in(2) ? 1 : 3;
    for (std::byte& value : values) value = std::byte(random_.below(kinds));
    if (is_global(access)) {
      for (uint64_t& at : address) at += base_;
    }
    const auto first_lane = static_cast<uint32_t>(std::countr_zero(active));
    std::array<int64_t, WARP> distance{};
    int64_t lowest = 0, highest = bytes;
    bool is_row = active == ~0u, is_uniform = true;
    for (uint32_t lane = 0; lane < WARP; ++lane) {
      if ((active >> lane & 1u) != 0)
        distance[lane] = static_cast<int64_t>(address[lane] - address[first_lane]);
      is_row &= distance[lane] == static_cast<int64_t>(lane * bytes);
      is_uniform &= distance[lane] == 0;
      lowest = std::min(lowest, distance[lane]);
      highest = std::max(highest, distance[lane] + bytes);
    }
    const bool has_values = access == Access::global_store || access == Access::shared_store;
    const Pattern::Shape shape = is_row       ? Pattern::Shape::contiguous
                                 : is_uniform ? Pattern::Shape::uniform
                                              : Pattern::Shape::scattered;
    block.access({instruction, access, bytes, active, warp, address[first_lane], distance, lowest,
                  highest, shape, has_values ? values.data() : nullptr});
    // Of lanes that load one place of global memory, the first and the last stand for all.
    if (access == Access::global_load && shape == Pattern::Shape::uniform && !is_volatile)
      active = std::bit_floor(active) | (active & -active);
    model_.access(number, warp, instruction, address, active, values.data());
  }

  void compare(const std::vector<Hazard>& hazards) {
    Findings found;
    for (const Hazard& hazard : hazards) {
      const auto [a, b] = std::minmax(
          hazard.where.line, hazard.other.line == 0 ? hazard.where.line : hazard.other.line);
      const std::string& where = hazard.message.where;
      const uint64_t byte = std::stoull(where.substr(where.find(", byte ") + 7));
      const bool is_in_global = is_global(instructions_[static_cast<size_t>(a) - 1].access);
      found[{hazard.kind, static_cast<uint32_t>(a) - 1, static_cast<uint32_t>(b) - 1}] = {
          hazard.times, {0, byte + (is_in_global ? base_ : 0), 0}};
    }
    const Findings wanted = model_.findings();
    for (const auto& [lines, finding] : wanted) {
      const auto [kind, a, b] = lines;
      const auto seen = found.find(lines);
      const std::string what = std::string(name_of(kind)) + " on lines " + std::to_string(a + 1) +
                               " and " + std::to_string(b + 1) + ", seed " +
                               std::to_string(settings_.seed);
      if (seen == found.end()) {
        ADD_FAILURE() << "not found: " << what;
        continue;
      }
      EXPECT_EQ(seen->second.times, finding.times) << what;
      EXPECT_EQ(seen->second.first.address, finding.first.address) << what;
      findings_ += 1;
    }
    for (const auto& [lines, finding] : found) {
      EXPECT_TRUE(wanted.contains(lines)) << "found, but none: " << name_of(std::get<0>(lines))
                                          << " on lines " << std::get<1>(lines) + 1 << " and "
                                          << std::get<2>(lines) + 1 << ", seed " << settings_.seed;
    }
  }

 public:
  uint64_t findings() const { return findings_; }

 private:
  const Settings settings_;
  Random random_;
  const std::vector<Instruction> instructions_;
  const Program program_;
  const uint32_t unit_;
  const uint64_t bytes_;
  DeviceMemory memory_;
  const uint64_t base_;
  DeviceShadow shadow_{memory_};
  Model model_;
  struct {
    uint32_t bytes = 0, warp = 0, active = 0;
    std::array<uint64_t, WARP> offset{};
  } last_;
  uint64_t findings_ = 0;
};

TEST(RandomAccesses, AreFoundToRaceAsInThePlainModel) {
  uint64_t findings = 0, without = 0;
  for (uint64_t seed = 1; seed <= 400 && !HasFailure(); ++seed) {
    Random random(seed);
    RandomLaunches launches({.seed = seed,
                             .is_narrow = random.one_in(3),
                             .is_written = !random.one_in(4),
                             .goes_on = random.one_in(2),
                             .first_reads = random.one_in(3) ? 20u : 0,
                             .accesses = 2 + random.below(random.one_in(3) ? 60 : 12),
                             .meetings = 1 + random.below(6)});
    for (int launch = 0; launch < 2; ++launch) launches.launch();
    findings += launches.findings();
    without += launches.findings() == 0 ? 1 : 0;
  }
  // Both matter: races that are there, and none where there is none.
  EXPECT_GT(findings, 800u);
  EXPECT_GT(without, 10u);
}

}  // namespace
}  // namespace simulator
