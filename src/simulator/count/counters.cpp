#include "simulator/count/counters.hpp"

#include <algorithm>
#include <utility>

#include "simulator/count/counter_store.hpp"

namespace simulator {
namespace {

constexpr size_t MOST_UNLIKE_LAUNCHES = 1000;

void add_numbers(Counters& sum, const Counters& more) {
  sum.warp_instructions += more.warp_instructions;
  sum.lane_instructions += more.lane_instructions;
  sum.ffma += more.ffma;
  sum.flops += more.flops;
  sum.tensor_flops += more.tensor_flops;
  sum.barriers += more.barriers;
  sum.async_copies += more.async_copies;
  sum.async_copies_during_loads += more.async_copies_during_loads;
  sum.launches += more.launches;
  sum.repeats += more.repeats;
  sum.blocks += more.blocks;
  sum.seconds += more.seconds;
}

// Compares all but the time, which differs from run to run.
bool alike(const LaunchCounters& a, const LaunchCounters& b) {
  return static_cast<const KernelUse&>(a) == static_cast<const KernelUse&>(b) &&
         a.counters.warp_instructions == b.counters.warp_instructions &&
         a.counters.lane_instructions == b.counters.lane_instructions &&
         a.counters.ffma == b.counters.ffma && a.counters.flops == b.counters.flops &&
         a.counters.barriers == b.counters.barriers &&
         a.counters.async_copies == b.counters.async_copies &&
         a.counters.async_copies_during_loads == b.counters.async_copies_during_loads &&
         a.counters.instructions == b.counters.instructions &&
         a.counters.tensor == b.counters.tensor && a.counters.accesses == b.counters.accesses;
}

}  // namespace

void Tally::add(const AccessCounters& row) {
  const Key key{
      row.kernel, row.where.file, row.where.line, row.instruction, static_cast<int>(row.access),
      row.buffer};
  const auto [found, is_new] = accesses_.try_emplace(key, row);
  if (!is_new) found->second.add(row);
}

void Tally::add(const TensorCounters& row) {
  const auto [found, is_new] =
      tensor_.try_emplace({row.kernel, row.where.file, row.where.line, row.instruction}, row);
  if (is_new) return;
  found->second.warps += row.warps;
  found->second.flops += row.flops;
}

void Tally::add_instructions(const std::string& kind, uint64_t warps, uint64_t lanes) {
  InstructionCount& count = kinds_[kind];
  count.kind = kind;
  count.warps += warps;
  count.lanes += lanes;
}

void Tally::add(const Counters& other) {
  for (const AccessCounters& row : other.accesses) add(row);
  for (const TensorCounters& row : other.tensor) add(row);
  for (const InstructionCount& count : other.instructions)
    add_instructions(count.kind, count.warps, count.lanes);
  add_numbers(totals, other);
}

Counters Tally::counters() const {
  Counters counters = totals;
  for (const auto& [name, count] : kinds_) counters.instructions.push_back(count);
  for (const auto& [key, row] : accesses_) counters.accesses.push_back(row);
  for (const auto& [key, row] : tensor_) counters.tensor.push_back(row);
  return counters;
}

LaunchCounters* CounterStore::find_alike(const LaunchCounters& launch) {
  const std::vector<size_t>& known = of_kernel_[launch.kernel];
  // Searches backwards, because a loop most often repeats its latest launch.
  for (auto index = known.rbegin(); index != known.rend(); ++index) {
    if (alike(launches_[*index], launch)) return &launches_[*index];
  }
  return nullptr;
}

void CounterStore::add(LaunchCounters launch) {
  const std::lock_guard lock(mutex_);
  since_reset_.add(launch.counters);
  const KernelUse& use = launch;
  if (used_.size() < MOST_UNLIKE_LAUNCHES &&
      std::find(used_.rbegin(), used_.rend(), use) == used_.rend()) {
    used_.push_back(use);
  }
  if (LaunchCounters* const same = find_alike(launch)) {
    ++same->times;
    return;
  }
  std::vector<size_t>& known = of_kernel_[launch.kernel];
  if (known.size() >= MOST_UNLIKE_LAUNCHES) return;
  launch.first = before_reset_.totals.launches + since_reset_.totals.launches;
  launch.times = 1;
  known.push_back(launches_.size());
  launches_.push_back(std::move(launch));
}

void CounterStore::reset() {
  const std::lock_guard lock(mutex_);
  before_reset_.add(since_reset_.counters());
  since_reset_ = {};
  used_.clear();
}

Counters CounterStore::since_reset() const {
  const std::lock_guard lock(mutex_);
  return since_reset_.counters();
}

std::vector<KernelUse> CounterStore::kernels_used() const {
  const std::lock_guard lock(mutex_);
  return used_;
}

Counters CounterStore::since_start() const {
  const std::lock_guard lock(mutex_);
  Tally all = before_reset_;
  all.add(since_reset_.counters());
  return all.counters();
}

std::vector<LaunchCounters> CounterStore::launches() const {
  const std::lock_guard lock(mutex_);
  return launches_;
}

}  // namespace simulator
