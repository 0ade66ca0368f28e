// tex and tld4: fetches from textures.
#pragma once

#include "simulator/decode/program.hpp"

namespace simulator {

struct Warp;

/// Executes a fetch (SourceInstruction::fetch) for all active lanes. The texture object's handle is in Op::a, the coordinates are in
/// OperandLists::c, and the four results in OperandLists::d. Throws WarpFault if there is no such texture.
void fetch_texture(Warp& w, const Op& op);

}  // namespace simulator
