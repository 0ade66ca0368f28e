#include "simulator/runtime/api/refusal.hpp"

#include <cerrno>
#include <exception>

#include "simulator/hazards/hazard_store.hpp"

namespace simulator::runtime {

void tell_of_call(HazardKind kind, const std::function<Refusal()>& explain) {
  if (!looks_for_hazards()) return;
  const int errno_before = errno;
  try {
    publish(&Watcher::refused, kind, explain());
    errno = errno_before;
  } catch (const std::exception&) {
    errno = errno_before;  // no memory for a message
  }
}

cudaError_t refuse(cudaError_t error, const std::function<Refusal()>& explain) {
  tell_of_call(HazardKind::refused_call, explain);
  return error;
}

}  // namespace simulator::runtime
