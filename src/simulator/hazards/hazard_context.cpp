#include "simulator/hazards/hazard_context.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace simulator {
namespace {

uint32_t narrowest(const Program& program) {
  const bool has_narrow = std::any_of(program.sites.begin(), program.sites.end(),
                                      [](const SiteInfo& site) { return site.bytes % 4 != 0; });
  return has_narrow ? 1 : 4;
}

// A fence that orders all accesses, as __threadfence() does, says nothing about one place.
Strength strength_of(const Facts& facts) {
  if (facts.family == Family::atomic || facts.is_bulk_reduction()) return Strength::atomic;
  const bool is_strong = facts.order != Order::weak && facts.order != Order::sequential;
  return is_strong ? Strength::strong : Strength::weak;
}

// Addresses in a form that can be compared: a register plus an offset, traced back through additions of
// constants.
class Addresses {
 public:
  using Place = std::pair<uint32_t, int64_t>;
  using Kind = OperandFact::Kind;

  explicit Addresses(const Program& program) : program_(program) {
    for (const SourceInstruction& source : program.sources) {
      const bool is_sum =
          source.facts.family == Family::arithmetic && source.facts.operation == Operation::add;
      if (!is_sum && source.facts.operation != Operation::copy) continue;
      const auto& [d, a, b, c] = source.groups.size;
      if (d != 1 || a != 1 || b != (is_sum ? 1 : 0) || c != 0) continue;
      const OperandFact* const operands = &program.operands[source.groups.first];
      if (operands[1].kind != Kind::name || (is_sum && operands[2].kind != Kind::constant))
        continue;
      sums_.insert_or_assign(
          operands[0].name,
          Place{operands[1].name, operands[1].value + (is_sum ? operands[2].value : 0)});
    }
  }

  // Returns the address of an access: its operand [%rd1+8].
  Place of(const SourceInstruction& access) const {
    const OperandFact* const first = &program_.operands[access.groups.first];
    const auto past_end = std::accumulate(access.groups.size.begin(), access.groups.size.end(), 0);
    const OperandFact* const address = std::find_if(
        first, first + past_end, [](const OperandFact& o) { return o.kind == Kind::address; });
    if (address == first + past_end) return {};
    Place place{address->name, address->value};
    constexpr int MOST_STEPS = 16;  // a loop's register may lead back to itself
    for (int i = 0; i < MOST_STEPS; ++i) {
      const auto sum = sums_.find(place.first);
      if (sum == sums_.end()) break;
      place = {sum->second.first, place.second + sum->second.second};
    }
    return place;
  }

 private:
  const Program& program_;
  std::unordered_map<uint32_t, Place> sums_;
};

// Returns the plain loads before a loop of atomicCAS, as in the programming guide, and the loads before an
// atomicMax that may spare it. Their value does not matter: the atomic decides.
std::vector<uint32_t> loads_before_swaps(const Program& program) {
  const auto swaps = [](const SourceInstruction& source) {
    return source.facts.family == Family::atomic &&
           (source.facts.operation == Operation::compare_and_swap ||
            source.facts.operation == Operation::maximum ||
            source.facts.operation == Operation::minimum);
  };
  if (std::none_of(program.sources.begin(), program.sources.end(), swaps)) return {};
  const Addresses addresses(program);
  std::set<Addresses::Place> swapped;
  for (const SourceInstruction& source : program.sources) {
    if (swaps(source)) swapped.insert(addresses.of(source));
  }
  std::vector<uint32_t> loads;
  for (uint32_t i = 0; i < program.sources.size(); ++i) {
    const SourceInstruction& source = program.sources[i];
    if (source.facts.family == Family::load && swapped.contains(addresses.of(source)))
      loads.push_back(i);
  }
  return loads;
}

}  // namespace

HazardContext::HazardContext(const Program& p, const std::vector<std::byte>& parameters,
                             const DeviceMemory& of_device, DeviceShadow& device)
    : program(p),
      number(device.begin_launch()),
      unit(narrowest(p)),
      memory(of_device),
      shadow(device) {
  if (const StreamWork* const begun = StreamOrder::beginning()) {
    work_ = *begun;
    unordered_ = shadow.streams.add(number, *begun, {});
  }
  std::map<std::pair<std::string_view, int>, uint32_t> numbers;
  lines_.reserve(p.sources.size());
  strengths_.reserve(p.sources.size());
  for (uint32_t i = 0; i < p.sources.size(); ++i) {
    const SourceLine& where = p.sources[i].where;
    lines_.push_back(
        where.file.empty() ? i : numbers.try_emplace({where.file, where.line}, i).first->second);
    strengths_.push_back(simulator::strength_of(p.sources[i].facts));
  }
  has_messages_ = std::any_of(strengths_.begin(), strengths_.end(),
                              [](Strength s) { return s != Strength::weak; });
  for (const uint32_t load : loads_before_swaps(p)) strengths_[load] = Strength::atomic;
  if (!has_other_streams()) expect_only_reads(parameters);
}

// No two threads race for an allocation that a parameter points to, if the kernel writes through parameters alone, and none of those points
// there. Host code and other streams may not use it meanwhile.
constexpr uint64_t PACKED = sizeof(uint64_t) - 1;

void HazardContext::expect_only_reads(const std::vector<std::byte>& parameters) {
  if (!program.written_parameters) return;
  const auto value_at = [&](uint64_t place) {
    uint64_t value = 0;
    if (place + sizeof value <= parameters.size())
      std::memcpy(&value, &parameters[place], sizeof value);
    return value;
  };
  std::set<const Allocation*> written;
  for (const uint64_t of_eight : *program.written_parameters) {
    // In a packed structure a pointer may begin before.
    for (uint64_t place = of_eight - std::min(of_eight, PACKED); place <= of_eight + PACKED;
         ++place) {
      const uint64_t value = value_at(place);
      const Allocation* const allocation = memory.find(value);
      // The end of an array, or a place before its beginning: the kernel may write any.
      if (allocation == nullptr && place == of_eight && memory.owns(value)) return;
      written.insert(allocation);
    }
  }
  for (uint64_t place = 0; place < parameters.size(); place += sizeof(uint64_t)) {
    const Allocation* const allocation = memory.find(value_at(place));
    if (allocation == nullptr || written.contains(allocation)) continue;
    BufferShadow& buffer = shadow.of(*allocation);
    if (!buffer.keeps_earlier()) buffer.expect_only_reads(number);
  }
}

// Returns the instructions at which threads meet, in code order.
std::vector<uint32_t> HazardContext::meetings() const {
  std::vector<uint32_t> all;
  for (const BasicBlock& block : program.blocks) {
    if (block.leave == Leave::barrier) all.push_back(block.instruction);
    for (uint32_t i = block.first; i < block.last; ++i) {
      const uint32_t instruction = program.ops[i].instruction;
      if (program.sources[instruction].facts.operation == Operation::meet)
        all.push_back(instruction);
    }
  }
  return all;
}

// True if the instruction is in an unrolled loop: each of the line's memory accesses then occurs several times.
// In `s[t] += s[u]` without a loop, only the load does.
bool HazardContext::is_unrolled(uint32_t instruction) const {
  std::map<uint32_t, int> copies;  // by spelling
  for (uint32_t i = 0; i < lines_.size(); ++i) {
    const Facts& facts = program.sources[i].facts;
    const bool is_access =
        facts.family == Family::load || facts.family == Family::store ||
        (facts.family == Family::atomic && facts.has_result) ||
        facts.operation == Operation::commit ||
        (facts.family == Family::async_copy && facts.operation == Operation::copy);
    if (lines_[i] == lines_[instruction] && is_access) ++copies[facts.spelling];
  }
  return !copies.empty() &&
         std::all_of(copies.begin(), copies.end(), [](const auto& of) { return of.second > 1; });
}

// A backward branch makes a loop of the blocks between. An unrolled loop has its instruction once for each turn.
HazardContext::Loop HazardContext::loop_around(uint32_t instruction) const {
  uint32_t first = instruction;
  uint32_t last = instruction;
  for (uint32_t i = 0; i < lines_.size() && is_unrolled(instruction); ++i) {
    const bool is_copy =
        lines_[i] == lines_[instruction] &&
        program.sources[i].facts.spelling == program.sources[instruction].facts.spelling;
    if (is_copy) first = std::min(first, i);
    if (is_copy) last = std::max(last, i);
  }
  if (first == last) {
    uint32_t shortest = ~0u;
    for (const BasicBlock& block : program.blocks) {
      const bool jumps = block.leave == Leave::jump || block.leave == Leave::branch;
      if (!jumps || block.instruction < instruction) continue;
      const BasicBlock& target = program.blocks[block.taken];
      const uint32_t begin =
          target.first < target.last ? program.ops[target.first].instruction : target.instruction;
      if (begin > instruction || block.instruction - begin >= shortest) continue;
      shortest = block.instruction - begin;
      first = begin;
      last = block.instruction;
    }
  }
  if (first == last) return Loop::none;
  const std::vector<uint32_t> all = meetings();
  const bool has_barrier =
      std::any_of(all.begin(), all.end(), [&](uint32_t m) { return first <= m && m <= last; });
  return has_barrier ? Loop::with_barrier : Loop::without_barrier;
}

uint32_t HazardContext::block_of(uint32_t instruction) const {
  for (uint32_t i = 0; i < program.blocks.size(); ++i) {
    const BasicBlock& block = program.blocks[i];
    if (block.has_terminator && block.instruction == instruction) return i;
    if (block.first == block.last) continue;
    const bool inside = program.ops[block.first].instruction <= instruction &&
                        instruction <= program.ops[block.last - 1].instruction;
    if (inside) return i;
  }
  return 0;
}

std::vector<uint32_t> HazardContext::blocks_after(uint32_t at) const {
  const BasicBlock& block = program.blocks[at];
  std::vector<uint32_t> after = block.targets;
  const bool is_to_another =
      block.leave == Leave::jump || block.leave == Leave::branch || block.leave == Leave::call;
  if (is_to_another) after.push_back(block.taken);
  const bool ends = block.leave == Leave::jump || block.leave == Leave::indirect ||
                    block.leave == Leave::function_return ||
                    (block.leave == Leave::exit && !block.has_guard);
  if (!ends) after.push_back(at + 1);
  std::erase_if(after, [&](uint32_t next) { return next >= program.blocks.size(); });
  return after;
}

// True if a path from one of the blocks reaches `to` without passing `around`.
bool HazardContext::leads_to(std::vector<uint32_t> blocks, uint32_t to, uint32_t around) const {
  std::set<uint32_t> seen;
  while (!blocks.empty()) {
    const uint32_t block = blocks.back();
    blocks.pop_back();
    if (block == to) return true;
    if (block == around || !seen.insert(block).second) continue;
    for (const uint32_t next : blocks_after(block)) blocks.push_back(next);
  }
  return false;
}

bool HazardContext::comes_next_turn(uint32_t instruction, uint32_t other) const {
  const uint32_t here = block_of(instruction);
  const uint32_t there = block_of(other);
  const auto none = static_cast<uint32_t>(program.blocks.size());
  if (leads_to(blocks_after(here), there, none) && leads_to(blocks_after(there), here, none))
    return true;
  return first_copy_of(other) < std::min(instruction, other);
}

uint32_t HazardContext::first_copy_of(uint32_t instruction) const {
  const SourceInstruction& source = program.sources[instruction];
  for (uint32_t i = 0; i < instruction; ++i) {
    const SourceInstruction& copy = program.sources[i];
    if (copy.where == source.where && copy.called_from == source.called_from &&
        copy.facts.spelling == source.facts.spelling)
      return i;
  }
  return instruction;
}

// Uses paths, because the order of the code says little: a compiler may put a loop's end before its beginning.
bool HazardContext::comes_first(uint32_t start, uint32_t instruction, uint32_t other) const {
  const uint32_t here = block_of(instruction);
  const uint32_t there = block_of(other);
  if (here == there) return instruction <= other;
  const uint32_t none = static_cast<uint32_t>(program.blocks.size());
  const std::vector<uint32_t> from =
      start == 0 ? std::vector<uint32_t>{0} : blocks_after(block_of(start));
  const bool here_first = leads_to(from, here, there);
  if (here_first != leads_to(from, there, here)) return here_first;
  // Either may come first, depending on the branches. Then the one that leads to the other does.
  const bool goes_on = leads_to(blocks_after(here), there, none);
  if (goes_on != leads_to(blocks_after(there), here, none)) return goes_on;
  return instruction <= other;
}

uint16_t HazardContext::find_overlap(uint32_t launch) const {
  const auto place = std::ranges::lower_bound(unordered_, launch, {}, &Unordered::number);
  const size_t index = static_cast<size_t>(place - unordered_.begin()) + 1;
  const bool is_known = place != unordered_.end() && place->number == launch;
  return is_known && index <= std::numeric_limits<uint16_t>::max() ? static_cast<uint16_t>(index)
                                                                   : uint16_t{0};
}

void HazardContext::note_conflict(uint16_t overlap, uint64_t address, bool other_writes,
                                  bool writes) {
  const std::lock_guard lock(conflicts_mutex_);
  const auto [known, is_new] =
      conflicts_.try_emplace(overlap, Conflict{address, other_writes, writes});
  if (!is_new && address < known->second.address) known->second = {address, other_writes, writes};
}

void HazardContext::publish_conflicts() {
  for (const auto& [overlap, conflict] : conflicts_) {
    shadow.streams.add_conflict(unordered_[overlap - size_t{1}], *work_, conflict.address,
                                conflict.other_writes, conflict.writes);
  }
  for (const Unordered& earlier : unordered_) {
    if (earlier.bytes.empty()) continue;
    if (const auto met = shadow.meeting(number, earlier.bytes))
      shadow.streams.add_conflict(earlier, *work_, met->address, met->copy_writes,
                                  met->launch_writes);
  }
}

HazardContext::~HazardContext() { shadow.end_launch(); }

}  // namespace simulator
