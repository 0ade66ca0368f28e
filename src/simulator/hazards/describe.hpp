// Where in a launch something happened, in the words of messages.
#pragma once

#include <cstdint>
#include <string>

#include "simulator/decode/program.hpp"
#include "simulator/hazards/hazard.hpp"

namespace simulator {

/// A thread of a block of this size by its linear number.
Dim3 thread_at(const Dim3& block_size, uint32_t thread);

/// "tiled.cu:18"; for code without lines the instruction, "`bar.sync 0`".
std::string line_of(const Program& program, uint32_t instruction);

/// "tiled.cu:18 in tiled: thread (0, 1, 0) of block (0, 0, 0)"
std::string place_of(const Program& program, uint32_t instruction, const Dim3& block,
                     const Dim3& thread);

/// "byte 64 of As", "byte 80 of shared memory" where no variable lies
std::string shared_place(const Program& program, uint64_t offset);

/// "0x0000ffff"
std::string mask_text(uint32_t lanes);

/// What the CUDA programmer calls an instruction of the family `warp`: "__shfl_down_sync" for shfl.sync.down.b32.
std::string intrinsic_of(const Program& program, uint32_t instruction);

/// A hazard at one instruction of the program, without its message.
Hazard hazard_at(HazardKind kind, const Program& program, uint32_t instruction);
/// The same at two.
Hazard hazard_between(HazardKind kind, const Program& program, uint32_t instruction,
                      uint32_t other);

}  // namespace simulator
