// Why a call of the API was refused, in words for whoever wrote it.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>

#include "simulator/runtime/api/events.hpp"

namespace simulator::runtime {

/// Tells of something wrong in host code, once for each line of it; nothing where hazards are not looked for.
void tell_of_call(HazardKind kind, const std::function<Refusal()>& explain);

/// Returns `error`, and changes nothing else. Where hazards are looked for, the refusal is one: said once for each line
/// of host code, whether the program looks at what the call returns or not. For calls that no program makes on
/// purpose; what programs ask to find out (is there so much memory, is the work done) is answered without a word.
cudaError_t refuse(cudaError_t error, const std::function<Refusal()>& explain);

}  // namespace simulator::runtime
