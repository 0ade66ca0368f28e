// A timeline of one block: what each of its warps does from step to step, and the phases of its mbarriers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "text/page.hpp"

namespace lens {

/// What a warp does in a step.
enum class Doing : uint8_t {
  nothing,  // it has exited
  runs,
  waits_at_barrier,  // of the block
  waits_for_phase,   // of an mbarrier
};

struct Moment {
  Doing doing = Doing::nothing;
  bool copies = false;      // True if it requests an asynchronous copy
  bool multiplies = false;  // True if it begins a product on tensor cores
  uint16_t mbarrier = 0;    // of waits_for_phase: index into Timeline::mbarriers
  bool operator==(const Moment&) const = default;
};

struct TimedMbarrier {
  std::string name{};  // "full[1]"
  size_t begins = 0;   // the step in which it was initialised
  std::vector<uint32_t>
      phases{};  // the number of complete phases after each step, from `begins` on
  std::vector<uint64_t> arrivals{},
      copies{};  // by warp: how often each arrived, and requested copies
};

/// In a step each warp executes one basic block, unless it waits or has exited.
struct Timeline {
  std::string kernel{};                      // demangled, without its parameter list
  uint64_t block = 0;                        // its linear number
  bool is_cut = false;                       // True if the block ran on after the last step
  std::vector<std::vector<Moment>> warps{};  // by warp, a moment for each step
  std::vector<TimedMbarrier> mbarriers{};    // in the order of their initialisation

  size_t steps() const { return warps.empty() ? 0 : warps.front().size(); }
};

/// Draws the timeline: a row for each warp (one for neighbours that do the same), a row for each mbarrier, a legend, and who
/// waits for whom. A column stands for one step or for several. Fits into 60 columns, and uses more if the page has them. Ends
/// in a newline.
std::string timeline(const Timeline& timeline, const text::Page& page);

/// Draws the same as an SVG document.
std::string svg_timeline(const Timeline& timeline);

// --- Parts of both drawings.

/// Neighbouring warps that do the same in every step.
struct Track {
  size_t first = 0, last = 0;
  std::string name() const;  // "warps 0-3"
};
std::vector<Track> tracks_of(const Timeline& timeline);

/// What most of these steps of a warp are. A product, and then a copy, stand out among other steps.
Moment summary(const std::vector<Moment>& moments, size_t first, size_t count);

/// Returns "warp 4 waits 2 steps at barriers, 12 steps for empty[0]", and so on, a sentence for each track that waits.
std::vector<std::string> waits_in_words(const Timeline& timeline);
/// Returns "full[0], full[1]: each 8 phases, by arrivals and copies of warp 4", and so on, for all mbarriers.
std::vector<std::string> phases_in_words(const Timeline& timeline);

}  // namespace lens
