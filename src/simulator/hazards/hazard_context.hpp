// What the blocks of a launch share while hazards are looked for.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/decode/program.hpp"
#include "simulator/hazards/device_shadow.hpp"
#include "simulator/hazards/launch_hazards.hpp"
#include "simulator/hazards/order.hpp"

namespace simulator {

/// What others may expect of an access.
enum class Strength {
  weak,  // nothing
  strong,  // volatile, relaxed, acquire or release: another thread may look at the same place meanwhile
  atomic,
};

/// Lives as long as the launch; safe to use from all its workers.
class HazardContext {
 public:
  /// `has_helpers`: several host threads run its blocks.
  HazardContext(const Program& program, DeviceShadow& shadow, bool has_helpers);
  ~HazardContext();
  HazardContext(const HazardContext&) = delete;
  HazardContext& operator=(const HazardContext&) = delete;

  const Program& program;
  const bool has_helpers;
  const uint32_t number;  // of the launch, from 1
  const uint32_t unit;    // bytes of a cell: 1 where the program has accesses narrower than 4
  LaunchHazards found;
  Messages messages;
  DeviceShadow& shadow;  // of the device that it runs on

  /// Instructions of one line have one number; without lines each has its own.
  uint32_t line_of(uint32_t instruction) const { return lines_[instruction]; }
  /// Whether threads may tell each other something through memory: there are atomics or volatile accesses.
  bool has_messages() const { return has_messages_; }
  /// Whether the instruction is in a loop, and whether threads meet in the innermost one.
  enum class Loop { none, without_barrier, with_barrier };
  Loop loop_around(uint32_t instruction) const;
  /// Whether a thread that has executed the first instruction may come to the second in a later turn of a loop: one that
  /// was unrolled has its instructions once for each turn.
  bool comes_next_turn(uint32_t instruction, uint32_t other) const;
  /// Of an instruction in a loop that was unrolled, the one of the first turn; any other is its own.
  uint32_t first_copy_of(uint32_t instruction) const;
  /// Which of two instructions a thread comes to first on its way from `start`, a barrier or 0, the kernel's beginning.
  bool comes_first(uint32_t start, uint32_t instruction, uint32_t other) const;
  Strength strength_of(uint32_t instruction) const { return strengths_[instruction]; }

 private:
  std::vector<uint32_t> meetings() const;
  bool is_unrolled(uint32_t instruction) const;
  uint32_t block_of(uint32_t instruction) const;
  std::vector<uint32_t> blocks_after(uint32_t block) const;
  bool leads_to(std::vector<uint32_t> blocks, uint32_t to, uint32_t around) const;

  std::vector<uint32_t> lines_;
  std::vector<Strength> strengths_;
  bool has_messages_ = false;
};

}  // namespace simulator
