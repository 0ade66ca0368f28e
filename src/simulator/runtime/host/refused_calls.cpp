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
    const CallSite site = site_here();
    const HostLine line = line_of(site);
    Hazard hazard;
    hazard.kind = kind;
    hazard.kernel = refusal.kernel;
    hazard.where = line.where;
    const std::string call = running() != nullptr ? running()->call : Call::current();
    hazard.code = line.known() ? call : call + site.id();
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
