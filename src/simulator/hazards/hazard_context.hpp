// The state that a launch's blocks share while they look for hazards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "simulator/decode/program.hpp"
#include "simulator/hazards/device_shadow.hpp"
#include "simulator/hazards/launch_hazards.hpp"
#include "simulator/hazards/order.hpp"

namespace simulator {

/// The guarantee that an access gives to other threads.
enum class Strength {
  weak,    // no guarantee
  strong,  // volatile, relaxed, acquire or release: another thread may access the place meanwhile
  atomic,
};

/// Lives as long as the launch. Thread-safe for all its workers.
class HazardContext {
 public:
  /// `parameters`: the bytes of the kernel's parameters.
  HazardContext(const Program& program, const std::vector<std::byte>& parameters,
                const DeviceMemory& memory, DeviceShadow& shadow);
  ~HazardContext();
  HazardContext(const HazardContext&) = delete;
  HazardContext& operator=(const HazardContext&) = delete;

  const Program& program;
  const uint32_t number;  // the launch's number, from 1
  const uint32_t unit;    // bytes of a cell: 1 if the program has accesses narrower than 4
  LaunchHazards found;
  Messages messages;
  GridOrder grid;
  const DeviceMemory& memory;  // of the launch's device
  DeviceShadow& shadow;

  /// Returns a number for the instruction's line. Without lines, each instruction has its own number.
  uint32_t line_of(uint32_t instruction) const { return lines_[instruction]; }
  /// True if threads may communicate through memory: the program has atomics or volatile accesses.
  bool has_messages() const { return has_messages_; }
  /// Tells if the instruction is in a loop, and if threads meet in the innermost loop around it.
  enum class Loop { none, without_barrier, with_barrier };
  Loop loop_around(uint32_t instruction) const;
  /// True if a thread that has executed the first instruction may reach the second in a later turn of a loop. An
  /// unrolled loop has its instructions once for each turn.
  bool comes_next_turn(uint32_t instruction, uint32_t other) const;
  /// Returns the instruction of the first turn, for one in an unrolled loop; else the instruction itself.
  uint32_t first_copy_of(uint32_t instruction) const;
  /// True if a thread reaches `instruction` before `other` on its way from `start`: a barrier, or 0 for the
  /// kernel's beginning.
  bool comes_first(uint32_t start, uint32_t instruction, uint32_t other) const;
  Strength strength_of(uint32_t instruction) const { return strengths_[instruction]; }

  /// True if the program has more streams than the launch's.
  bool has_other_streams() const { return work_ && work_->has_others; }
  /// Returns the number, from 1, of an earlier launch of another stream that is not ordered with this one; 0 if it is ordered.
  uint16_t overlap_with(uint32_t launch) const {
    if (unordered_.empty() || launch < unordered_.front().number) return 0;
    return find_overlap(launch);
  }
  /// Notes that both touch a place, and that one of them writes it. The lowest address is kept.
  void note_conflict(uint16_t overlap, uint64_t address, bool other_writes, bool writes);
  /// True if the launch comes after all that other streams did before.
  bool is_ordered() const { return unordered_.empty(); }
  /// Adds what was found to the shadow's conflicts.
  void publish_conflicts();

 private:
  void expect_only_reads(const std::vector<std::byte>& parameters);
  std::vector<uint32_t> meetings() const;
  bool is_unrolled(uint32_t instruction) const;
  uint32_t block_of(uint32_t instruction) const;
  std::vector<uint32_t> blocks_after(uint32_t block) const;
  bool leads_to(std::vector<uint32_t> blocks, uint32_t to, uint32_t around) const;

  uint16_t find_overlap(uint32_t launch) const;

  struct Conflict {
    uint64_t address = 0;
    bool other_writes = false, writes = false;
  };
  std::mutex conflicts_mutex_;
  std::map<uint16_t, Conflict> conflicts_;  // by the number of the other launch
  std::optional<StreamWork> work_;          // this launch, if it has a stream
  std::vector<Unordered> unordered_;        // earlier work that may run at the same time, by number

  std::vector<uint32_t> lines_;
  std::vector<Strength> strengths_;
  bool has_messages_ = false;
};

}  // namespace simulator
