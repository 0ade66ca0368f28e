// Remembers results whose arguments recur: programs compute products of the same shape again and again, and a choice takes microseconds of
// the host, as long as a small product takes the device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ladder {

/// The last results of a pure function of a KEY, of one thread: make it thread_local. KEY has ==, and hash(), which returns a uint64_t.
template <typename KEY, typename RESULT>
class LastResults {
 public:
  /// Returns the remembered result for the key, or else that of compute(), and remembers it in the place of another. Valid until the
  /// next call.
  template <typename COMPUTE>
  const RESULT& of(const KEY& key, const COMPUTE& compute) {
    Slot& slot = slots_[key.hash() % SLOTS];
    if (!slot.is_taken || !(slot.key == key)) slot = {true, key, compute()};
    return slot.result;
  }

 private:
  static constexpr size_t SLOTS = 64;
  struct Slot {
    bool is_taken = false;
    KEY key{};
    RESULT result{};
  };
  std::array<Slot, SLOTS> slots_;
};

/// Mixes numbers into a hash (the multiplier of FNV-1a, Fowler, Noll and Vo).
template <typename... NUMBERS>
constexpr uint64_t hash_of(NUMBERS... numbers) {
  uint64_t hash = 0xCBF29CE484222325u;
  ((hash = (hash ^ static_cast<uint64_t>(numbers)) * 0x100000001B3u), ...);
  return hash ^ (hash >> 32);
}

}  // namespace ladder
