// What kernels run on.
#pragma once

#include "simulator/count/counter_store.hpp"
#include "simulator/count/recorder.hpp"
#include "simulator/hazards/device_shadow.hpp"
#include "simulator/hazards/hazard_store.hpp"
#include "simulator/memory/memory.hpp"

namespace simulator {

/// A device as those who execute know it: its memory, and where its launches leave what they counted and found. It is
/// handed to whoever needs it; there may be several.
struct Device {
  DeviceMemory memory;
  DeviceShadow shadow{memory};
  HazardStore hazards;
  CounterStore counters;
  RequestStore requests;
};

}  // namespace simulator
