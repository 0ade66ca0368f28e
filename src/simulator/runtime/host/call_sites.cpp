// The call sites of queued operations.
#include <map>
#include <mutex>
#include <set>

#include "simulator/hazards/hazard_store.hpp"
#include "simulator/runtime/host/host_line.hpp"
#include "simulator/runtime/host/host_watchers.hpp"

namespace simulator::runtime {
namespace {

// Sites of older operations are forgotten.
constexpr size_t MOST_KEPT = 100'000;

struct Sites {
  std::mutex mutex;
  std::set<CallSite> all;
  std::map<uint64_t, const CallSite*> of_operation;
};
Sites& sites() {
  static Sites* const instance = new Sites;
  return *instance;
}

class CallSites final : public Watcher {
 public:
  void issued(uint64_t number) override {
    if (!looks_for_hazards()) return;
    const CallSite site = CallSite::here();
    const std::lock_guard lock(sites().mutex);
    sites().of_operation[number] = &*sites().all.insert(site).first;
    if (sites().of_operation.size() > MOST_KEPT)
      sites().of_operation.erase(sites().of_operation.begin());
  }
};

}  // namespace

CallSite site_of_operation(uint64_t number) {
  const std::lock_guard lock(sites().mutex);
  const auto known = sites().of_operation.find(number);
  return known == sites().of_operation.end() ? CallSite{} : *known->second;
}

CallSite site_here() {
  return running() != nullptr ? site_of_operation(running()->number) : CallSite::here();
}

Watcher& call_sites() {
  static CallSites watcher;
  return watcher;
}

}  // namespace simulator::runtime
