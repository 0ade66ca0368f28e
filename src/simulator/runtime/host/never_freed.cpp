#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "simulator/runtime/api/simulated_device.hpp"
#include "simulator/runtime/host/host_line.hpp"
#include "simulator/runtime/host/host_watchers.hpp"

namespace simulator::runtime {
namespace {

// The call sites of live allocations that were made while hazards were looked for.
struct Ledger {
  struct Entry {
    uint32_t id = 0;
    const CallSite* site = nullptr;
    uint64_t bytes = 0;
  };
  std::mutex mutex;
  std::map<uint64_t, Entry> of_base;
  std::set<CallSite> sites;
};
Ledger& ledger() {
  static Ledger* const instance = new Ledger;
  return *instance;
}

std::string allocations_text(size_t count, uint64_t bytes) {
  const std::string size = std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  return count == 1 ? "an allocation of " + size + " was"
                    : std::to_string(count) + " allocations of " + size + " in all were";
}

class NeverFreed final : public Watcher {
 public:
  void allocated(const NewMemory& memory) override {
    if (!looks_for_hazards()) return;
    const CallSite site = CallSite::here();
    const std::lock_guard lock(ledger().mutex);
    ledger().of_base[memory.base] = {memory.id, &*ledger().sites.insert(site).first, memory.bytes};
  }

  void about_to_free(uint64_t base, uint64_t /*bytes*/) override {
    const std::lock_guard lock(ledger().mutex);
    ledger().of_base.erase(base);
  }

  void program_ends(bool tidy) override {
    if (!tidy) return;  // a program that ends on an error need not free memory
    uint64_t bytes = 0;
    std::vector<std::pair<uint32_t, const CallSite*>> order;
    {
      const std::lock_guard lock(ledger().mutex);
      for (const auto& [base, entry] : ledger().of_base) {
        bytes += entry.bytes;
        order.emplace_back(entry.id, entry.site);
      }
    }
    if (order.empty()) return;
    std::sort(order.begin(), order.end());
    constexpr size_t MOST = 3;
    std::vector<std::string> lines;
    Hazard hazard;
    hazard.kind = HazardKind::never_freed;
    for (const auto& [id, site] : order) {
      const HostLine line = line_of(*site);
      if (!line.known() || std::find(lines.begin(), lines.end(), line.text()) != lines.end())
        continue;
      if (lines.empty()) hazard.where = line.where;
      lines.push_back(line.text());
      if (lines.size() > MOST) break;
    }
    std::string where;
    for (size_t i = 0; i < std::min(lines.size(), MOST); ++i)
      where += (i == 0 ? "" : ", ") + lines[i];
    if (lines.size() > MOST) where += ", ...";
    hazard.message = {
        allocations_text(order.size(), bytes) + " never freed", where,
        "call cudaFree at the end for memory allocated there, cudaFreeHost for pinned memory"};
    current_device().hazards.add(std::move(hazard));
  }
};

}  // namespace

Watcher& never_freed() {
  static NeverFreed watcher;
  return watcher;
}

}  // namespace simulator::runtime
