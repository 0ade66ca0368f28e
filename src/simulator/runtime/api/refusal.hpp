// The reasons why API calls are refused, in words for the programmer.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>

#include "simulator/runtime/api/events.hpp"

namespace simulator::runtime {

/// Reports an error in host code, once per line of it. Does nothing if hazards are not looked for.
void tell_of_call(HazardKind kind, const std::function<Refusal()>& explain);

/// Returns `error`. If hazards are looked for, also reports the refusal as a hazard: once per line of host code,
/// even if the program checks the call's return code. For calls that no program makes on purpose. Calls by which
/// programs ask (is there enough memory, is the work done) report nothing.
cudaError_t refuse(cudaError_t error, const std::function<Refusal()>& explain);

}  // namespace simulator::runtime
