// Records the places of tensor copies and of wgmma's matrices in shared memory. Plain code, not compiled per level.
#pragma once

#include <cstdint>

#include "lens/layout.hpp"
#include "simulator/decode/program.hpp"
#include "simulator/execute/state/warp.hpp"
#include "simulator/execute/state/worker.hpp"
#include "simulator/memory/tensor_map.hpp"

namespace simulator {

/// True if the functions below must be called.
inline bool records_layouts(const Warp& w) { return w.block->worker->launch.layouts != nullptr; }

/// Records the box of a tensor copy that begins at this offset in shared memory.
void record_box(const Warp& w, uint32_t instruction, lens::Laid laid, const TensorMap& map,
                uint64_t offset);

/// Records the matrices that a wgmma finds by its descriptors.
void record_matrices(const Warp& w, const Op& op);

}  // namespace simulator
