// The simulated GPU for programs of this project that link it: one header for all that they may use beyond CUDA's API. Other projects
// have include/simulated_cuda.h.
#pragma once

#include "simulator/execute/launch/module.hpp"    // launches: their order, parts, progress
#include "simulator/execute/level/level.hpp"      // the level of the host's vector instructions
#include "simulator/memory/host_limits.hpp"       // the host's memory
#include "simulator/runtime/api/diagnostics.hpp"  // faults, counters, recordings
#include "simulator/runtime/api/registry.hpp"     // the code of kernels
#include "simulator/runtime/api/simulated_device.hpp"  // the device: its memory and its hazards
