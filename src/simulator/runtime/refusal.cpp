#include "simulator/runtime/refusal.hpp"

#include <cerrno>
#include <exception>
#include <utility>

#include "simulator/hazards/hazard_store.hpp"
#include "simulator/runtime/calls.hpp"
#include "simulator/runtime/host_line.hpp"

namespace simulator::runtime {

void tell_of_call(HazardKind kind, const std::function<Refusal()>& explain) {
  if (!looks_for_hazards()) return;
  const int errno_before = errno;
  try {
    const CallSite site = CallSite::here();
    const HostLine line = line_of(site);
    Refusal refusal = explain();
    Hazard hazard;
    hazard.kind = kind;
    hazard.kernel = std::move(refusal.kernel);
    hazard.where = line.where;
    hazard.code = line.known() ? Call::current() : Call::current() + site.id();
    hazard.message = {std::move(refusal.what), line.text(), std::move(refusal.advice)};
    HazardStore::instance().add(std::move(hazard));
    errno = errno_before;
  } catch (const std::exception&) {
    errno = errno_before;  // there is no memory for a message
  }
}

cudaError_t refuse(cudaError_t error, const std::function<Refusal()>& explain) {
  tell_of_call(HazardKind::refused_call, explain);
  return error;
}

}  // namespace simulator::runtime
