#include "simulator/execute/watch/undefined_values.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "simulator/execute/state/worker.hpp"

namespace simulator {
namespace {

template <typename Each>
void for_each_lane(uint32_t lanes, Each each) {
  for (; lanes != 0; lanes &= lanes - 1) each(static_cast<size_t>(std::countr_zero(lanes)));
}

const Program& program_of(const Warp& w) { return w.block->worker->program; }

// Returns the lanes that the guard lets through.
uint32_t lanes_of(const Warp& w, const Op& op) {
  if (op.guarded == nullptr) return w.active;
  const uint32_t guard = w.predicates[op.guard];
  return (op.guard_negated ? ~guard : guard) & w.active;
}

// True if the instruction's operands decide something that others see, and do not only give another value of a
// lane.
bool is_use(const Facts& facts) {
  switch (facts.family) {
    case Family::store:
      return facts.space != Space::local;
    case Family::atomic:
    case Family::async_copy:
    case Family::matrix:
      return true;
    case Family::warp:
      return facts.gathers && !facts.is_shuffle();
    default:
      return false;
  }
}

// Returns the lanes in which a factor is zero, regardless of the other factor.
uint32_t zeros(const Warp& w, Slot slot, const Facts& facts) {
  uint32_t lanes = 0;
  for (size_t lane = 0; lane < WARP; ++lane) {
    const uint64_t bits = facts.bytes == 8
                              ? simulator::lanes_of<uint64_t>(w, slot)[lane]
                              : uint64_t{simulator::lanes_of<uint32_t>(w, slot)[lane]} << 32;
    if ((facts.is_float ? bits << 1 : bits) == 0) lanes |= 1u << lane;
  }
  return lanes;
}

}  // namespace

const UndefinedValues::Mark* UndefinedValues::mark_of(int32_t key) const {
  const auto found = std::find_if(marks_.begin(), marks_.end(),
                                  [&](const auto& entry) { return entry.first == key; });
  return found == marks_.end() ? nullptr : &found->second;
}

// Sets a register's marks in these lanes. Other lanes stay.
void UndefinedValues::set(int32_t key, uint32_t lanes, const Mark& mark) {
  auto found = std::find_if(marks_.begin(), marks_.end(),
                            [&](const auto& entry) { return entry.first == key; });
  const bool is_defined = mark == Mark{};
  if (found == marks_.end()) {
    if (is_defined) return;
    found = marks_.insert(marks_.end(), {key, Mark{}});
  }
  for_each_lane(lanes, [&](size_t lane) { found->second[lane] = mark[lane]; });
  if (is_defined && found->second == Mark{}) marks_.erase(found);
}

void UndefinedValues::merge(Mark& into, int32_t key) const {
  const Mark* const mark = mark_of(key);
  if (mark == nullptr) return;
  for (size_t lane = 0; lane < WARP; ++lane) {
    const uint32_t origin = (*mark)[lane];
    if (origin != 0 && (into[lane] == 0 || origin < into[lane])) into[lane] = origin;
  }
}

void UndefinedValues::merge_decided(Mark& into, uint32_t lanes, const Factor& a,
                                    const Factor& b) const {
  for (const auto& [one, other] : {std::pair{a, b}, std::pair{b, a}}) {
    const Mark* const mark = mark_of(one.key);
    const Mark* const other_mark = mark_of(other.key);
    if (mark == nullptr) continue;
    for_each_lane(lanes, [&](size_t lane) {
      const bool is_known = other_mark == nullptr || (*other_mark)[lane] == 0;
      if (is_known && (other.decides >> lane & 1u) != 0) return;
      const uint32_t origin = (*mark)[lane];
      if (origin != 0 && (into[lane] == 0 || origin < into[lane])) into[lane] = origin;
    });
  }
}

// Returns the marks of an instruction's result.
UndefinedValues::Mark UndefinedValues::result_of(const Warp& w, const Op& op,
                                                 uint32_t lanes) const {
  const Facts& facts = program_of(w).sources[op.instruction].facts;
  Mark result{};
  const bool computes = facts.family == Family::arithmetic;
  const bool adds = computes && facts.operation == Operation::multiply_add;
  const bool is_and = computes && facts.operation == Operation::logical_and;
  const bool is_or = computes && facts.operation == Operation::logical_or;
  const bool is_of_predicates = facts.bytes == 0;
  if (facts.family == Family::load)
    return result;  // marks of an address do not pass to the loaded value
  if (computes && facts.operation == Operation::select) {
    const uint32_t choice = w.predicates[op.c];
    const Mark* const chosen = mark_of(op.a);
    const Mark* const other = mark_of(op.b);
    for_each_lane(lanes, [&](size_t lane) {
      const Mark* const mark = (choice >> lane & 1u) != 0 ? chosen : other;
      if (mark != nullptr) result[lane] = (*mark)[lane];
    });
    merge(result, RegisterUse::predicate(op.c));
  } else if (is_of_predicates && (is_and || is_or)) {
    const uint32_t flip = is_and ? ~0u : 0u;
    merge_decided(result, lanes, {RegisterUse::predicate(op.a), w.predicates[op.a] ^ flip},
                  {RegisterUse::predicate(op.b), w.predicates[op.b] ^ flip});
  } else if (is_and || adds || (computes && facts.operation == Operation::multiply)) {
    merge_decided(result, lanes, {op.a, zeros(w, op.a, facts)}, {op.b, zeros(w, op.b, facts)});
    if (adds) merge(result, op.c);
  } else {
    for (const int32_t key : program_of(w).register_use[op.instruction].reads) merge(result, key);
  }
  return result;
}

void UndefinedValues::before(const Warp& w, const Op& op) {
  const uint32_t lanes = lanes_of(w, op);
  Mark result = result_of(w, op, lanes);
  if (is_use(program_of(w).sources[op.instruction].facts)) {
    report_use(w, lanes, result, op.instruction);
    result = {};
  }
  for (const int32_t key : program_of(w).register_use[op.instruction].writes)
    set(key, lanes, result);
}

void UndefinedValues::before_shuffle(const Warp& w, const Op& op) {
  shuffling_ = lanes_of(w, op);
  std::copy_n(simulator::lanes_of<uint32_t>(w, op.e), WARP, masks_.begin());
}

void UndefinedValues::after_shuffle(const Warp& w, const Op& op) {
  const uint32_t lanes = shuffling_;
  const uint32_t together = op.guarded != nullptr ? lanes : w.together;
  const Mark* const read = mark_of(op.a);
  Mark result{};
  for_each_lane(lanes, [&](size_t lane) {
    const auto source = static_cast<size_t>(w.sources[lane]);
    const uint32_t mask = masks_[lane];
    // A lane that the mask names and that took another branch is an error of the mask, and reported as such.
    const bool takes_part = (mask & (together | w.live)) >> source & 1u;
    if (source == lane || takes_part) {
      if (read != nullptr && (together >> source & 1u) != 0) result[lane] = (*read)[source];
      return;
    }
    const bool exists = w.first_thread + source < w.block->block_size.count();
    Absence absence = Absence::exited;
    if (!exists) {
      absence = Absence::no_thread;
    } else if ((mask >> source & 1u) == 0) {
      absence = (together >> source & 1u) != 0 ? Absence::not_named : Absence::elsewhere;
    }
    origins_.push_back({{op.instruction, static_cast<int>(lane), w.sources[lane], mask, absence}});
    result[lane] = static_cast<uint32_t>(origins_.size());
  });
  const RegisterUse& use = program_of(w).register_use[op.instruction];
  set(use.writes.front(), lanes, result);
  for (size_t i = 1; i < use.writes.size(); ++i) set(use.writes[i], lanes, Mark{});
  if (marks_.empty()) origins_.clear();
}

void UndefinedValues::before_leaving(const Warp& w, uint32_t instruction) {
  Mark read{};
  for (const int32_t key : program_of(w).register_use[instruction].reads) merge(read, key);
  report_use(w, w.active, read, instruction);
}

// Reports each read once: further uses say nothing new.
void UndefinedValues::report_use(const Warp& w, uint32_t lanes, const Mark& mark,
                                 uint32_t instruction) {
  for_each_lane(lanes, [&](size_t lane) {
    if (mark[lane] == 0) return;
    Origin& origin = origins_[mark[lane] - 1];
    if (std::exchange(origin.is_told, true)) return;
    report_absent_lane(w, origin.read, instruction);
  });
}

}  // namespace simulator
