// Requests as the simulator records them, for pictures of them.
#pragma once

#include <cstdint>
#include <functional>

#include "lens/request.hpp"

namespace lens::test {

/// Returns a load of 4 bytes a lane, from byte `offset(lane)` of a buffer A of 1 MiB. The caller sets its price.
inline Request load(const std::function<uint64_t(uint64_t)>& offset, uint32_t active = ~0u) {
  Request r;
  r.kernel = "copy";
  r.file = "/home/me/copy.cu";
  r.line = 6;
  r.instruction = "ld.global.f32";
  r.buffer = "A";
  r.buffer_base = 4096;
  r.buffer_bytes = 1 << 20;
  r.bytes_per_lane = 4;
  r.launch = 1;
  r.grid = {64, 1, 1};
  r.block = {3, 0, 0};
  r.block_size = {256, 1, 1};
  r.warp = 2;
  r.active = active;
  for (uint64_t lane = 0; lane < LANES; ++lane) {
    if ((active >> lane & 1u) != 0) r.addresses[lane] = r.buffer_base + offset(lane);
  }
  return r;
}

/// Returns a load of every other float, by 28 lanes.
inline Request every_other() {
  Request r = load([](uint64_t lane) { return lane * 8; }, 0x0fffffff);
  r.sectors = 7;
  r.lines = 2;
  r.bytes_used = 112;
  return r;
}

/// Returns a load in which lane t reads float 1000 * t.
inline Request stride_1000() {
  Request r = load([](uint64_t lane) { return lane * 4000; });
  r.sectors = 32;
  r.lines = 32;
  r.bytes_used = 128;
  return r;
}

inline Request to_shared(Request r) {
  r.path = Path::shared;
  r.instruction = "ld.shared.f32";
  r.buffer = "shared";
  for (uint64_t& address : r.addresses) address -= address == 0 ? 0 : r.buffer_base;
  r.buffer_base = 0;
  r.buffer_bytes = 4096;
  r.phases = {r.active};
  return r;
}

/// Returns a load in which lane t reads word 8 * t: eight words in each of four banks.
inline Request eight_way() {
  Request r = to_shared(load([](uint64_t lane) { return lane * 32; }));
  r.bytes_used = 128;
  r.wavefronts = 8;
  r.bank_conflicts = 7;
  return r;
}

/// Returns a load of 16 bytes a lane, side by side: a quarter of the warp at a time.
inline Request quarters() {
  Request r = to_shared(load([](uint64_t lane) { return lane * 16; }));
  r.instruction = "ld.shared.v4.f32";
  r.bytes_per_lane = 16;
  r.bytes_used = 512;
  r.wavefronts = 4;
  r.phases = {0xff, 0xff00, 0xff0000, 0xff000000};
  return r;
}

}  // namespace lens::test
