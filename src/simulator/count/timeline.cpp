#include "simulator/count/timeline.hpp"

#include <algorithm>
#include <utility>

namespace simulator {

BlockTimeline::BlockTimeline(const std::string& kernel, uint64_t block, size_t warps) {
  timeline_.kernel = kernel;
  timeline_.block = block;
  timeline_.warps.resize(warps);
  begin_step();
}

void BlockTimeline::begin_step() {
  for (std::vector<lens::Moment>& warp : timeline_.warps) warp.emplace_back();
}

void BlockTimeline::begin_mbarrier(uint64_t offset, const std::string& name) {
  const auto [place, is_new] = mbarriers_.try_emplace(offset, timeline_.mbarriers.size());
  if (!is_new) return;
  const std::vector<uint64_t> none(timeline_.warps.size());
  timeline_.mbarriers.push_back({.name = name, .begins = steps_, .arrivals = none, .copies = none});
  phases_.push_back(0);
}

void BlockTimeline::complete_phase(uint64_t offset) {
  if (const auto at = mbarriers_.find(offset); at != mbarriers_.end()) ++phases_[at->second];
}

void BlockTimeline::arrive(size_t warp, uint64_t offset) {
  const auto at = mbarriers_.find(offset);
  if (at != mbarriers_.end()) ++timeline_.mbarriers[at->second].arrivals[warp];
}

void BlockTimeline::copy(size_t warp, std::optional<uint64_t> mbarrier) {
  now(warp).copies = true;
  if (!mbarrier) return;
  const auto at = mbarriers_.find(*mbarrier);
  if (at != mbarriers_.end()) ++timeline_.mbarriers[at->second].copies[warp];
}

void BlockTimeline::multiply(size_t warp) { now(warp).multiplies = true; }

void BlockTimeline::set(size_t warp, lens::Doing doing, uint64_t mbarrier) {
  now(warp).doing = doing;
  const auto at = mbarriers_.find(mbarrier);
  if (doing == lens::Doing::waits_for_phase && at != mbarriers_.end())
    now(warp).mbarrier = static_cast<uint16_t>(at->second);
}

void BlockTimeline::end_step() {
  for (size_t i = 0; i < phases_.size(); ++i) timeline_.mbarriers[i].phases.push_back(phases_[i]);
  if (++steps_ == MOST_STEPS) {
    timeline_.is_cut = true;
  } else {
    begin_step();
  }
}

void TimelineStore::start(const std::optional<Wanted>& wanted) {
  const std::lock_guard lock(mutex_);
  wanted_ = wanted;
  begun_.clear();
  timelines_.clear();
}

std::unique_ptr<BlockTimeline> TimelineStore::record(const std::string& kernel, uint64_t block,
                                                     size_t warps) {
  const std::lock_guard lock(mutex_);
  if (!wanted_ || wanted_->block != block || kernel.find(wanted_->kernel) == std::string::npos)
    return nullptr;
  if (!begun_.insert(kernel).second) return nullptr;
  return std::make_unique<BlockTimeline>(kernel, block, warps);
}

void TimelineStore::add(const BlockTimeline& recorded) {
  lens::Timeline timeline = recorded.timeline();
  // The step that has only begun is none.
  if (!recorded.is_full()) {
    for (std::vector<lens::Moment>& warp : timeline.warps) warp.pop_back();
  }
  const std::lock_guard lock(mutex_);
  timelines_.push_back(std::move(timeline));
}

std::vector<lens::Timeline> TimelineStore::timelines() const {
  const std::lock_guard lock(mutex_);
  return timelines_;
}

}  // namespace simulator
