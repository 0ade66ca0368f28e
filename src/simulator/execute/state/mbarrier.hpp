// An mbarrier: a barrier that lies in 8 bytes of shared memory, as its word.
//
// An mbarrier works in phases. A phase ends when all its arrivals and all expected bytes have come. Then the next phase
// begins, which expects as many arrivals. NVIDIA does not document the bits of the word; this layout is our own.
// (PTX manual, "Parallel Synchronization and Communication Instructions: mbarrier".)
#pragma once

#include <cstdint>
#include <optional>

namespace simulator {

struct Mbarrier {
  static constexpr uint32_t MOST_ARRIVALS = (1u << 20) - 1;
  static constexpr int32_t MOST_BYTES = (1 << 20) - 1;

  uint32_t pending = 0;   // arrivals that the phase still waits for
  uint32_t expected = 0;  // arrivals of each phase
  int32_t bytes =
      0;  // that the phase still waits for; negative if they came before they were expected
  bool parity = false;  // of the phase under way

  /// Returns the mbarrier in this word, or nothing if none was initialised there.
  static std::optional<Mbarrier> from(uint64_t word) {
    if (word >> 62 != IS_ONE) return std::nullopt;
    return Mbarrier{static_cast<uint32_t>(word & MOST_ARRIVALS),
                    static_cast<uint32_t>(word >> 20 & MOST_ARRIVALS),
                    static_cast<int32_t>(static_cast<uint32_t>(word >> 40 << 11)) >> 11,
                    (word >> 61 & 1) != 0};
  }
  uint64_t word() const {
    return pending | uint64_t{expected} << 20 |
           (uint64_t{static_cast<uint32_t>(bytes)} & 0x1fffff) << 40 | uint64_t{parity} << 61 |
           IS_ONE << 62;
  }

  /// Begins the next phase if this one is complete. Returns true if it is.
  bool end_phase() {
    if (pending != 0 || bytes != 0) return false;
    pending = expected;
    parity = !parity;
    return true;
  }

 private:
  static constexpr uint64_t IS_ONE =
      1;  // the upper two bits; neither zeros nor unwritten memory has them
};

}  // namespace simulator
