// The device that kernels run on.
#pragma once

#include "simulator/count/counter_store.hpp"
#include "simulator/count/layouts.hpp"
#include "simulator/count/recorder.hpp"
#include "simulator/count/timeline.hpp"
#include "simulator/hazards/device_shadow.hpp"
#include "simulator/hazards/hazard_store.hpp"
#include "simulator/memory/memory.hpp"

namespace simulator {

/// A device for the code that executes: its memory, and the stores for the counters and findings of its launches.
/// Callers pass it on, because there may be several.
struct Device {
  DeviceMemory memory;
  DeviceShadow shadow{memory};
  HazardStore hazards;
  CounterStore counters;
  RequestStore requests;
  TimelineStore timelines;
  LayoutStore layouts;
};

}  // namespace simulator
