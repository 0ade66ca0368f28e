#include "simulator/hazards/hazard_store.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "simulator/progress.hpp"

namespace simulator {
namespace {

bool asked_for() {
  const char* const value = std::getenv("SIMULATOR_HAZARDS");
  if (value == nullptr) return true;
  const std::string_view asked = value;
  if (asked == "0") return false;
  if (!asked.empty() && asked != "1" && asked != "error") {
    std::fprintf(stderr,
                 "simulated GPU: SIMULATOR_HAZARDS is '%s'; it must be 1 (say them), 0 (look for "
                 "none) or error (end with 1 if there was one), and is ignored\n",
                 value);
  }
  return true;
}

std::atomic<bool>& wanted() {
  static std::atomic<bool> instance{asked_for()};
  return instance;
}

}  // namespace

bool looks_for_hazards() { return wanted().load(std::memory_order_relaxed); }
void look_for_hazards(bool on) { wanted() = on; }

bool hazards_are_errors() {
  const char* const value = std::getenv("SIMULATOR_HAZARDS");
  return value != nullptr && std::string_view(value) == "error";
}

void HazardStore::add(Hazard hazard) {
  const std::lock_guard lock(mutex_);
  const auto known = std::find_if(found_.begin(), found_.end(),
                                  [&](const Hazard& other) { return other.is_same(hazard); });
  if (known != found_.end()) {
    known->times += hazard.times;
    return;
  }
  if (output_) {
    const HiddenProgress hidden;
    std::fputs(hazard.message.text().c_str(), stderr);
  }
  found_.push_back(std::move(hazard));
}

std::vector<Hazard> HazardStore::found() const {
  const std::lock_guard lock(mutex_);
  return found_;
}

void HazardStore::clear() {
  const std::lock_guard lock(mutex_);
  found_.clear();
}

void HazardStore::set_output(bool on) {
  const std::lock_guard lock(mutex_);
  output_ = on;
}

bool HazardStore::has_output() const {
  const std::lock_guard lock(mutex_);
  return output_;
}

}  // namespace simulator
