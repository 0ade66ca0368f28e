// What a program can learn from the simulator about a kernel that failed, beyond CUDA's error code.
#pragma once

#include <optional>
#include <string>

#include "simulator/fault.hpp"

namespace simulator {

/// The fault that made the device unusable, or nothing if no kernel has failed since clear_fault().
std::optional<Fault> last_fault();

/// The first call since forget_waits() that returned once the device had caught up, by its name: "cudaFree",
/// "cudaMemcpy", "cudaStreamSynchronize". Nothing if there was none. Calls that only ask (cudaStreamQuery) are none.
std::optional<std::string> first_wait();
void forget_waits();

/// Whether a kernel's fault is written to stderr when it happens. It is, unless switched off.
void set_fault_output(bool on);

/// Makes the device usable again after a fault, its memory as the kernel left it. A real device offers
/// nothing like it; it is for tests that provoke faults.
void clear_fault();

}  // namespace simulator
