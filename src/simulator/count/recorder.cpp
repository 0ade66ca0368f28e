#include "simulator/count/recorder.hpp"

#include <algorithm>
#include <tuple>

namespace simulator {
namespace {

auto place_of(const lens::Request& r) {
  return std::tuple(r.launch, lens::linear_block(r), r.warp, r.nth);
}

bool is_before(const lens::Request& a, const lens::Request& b, bool chosen) {
  if (!chosen && lens::is_worse(a, b)) return true;
  if (!chosen && lens::is_worse(b, a)) return false;
  return place_of(a) < place_of(b);
}

bool is_same_warp(const lens::Request& a, const lens::Request& b) {
  return a.launch == b.launch && a.block == b.block && a.warp == b.warp;
}

}  // namespace

Recorder::Names Recorder::names_of(const lens::Request& r) {
  return {r.kernel, r.file, r.line, r.instruction, r.path, r.buffer};
}

size_t Recorder::group(const lens::Request& named) {
  const auto [found, is_new] = groups_.try_emplace(names_of(named), kept_.size());
  if (is_new) kept_.emplace_back();
  return found->second;
}

void Recorder::add(size_t group, const lens::Request& unnamed) {
  const uint64_t nth = unnamed.nth;
  Steps& steps = kept_[group];
  if (wanted_.chosen) {
    const bool is_wanted = lens::linear_block(unnamed) == wanted_.block &&
                           unnamed.warp == wanted_.warp && nth >= wanted_.first &&
                           nth - wanted_.first < wanted_.count;
    if (is_wanted) steps.push_back(unnamed);
  } else if (steps.empty() || is_before(unnamed, steps.front(), false)) {
    steps = {unnamed};
  } else if (steps.size() < wanted_.count && is_same_warp(unnamed, steps.front())) {
    steps.push_back(unnamed);
  }
}

void Recorder::merge(const Recorder& other) {
  for (const auto& [names, theirs] : other.groups_) {
    const Steps& steps = other.kept_[theirs];
    if (steps.empty()) continue;
    const auto [found, is_new] = groups_.try_emplace(names, kept_.size());
    if (is_new) kept_.emplace_back();
    Steps& own = kept_[found->second];
    if (own.empty() || is_before(steps.front(), own.front(), wanted_.chosen)) own = steps;
  }
}

std::vector<lens::Request> Recorder::requests() const {
  std::vector<lens::Request> all;
  for (const auto& [names, group] : groups_) {
    for (const lens::Request& request : kept_[group]) {
      lens::Request& named = all.emplace_back(request);
      named.kernel = names.kernel;
      named.file = names.file;
      named.line = names.line;
      named.instruction = names.instruction;
      named.buffer = names.buffer;
    }
  }
  return all;
}

void RequestStore::start(const lens::Wanted& wanted) {
  const std::lock_guard lock(mutex_);
  launches_ = 0;
  recorder_ = Recorder(wanted);
}

lens::Wanted RequestStore::wanted() const {
  const std::lock_guard lock(mutex_);
  return recorder_.wanted();
}

uint64_t RequestStore::number_launch() {
  const std::lock_guard lock(mutex_);
  return ++launches_;
}

void RequestStore::add(const Recorder& launch) {
  const std::lock_guard lock(mutex_);
  recorder_.merge(launch);
}

std::vector<lens::Request> RequestStore::requests() const {
  const std::lock_guard lock(mutex_);
  return recorder_.requests();
}

}  // namespace simulator
