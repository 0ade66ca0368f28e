// The device that kernels run on.
#pragma once

#include <cstdint>
#include <memory>

#include "simulator/count/counter_store.hpp"
#include "simulator/count/layouts.hpp"
#include "simulator/count/recorder.hpp"
#include "simulator/count/timeline.hpp"
#include "simulator/execute/state/repeats.hpp"
#include "simulator/hazards/device_shadow.hpp"
#include "simulator/hazards/hazard_store.hpp"
#include "simulator/memory/memory.hpp"
#include "simulator/memory/texture.hpp"

namespace simulator {

/// A device for the code that executes: its memory, and the stores for the counters and findings of its launches.
/// Callers pass it on, because there may be several.
struct Device {
  Device() : own(std::make_unique<Findings>(memory)), shadow(own->shadow), hazards(own->hazards) {}
  /// A further device of the program, number 1, 2, 3, ... All devices share one shadow and one list of hazards, because work
  /// of one may meet work of another.
  Device(Device& first, uint32_t device_number)
      : number(device_number),
        memory(first.memory, device_number),
        shadow(first.shadow),
        hazards(first.hazards) {}

  struct Findings {
    explicit Findings(const DeviceMemory& memory) : shadow(memory) {}
    DeviceShadow shadow;
    HazardStore hazards;
  };

  const uint32_t number = 0;
  DeviceMemory memory;
  const std::unique_ptr<Findings> own;  // nullptr: the first device has them
  DeviceShadow& shadow;
  HazardStore& hazards;
  CounterStore counters;
  RequestStore requests;
  TimelineStore timelines;
  LayoutStore layouts;
  TextureStore textures;
  RepeatStore repeats{memory, shadow, textures};
};

}  // namespace simulator
