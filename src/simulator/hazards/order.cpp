#include "simulator/hazards/order.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <new>
#include <numeric>

namespace simulator {
namespace {

template <typename Each>
void for_each_bit(uint32_t bits, Each each) {
  for (; bits != 0; bits &= bits - 1) each(static_cast<uint32_t>(std::countr_zero(bits)));
}

}  // namespace

// --- knowledge ----------------------------------------------------------------------------------------

void Knowledge::learn(uint64_t who, Time until) {
  const auto known = std::ranges::lower_bound(until_, who, {}, &std::pair<uint64_t, Time>::first);
  if (known == until_.end() || known->first != who) {
    until_.insert(known, {who, until});
  } else {
    known->second = std::max(known->second, until);
  }
}

void Knowledge::learn(const Knowledge& other) {
  std::vector<std::pair<uint64_t, Time>> all;
  all.reserve(until_.size() + other.until_.size());
  std::ranges::merge(until_, other.until_, std::back_inserter(all));
  until_ = std::move(all);
  keep_last_times();
}

void Knowledge::learn(const std::vector<const Knowledge*>& others) {
  for (const Knowledge* const other : others)
    until_.insert(until_.end(), other->until_.begin(), other->until_.end());
  std::ranges::sort(until_);
  keep_last_times();
}

// Of several times of one thread, which follow each other, keeps the last.
void Knowledge::keep_last_times() {
  const auto is_same = [](const auto& a, const auto& b) { return a.first == b.first; };
  const auto kept = std::unique(until_.rbegin(), until_.rend(), is_same).base();
  until_.erase(until_.begin(), kept);
}

bool Knowledge::covers(uint64_t who, Time time) const {
  const auto known = std::ranges::lower_bound(until_, who, {}, &std::pair<uint64_t, Time>::first);
  return known != until_.end() && known->first == who && time <= known->second;
}

bool Knowledge::covers(uint64_t block, uint32_t thread, Time time) const {
  return covers(who(block, ALL), time) || covers(who(block, thread), time);
}

// --- messages -----------------------------------------------------------------------------------------

void Messages::leave(uint64_t address, const Teller& teller, const Knowledge* to_device,
                     const Knowledge* to_block) {
  if (to_device == nullptr && to_block == nullptr) return;
  const std::lock_guard lock(mutex_);
  Box& box = boxes_[address];
  const auto tell = [&](Knowledge& box_of, const Knowledge& what) {
    box_of.learn(what);
    box_of.learn_of_telling(teller.block, teller.thread, teller.time);
  };
  if (to_device != nullptr) tell(box.to_device, *to_device);
  if (to_block != nullptr) tell(box.to_block[teller.block], *to_block);
  ++box.version;
  has_any_.store(true, std::memory_order_release);
}

uint64_t Messages::version(uint64_t address) const {
  if (is_empty()) return 0;
  const std::lock_guard lock(mutex_);
  const auto box = boxes_.find(address);
  return box == boxes_.end() ? 0 : box->second.version;
}

void Messages::read(uint64_t address, uint64_t block, Knowledge& into) const {
  const std::lock_guard lock(mutex_);
  const auto box = boxes_.find(address);
  if (box == boxes_.end()) return;
  into.learn(box->second.to_device);
  const auto own = box->second.to_block.find(block);
  if (own != box->second.to_block.end()) into.learn(own->second);
}

// --- the order of a cluster ---------------------------------------------------------------------------

void ClusterOrder::start(const std::vector<uint64_t>& blocks, uint32_t threads, Messages& messages,
                         GridOrder& grid) {
  blocks_ = blocks;
  warps_of_a_block_ = (threads + WARP - 1) / WARP;
  warps_ = static_cast<uint32_t>(blocks.size()) * warps_of_a_block_;
  threads_ = warps_ * WARP;
  now_ = 1;
  all_met_ = 0;
  block_met_.assign(blocks.size(), 0);
  met_before_cluster_.assign(blocks.size(), 0);
  last_brought_.reset();
  fenced_.assign(threads_, 0);
  exited_.assign(threads_, 0);
  warp_met_.assign(warps_, 0);
  lanes_.clear();
  lanes_.resize(warps_);
  warps_met_.clear();
  extras_.clear();
  has_heard_ = false;
  phases_.clear();
  passed_.clear();
  last_united_ = {};
  messages_ = &messages;
  grid_ = &grid;
  grid_passed_.assign(blocks.size(), 0);
  std::destroy_at(&own_messages_);
  std::construct_at(&own_messages_);
}

std::optional<uint32_t> ClusterOrder::rank_of_block(uint32_t block) const {
  for (uint32_t rank = 0; rank < blocks_.size(); ++rank) {
    if (static_cast<uint32_t>(blocks_[rank]) == block) return rank;
  }
  return std::nullopt;
}

bool ClusterOrder::is_after_in_part(uint32_t thread, uint32_t other, Time then) const {
  if (!passed_.empty() && passed_[thread] && then <= (*passed_[thread])[other]) return true;
  if (other >= threads_) return false;
  if (block_of(thread) == block_of(other) && then <= block_met_[block_of(thread)]) return true;
  const uint32_t warp = thread / WARP;
  const uint32_t others = other / WARP;
  if (warp == others) {
    if (then <= warp_met_[warp]) return true;
    if (lanes_[warp] && then <= (*lanes_[warp])[size_t{thread % WARP} * WARP + other % WARP])
      return true;
  }
  if (!warps_met_.empty() && then <= warps_met_[size_t{warp} * warps_ + others]) return true;
  return is_after(thread, blocks_[block_of(other)], other % (warps_of_a_block_ * WARP), then);
}

bool ClusterOrder::is_after(uint32_t thread, uint64_t block, uint32_t other, Time then) const {
  const uint64_t passed = grid_passed_[block_of(thread)];
  if (passed != 0 && grid_->covers(passed - 1, block, then)) return true;
  if (extras_.empty()) return false;
  const Known& heard = extras_[thread].heard;
  return heard && heard->covers(block, other, then);
}

bool ClusterOrder::is_after_telling(uint32_t thread, uint64_t block, uint32_t other,
                                    Time then) const {
  if (extras_.empty()) return false;
  const Known& heard = extras_[thread].heard;
  return heard && heard->covers_telling(block, other, then);
}

void ClusterOrder::meet(uint32_t rank) {
  const bool is_whole_cluster = blocks_.size() == 1;
  if (!extras_.empty() || (!is_whole_cluster && !passed_.empty())) {
    std::vector<uint32_t> all(size_t{warps_of_a_block_} * WARP);
    std::iota(all.begin(), all.end(), static_cast<uint32_t>(rank * all.size()));
    share(all);
  }
  (is_whole_cluster ? all_met_ : block_met_[rank]) = now_++;
}

// --- mbarriers ----------------------------------------------------------------------------------------

// Returns the time up to which the `other` thread's work is known from meetings of lanes and of warps.
Time ClusterOrder::known_by_meetings(uint32_t thread, uint32_t other) const {
  const uint32_t warp = thread / WARP;
  Time until = block_of(thread) == block_of(other) ? block_met_[block_of(thread)] : 0;
  if (other / WARP == warp) {
    until = std::max(until, warp_met_[warp]);
    if (lanes_[warp])
      until = std::max(until, (*lanes_[warp])[size_t{thread % WARP} * WARP + other % WARP]);
  }
  if (!warps_met_.empty())
    until = std::max(until, warps_met_[size_t{warp} * warps_ + other / WARP]);
  return until;
}

std::vector<Time> ClusterOrder::known_to(uint32_t thread) const {
  std::vector<Time> known(threads_);
  for (uint32_t other = 0; other < threads_; ++other) {
    known[other] = other == thread ? now_ : std::max(all_met_, known_by_meetings(thread, other));
    if (!passed_.empty() && passed_[thread])
      known[other] = std::max(known[other], (*passed_[thread])[other]);
  }
  return known;
}

void ClusterOrder::arrive(uint32_t thread, uint64_t mbarrier) {
  Times& arriving = phases_[mbarrier].arriving;
  arriving.resize(threads_ + blocks_.size());
  arriving[thread] = now_;
  if (thread < threads_) {
    for (uint32_t other = 0; other < threads_; ++other)
      arriving[other] = std::max(arriving[other], known_by_meetings(thread, other));
    if (!passed_.empty() && passed_[thread]) {
      const Times& passed = *passed_[thread];
      for (size_t other = 0; other < passed.size(); ++other)
        arriving[other] = std::max(arriving[other], passed[other]);
    }
  }
  ++now_;
}

void ClusterOrder::complete_phase(uint64_t mbarrier) {
  Phases& phases = phases_[mbarrier];
  phases.complete =
      united(phases.complete, std::make_shared<const Times>(std::move(phases.arriving)));
  phases.arriving.clear();
}

// Most threads arrive with the same knowledge of others, so it is added once.
void ClusterOrder::arrive_at_cluster(uint32_t thread, bool relaxed) {
  Times& arriving = phases_[CLUSTER_BARRIER].arriving;
  arriving.resize(threads_ + blocks_.size());
  arriving[thread] = std::max(arriving[thread], relaxed ? fenced_[thread] : now_++);
  if (relaxed) return;
  const uint32_t rank = block_of(thread);
  met_before_cluster_[rank] = block_met_[rank];
  if (passed_.empty() || !passed_[thread] || passed_[thread] == last_brought_) return;
  last_brought_ = passed_[thread];
  for (size_t i = 0; i < last_brought_->size(); ++i)
    arriving[i] = std::max(arriving[i], (*last_brought_)[i]);
}

void ClusterOrder::complete_cluster() {
  Times& arriving = phases_[CLUSTER_BARRIER].arriving;
  arriving.resize(threads_ + blocks_.size());
  for (uint32_t thread = 0; thread < threads_; ++thread) {
    arriving[thread] =
        std::max({arriving[thread], exited_[thread], met_before_cluster_[block_of(thread)]});
  }
  last_brought_.reset();
  complete_phase(CLUSTER_BARRIER);
}

void ClusterOrder::pass_phase(uint32_t thread, uint64_t mbarrier) {
  const SharedTimes& complete = phases_[mbarrier].complete;
  if (!complete) return;
  if (passed_.empty()) passed_.resize(threads_);
  passed_[thread] = united(passed_[thread], complete);
}

ClusterOrder::SharedTimes ClusterOrder::united(const SharedTimes& one, const SharedTimes& other) {
  if (!one || one == other || one->empty()) return other;
  if (!other || other->empty()) return one;
  if (last_united_[0] == one && last_united_[1] == other) return last_united_[2];
  auto both = std::make_shared<Times>(*one);
  for (size_t i = 0; i < both->size(); ++i) (*both)[i] = std::max((*both)[i], (*other)[i]);
  last_united_ = {one, other, both};
  return both;
}

// Gives threads that meet the knowledge that each of them has from mbarriers.
void ClusterOrder::share_phases(const std::vector<uint32_t>& threads) {
  if (passed_.empty()) return;
  SharedTimes all;
  for (const uint32_t thread : threads) all = united(all, passed_[thread]);
  for (const uint32_t thread : threads) passed_[thread] = all;
}

// --- meetings -----------------------------------------------------------------------------------------

void ClusterOrder::meet(const std::vector<uint32_t>& warps,
                        const std::vector<std::pair<uint32_t, Time>>& passed_by) {
  if (warps_met_.empty()) warps_met_.assign(size_t{warps_} * warps_, 0);
  std::vector<Time> common(warps_, 0);
  for (const uint32_t warp : warps) {
    for (uint32_t other = 0; other < warps_; ++other)
      common[other] = std::max(common[other], warps_met_[size_t{warp} * warps_ + other]);
  }
  for (const auto& [warp, until] : passed_by) common[warp] = std::max(common[warp], until);
  for (const uint32_t warp : warps) common[warp] = now_;
  for (const uint32_t warp : warps)
    std::copy(common.begin(), common.end(), &warps_met_[size_t{warp} * warps_]);
  if (!extras_.empty() || !passed_.empty()) {
    std::vector<uint32_t> members;
    for (const uint32_t warp : warps) {
      for (uint32_t t = warp * WARP; t < std::min(threads_, (warp + 1) * WARP); ++t)
        members.push_back(t);
    }
    share(members);
  }
  ++now_;
}

void ClusterOrder::meet(uint32_t warp, uint32_t lanes, uint32_t live) {
  if ((lanes & live) == live) {
    warp_met_[warp] = now_;
  } else {
    if (!lanes_[warp]) lanes_[warp] = std::make_unique<LaneTimes>();
    LaneTimes& times = *lanes_[warp];
    std::array<Time, WARP> common{};
    for_each_bit(lanes, [&](uint32_t lane) {
      for (uint32_t other = 0; other < WARP; ++other)
        common[other] = std::max(common[other], times[size_t{lane} * WARP + other]);
    });
    for_each_bit(lanes, [&](uint32_t lane) { common[lane] = now_; });
    for_each_bit(lanes, [&](uint32_t lane) {
      std::copy(common.begin(), common.end(), &times[size_t{lane} * WARP]);
    });
  }
  if (!extras_.empty() || !passed_.empty()) {
    std::vector<uint32_t> members;
    for_each_bit(lanes, [&](uint32_t lane) {
      if (warp * WARP + lane < threads_) members.push_back(warp * WARP + lane);
    });
    share(members);
  }
  ++now_;
}

void ClusterOrder::need_extras() {
  if (extras_.empty()) extras_.resize(threads_);
}

// Shares knowledge among the threads: each of them then knows all that any of them knows. If one may pass it on, all
// may, because its fence came before they met.
void ClusterOrder::share(const std::vector<uint32_t>& threads) {
  share_phases(threads);
  if (extras_.empty()) return;
  const auto unite = [&](Known Extra::* part) {
    const Known first = extras_[threads.front()].*part;
    const bool all_same = std::all_of(threads.begin(), threads.end(),
                                      [&](uint32_t t) { return extras_[t].*part == first; });
    if (all_same) return;
    std::vector<const Knowledge*> known;
    for (const uint32_t t : threads) {
      const Knowledge* const own = (extras_[t].*part).get();
      if (own != nullptr && (known.empty() || own != known.back())) known.push_back(own);
    }
    auto united = std::make_shared<Knowledge>();
    united->learn(known);
    for (const uint32_t t : threads) extras_[t].*part = united;
  };
  unite(&Extra::heard);
  unite(&Extra::for_device);
  unite(&Extra::for_block);
}

void ClusterOrder::fence(uint32_t warp, uint32_t lanes, bool for_device) {
  need_extras();
  for_each_bit(lanes, [&](uint32_t lane) {
    const uint32_t thread = warp * WARP + lane;
    fenced_[thread] = now_;
    Extra& extra = extras_[thread];
    auto known = std::make_shared<Knowledge>();
    if (extra.heard) known->learn(*extra.heard);
    if (all_met_ > 0) known->learn_of_block(blocks_[0], all_met_);
    // Only meetings of warps or of a cluster tell of other warps more than the block's last meeting.
    const bool is_alone = blocks_.size() == 1 && warps_met_.empty() && passed_.empty();
    const uint32_t begin = is_alone ? warp * WARP : 0;
    const uint32_t end = is_alone ? begin + WARP : threads_;
    for (uint32_t other = begin; other < end; ++other) {
      Time until = other == thread ? now_ : known_by_meetings(thread, other);
      if (!passed_.empty() && passed_[thread]) until = std::max(until, (*passed_[thread])[other]);
      if (until > all_met_)
        known->learn_of_thread(blocks_[block_of(other)], other % (warps_of_a_block_ * WARP), until);
    }
    extra.for_block = known;
    if (for_device) extra.for_device = known;
  });
  ++now_;
}

void ClusterOrder::tell(uint32_t thread, uint64_t address, bool is_shared) {
  if (extras_.empty()) return;
  const Extra& extra = extras_[thread];
  messages(is_shared).leave(address,
                            {blocks_[block_of(thread)], thread % (warps_of_a_block_ * WARP), now_},
                            extra.for_device.get(), extra.for_block.get());
}

void ClusterOrder::listen(uint32_t thread, uint64_t address, bool is_shared) {
  const Messages& from = messages(is_shared);
  const uint64_t version = from.version(address);
  if (version == 0) return;
  need_extras();
  Extra& extra = extras_[thread];
  if (extra.address == address && extra.version == version) return;
  auto heard = std::make_shared<Knowledge>();
  if (extra.heard) heard->learn(*extra.heard);
  from.read(address, blocks_[block_of(thread)], *heard);
  extra.heard = std::move(heard);
  has_heard_ = true;
  extra.address = address;
  extra.version = version;
}

bool ClusterOrder::is_message(uint64_t address, bool is_shared) const {
  return (is_shared ? own_messages_ : *messages_).version(address) != 0;
}

}  // namespace simulator
