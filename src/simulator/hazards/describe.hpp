// The words of messages for places in a launch.
#pragma once

#include <cstdint>
#include <string>

#include "simulator/decode/program.hpp"
#include "simulator/hazards/hazard.hpp"

namespace simulator {

/// Returns the thread with this linear number in a block of this size.
Dim3 thread_at(const Dim3& block_size, uint32_t thread);

/// Returns "full[1]" for an element of `bytes` bytes at this offset in shared memory, or "byte 1032 of memory" in dynamic memory.
std::string element_of_shared(const Program& program, uint64_t offset, uint64_t bytes);

/// Returns "tiled.cu:18" Returns the instruction, "`bar.sync 0`", for code without lines.
std::string line_of(const Program& program, uint32_t instruction);

/// Returns "tiled.cu:18 in tiled: thread (0, 1, 0) of block (0, 0, 0)".
std::string place_of(const Program& program, uint32_t instruction, const Dim3& block,
                     const Dim3& thread);

/// Returns the variable that holds this offset in shared memory, or nullptr.
const SharedVariable* shared_variable_at(const Program& program, uint64_t offset);

/// Returns "byte 64 of As", or "byte 80 of shared memory" if no variable is there.
std::string shared_place(const Program& program, uint64_t offset);

/// True if an instruction's data are moved while the threads go on, counted by an mbarrier or a group of copies.
bool is_counted_copy(const Facts& facts);
/// Returns the name of such an instruction: "tensor copy", "bulk copy", "bulk reduction", "remote store", "remote reduction".
std::string copy_name(const Facts& facts);

/// Returns "0x0000ffff".
std::string mask_text(uint32_t lanes);

/// Returns the CUDA name of an instruction of the family `warp`: "__shfl_down_sync" for shfl.sync.down.b32.
std::string intrinsic_of(const Program& program, uint32_t instruction);

/// Returns a hazard at one instruction of the program, without its message.
Hazard hazard_at(HazardKind kind, const Program& program, uint32_t instruction);
/// Returns a hazard at two instructions, without its message.
Hazard hazard_between(HazardKind kind, const Program& program, uint32_t instruction,
                      uint32_t other);

}  // namespace simulator
