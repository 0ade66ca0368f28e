#include "results/values/line_figures.hpp"

#include <algorithm>
#include <cstdint>

namespace results {
namespace {

constexpr double SECTOR_BYTES = 32;
constexpr double SOME = 1.2, MUCH = 2.0;  // times the least possible traffic

std::optional<double> share(uint64_t part, double of) {
  if (part == 0 || of == 0) return std::nullopt;
  return static_cast<double>(part) / of;
}

}  // namespace

std::string action_of(const Line& line) {
  const std::string first = line.instruction.substr(0, line.instruction.find('.'));
  if (first == "ld" || first == "ldu") return "load";
  if (first == "st") return "store";
  if (first == "cp") return "copy";
  return first == "atom" || first == "red" ? "atomic" : first;
}

std::optional<double> sectors_per_request(const Line& line) {
  return share(line.sectors, static_cast<double>(line.requests));
}

std::optional<double> bytes_used_over_fetched(const Line& line) {
  if (line.sectors == 0) return std::nullopt;
  return static_cast<double>(line.bytes_used) / (SECTOR_BYTES * static_cast<double>(line.sectors));
}

// Needs no check of the memory: only accesses to shared memory have wavefronts.
std::optional<double> wavefronts_per_request(const Line& line) {
  return share(line.wavefronts, static_cast<double>(line.requests));
}

Waste waste_of(const Line& line) {
  if (line.requests == 0) return Waste::none;
  double moved = 0, needed = 0;
  if (line.wavefronts > 0) {
    moved = static_cast<double>(line.wavefronts);
    needed = moved - static_cast<double>(line.bank_conflicts);
  } else {
    const auto requests = static_cast<double>(line.requests);
    moved = static_cast<double>(line.sectors);
    // The number of sectors for its bytes, but at least one for each request.
    needed = std::max(static_cast<double>(line.bytes_used) / SECTOR_BYTES, requests);
  }
  if (moved >= MUCH * needed) return moved > 0 ? Waste::much : Waste::none;
  return moved >= SOME * needed ? Waste::some : Waste::none;
}

const char* name_of(Waste waste) {
  switch (waste) {
    case Waste::none:
      return "none";
    case Waste::some:
      return "some";
    case Waste::much:
      return "much";
  }
  return "none";
}

}  // namespace results
