// Launches that do what an earlier launch did.
//
// A benchmark launches its kernel hundreds of times with the same arguments and the same data. What a kernel does depends on its
// arguments and on the memory that it touches, unless it asks for the time, prints, or allocates. So the contents of the memory
// that a launch touched are kept, from before it and from after it. A later launch with the same arguments that finds the
// contents from before need not run: the contents from after are put in place, and its counters are those of the earlier one.
// The contents are compared byte by byte.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "simulator/count/counters.hpp"
#include "simulator/execute/state/launch_shape.hpp"
#include "simulator/hazards/device_shadow.hpp"
#include "simulator/hazards/hazard.hpp"
#include "simulator/memory/memory.hpp"
#include "simulator/memory/texture.hpp"

namespace simulator {

struct Program;

/// The addresses at which the touched allocations begin.
using TouchedAllocations = std::set<uint64_t>;

/// What a launch shows, apart from memory.
struct LaunchResults {
  Counters counters;
  std::vector<Hazard> hazards;
  uint32_t number = 0;  // see DeviceShadow::begin_launch(); 0 if no hazards were looked for
};

/// The launches of a device that may be repeated. Thread-safe.
class RepeatStore {
 public:
  RepeatStore(const DeviceMemory& memory, DeviceShadow& shadow, const TextureStore& textures)
      : memory_(memory), shadow_(shadow), textures_(textures) {}
  RepeatStore(const RepeatStore&) = delete;
  RepeatStore& operator=(const RepeatStore&) = delete;

  /// What a launch depends on apart from memory.
  struct Key {
    const Program* program = nullptr;
    LaunchShape shape;
    std::vector<std::byte> arguments = {};  // as the kernel gets them
    uint64_t schedule = 0;                  // the order of blocks and warps, see set_schedule()
    int workers = 0;
    bool looks_for_hazards = false;

    auto operator<=>(const Key&) const = default;
  };

  /// Does to memory what an earlier launch did. Returns that one's results, or nothing if no earlier launch was alike: then
  /// nothing has changed.
  std::optional<LaunchResults> repeat(const Key& key);

  /// An allocation's contents before a launch and after it.
  struct Contents {
    uint64_t base = 0, bytes = 0;
    uint32_t revivals = 0;
    std::unique_ptr<std::byte[]> before, after = nullptr;  // no `after`: the same as `before`
  };
  /// Returns the contents that `after` will need; nothing if the launch will not be kept.
  std::vector<Contents> before(const Key& key);
  /// Keeps a launch that has ended without a fault.
  void after(const Key& key, std::vector<Contents> memory, const TouchedAllocations& touched,
             LaunchResults results);
  /// Forgets the launches of a program that will no longer exist.
  void forget(const Program& program);

 private:
  struct Record {
    std::vector<Contents> memory;
    std::vector<std::string> names;  // of the allocations, as the counters have them
    LaunchResults results;
    uint64_t removed_textures = 0;
    std::optional<std::vector<TouchedBytes>> touched;  // if hazards are looked for, and if known
    uint64_t last_use = 0;
    uint64_t found_at =
        0;  // DeviceMemory::changes() when the contents from before were there; 0: unknown

    uint64_t bytes() const;
    bool changes_memory() const;
  };
  // All that is known of the launches with one key.
  struct History {
    TouchedAllocations touched;
    std::list<Record> records;
    int misses = 0, hits = 0;
    bool is_given_up = false;
  };

  bool finds_memory(const Record& record) const;
  bool may_stand_in(const Record& record, bool looks_for_hazards) const;
  std::vector<const Allocation*> allocations_of(const std::vector<Contents>& memory) const;
  std::vector<std::string> names_of(const std::vector<Contents>& memory) const;
  bool make_room(uint64_t bytes);
  void give_up(History& history);

  const DeviceMemory& memory_;
  DeviceShadow& shadow_;
  const TextureStore& textures_;
  std::mutex mutex_;
  std::map<Key, History> known_;
  uint64_t kept_ = 0;  // bytes of all records
  uint64_t uses_ = 0;
};

}  // namespace simulator
