#include <cerrno>
#include <exception>
#include <utility>

#include "simulator/runtime/api/calls.hpp"
#include "simulator/runtime/api/simulated_device.hpp"
#include "simulator/runtime/host/host_line.hpp"
#include "simulator/runtime/host/host_watchers.hpp"

namespace simulator::runtime {
namespace {

class RefusedCalls final : public Watcher {
 public:
  void refused(HazardKind kind, const Refusal& refusal) override {
    const CallSite site = CallSite::here();
    const HostLine line = line_of(site);
    Hazard hazard;
    hazard.kind = kind;
    hazard.kernel = refusal.kernel;
    hazard.where = line.where;
    hazard.code = line.known() ? Call::current() : Call::current() + site.id();
    hazard.message = {refusal.what, line.text(), refusal.advice};
    current_device().hazards.add(std::move(hazard));
  }
};

}  // namespace

Watcher& refused_calls() {
  static RefusedCalls watcher;
  return watcher;
}

}  // namespace simulator::runtime
